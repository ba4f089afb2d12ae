// What the lines did, in bounded memory: for each line a ring of entries in the order of time.
//
// An entry is an edge (its level from `from` on) or a busy span, which represents `count` edges that the server did not
// send one by one: the line was high and low in it.

const LIVE_ENTRIES = 1 << 15;
const LIVE_LIMITS = { readings: 1 << 13, frames: 2000, notes: 2000 };
/** The server sends no more of a capture than it bounds itself. */
export const CAPTURE_LIMITS = { readings: Infinity, frames: Infinity, notes: Infinity };

class Ring {
  constructor(capacity) {
    this.capacity = capacity;
    this.from = new Float64Array(capacity);
    this.to = new Float64Array(capacity);
    this.level = new Uint8Array(capacity);
    this.count = new Uint32Array(capacity);
    this.start = 0;
    this.length = 0;
  }

  push(from, to, level, count) {
    const at = (this.start + this.length) % this.capacity;
    this.from[at] = from;
    this.to[at] = to;
    this.level[at] = level;
    this.count[at] = count;
    if (this.length < this.capacity) this.length += 1;
    else this.start = (this.start + 1) % this.capacity;
  }

  at(index) {
    return (this.start + index) % this.capacity;
  }

  /** The index of the last entry that begins at or before a time; -1 where there is none. */
  lastBefore(t) {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.from[this.at(middle)] <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

class Line {
  constructor(capacity) {
    this.ring = new Ring(capacity);
    this.values = []; // [t, least, greatest, last]
    this.frames = []; // [t, text]
    this.lost = []; // [t, cause]
    this.more = 0;
  }
}

export class History {
  constructor(capacity = LIVE_ENTRIES, limits = LIVE_LIMITS) {
    this.capacity = capacity;
    this.limits = limits;
    this.lines = new Map();
    this.notes = new Map();
    this.beginNs = 0;
    this.endNs = 0;
  }

  line(name) {
    let line = this.lines.get(name);
    if (!line) this.lines.set(name, (line = new Line(this.capacity)));
    return line;
  }

  /** Adds the parts of an update, which follow those before. */
  add(parts, notes, untilNs) {
    for (const [name, part] of Object.entries(parts)) {
      const line = this.line(name);
      const entries = [];
      for (const [t, level] of part.edges ?? []) entries.push([t, t, level, 1]);
      for (const [from, to, count, level] of part.busy ?? []) entries.push([from, to, level, count]);
      if ((part.busy ?? []).length && (part.edges ?? []).length) entries.sort((a, b) => a[0] - b[0]);
      for (const entry of entries) line.ring.push(...entry);
      for (const [t, value] of part.values ?? []) line.values.push([t, value, value, value]);
      for (const [from, , least, greatest, last] of part.ranges ?? []) line.values.push([from, least, greatest, last]);
      line.frames.push(...(part.frames ?? []));
      line.lost.push(...(part.lost ?? []));
      line.more += part.more ?? 0;
      trim(line.values, this.limits.readings);
      trim(line.frames, this.limits.frames);
      trim(line.lost, this.limits.frames);
    }
    for (const note of notes) {
      let row = this.notes.get(note.device);
      if (!row) this.notes.set(note.device, (row = []));
      row.push(note);
      trim(row, this.limits.notes);
    }
    this.endNs = Math.max(this.endNs, untilNs);
  }

  /** The level of a line at a time: 0, 1, or null where it is not known. */
  levelAt(name, t) {
    const ring = this.lines.get(name)?.ring;
    const index = ring ? ring.lastBefore(t) : -1;
    return index < 0 ? null : ring.level[ring.at(index)];
  }

  /** The times of the edges around a time: the last at or before it and the next after it; null where there is none. */
  around(name, t) {
    const ring = this.lines.get(name)?.ring;
    if (!ring) return [null, null];
    const index = ring.lastBefore(t);
    return [
      index < 0 ? null : ring.from[ring.at(index)],
      index + 1 < ring.length ? ring.from[ring.at(index + 1)] : null,
    ];
  }

  /** The edge of a line that follows (+1) or precedes (-1) a time. */
  step(name, t, way) {
    const [before, after] = this.around(name, way < 0 ? t - 1 : t);
    return way < 0 ? before : after;
  }
}

function trim(list, most) {
  if (list.length > most * 1.25) list.splice(0, list.length - most);
}
