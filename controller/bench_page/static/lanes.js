// The timing diagram: every line, the frames of every link, and what each driver reported, on one axis of time.
//
// Only what is visible is drawn, and at most one column for each pixel: in a column with several changes the line is
// drawn as a bar from low to high, the brighter the more there are.

import { t as word } from "./words.js";
import { duration, seconds } from "./text.js";

const AXIS = 22;
const LEAST_ROW = 26;
const MOST_ROW = 42;
const WANTED_HEIGHT = 440;
const COLOURS = {
  input: "#3ddc97", output: "#ffc145", analogue: "#5cb8ff", link: "#4fe0e0", notes: "#c79bff", command: "#ff9bd2",
  second: "#ff9f5c", differs: "#ff6b6b",
};

export class Lanes {
  constructor(canvas, box, onReadout) {
    this.canvas = canvas;
    this.box = box;
    this.context = canvas.getContext("2d", { alpha: false });
    this.rows = [];
    this.lengthNs = 12e9;
    this.endNs = 0;
    this.frozen = false;
    this.selected = null;
    this.cursor = null; // where the mouse is, or the arrow keys went
    this.marks = { a: null, b: null };
    this.deciding = [];
    this.playhead = null;
    this.overlay = null; // a second capture on the same time: {history, shiftNs, spans, listed}
    this.history = null;
    this.onReadout = onReadout;
    this.onMove = () => {};
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => { this.hover = null; });
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.fit()).observe(box);
  }

  /** The rows from the top: {name, kind, device}. */
  setRows(rows) {
    this.rows = rows;
    let y = AXIS;
    const height = Math.max(LEAST_ROW, Math.min(MOST_ROW, Math.floor(WANTED_HEIGHT / rows.length)));
    for (const row of rows) {
      row.y = y;
      row.height = row.kind === "analogue" ? Math.max(40, height) : height;
      y += row.height;
    }
    this.height = y + 4;
    this.fit();
  }

  fit() {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.min(8000, Math.max(50, this.box.clientWidth));
    this.width = width;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round((this.height ?? 100) * ratio);
    this.canvas.style.height = `${this.height ?? 100}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  get startNs() {
    return this.endNs - this.lengthNs;
  }

  x(t) {
    return ((t - this.startNs) / this.lengthNs) * this.width;
  }

  time(x) {
    return this.startNs + (x / this.width) * this.lengthNs;
  }

  // --- a person ---

  zoom(factor, x = this.width) {
    const anchor = this.time(x);
    const length = Math.min(600e9, Math.max(2e5, this.lengthNs * factor));
    const share = (anchor - this.startNs) / this.lengthNs;
    this.lengthNs = length;
    if (this.frozen) this.endNs = anchor + (1 - share) * length;
  }

  wheel(event) {
    event.preventDefault();
    const rect = this.canvas.getBoundingClientRect();
    if (event.ctrlKey || event.altKey || !this.frozen || Math.abs(event.deltaY) > Math.abs(event.deltaX)) {
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, event.clientX - rect.left);
    } else {
      this.endNs += (event.deltaX / this.width) * this.lengthNs;
    }
  }

  rowAt(y) {
    return this.rows.find((row) => y >= row.y && y < row.y + row.height) ?? null;
  }

  point(event) {
    const rect = this.canvas.getBoundingClientRect();
    const row = this.rowAt(event.clientY - rect.top);
    const t = this.time(event.clientX - rect.left);
    this.hover = { row, t: this.snapped(row, t) };
    if (event.buttons === 1 && this.frozen && event.movementX) this.endNs -= (event.movementX / this.width) * this.lengthNs;
    this.tell(this.hover.row, this.hover.t);
  }

  /** The nearest edge of a line within some pixels, otherwise the time itself. */
  snapped(row, t) {
    if (!row || row.kind === "notes" || !this.history) return t;
    const near = (this.lengthNs / this.width) * 7;
    const found = this.history.around(row.name, t).filter((edge) => edge !== null && Math.abs(edge - t) <= near);
    return found.length ? found.reduce((a, b) => (Math.abs(a - t) < Math.abs(b - t) ? a : b)) : t;
  }

  click(event) {
    const rect = this.canvas.getBoundingClientRect();
    const row = this.rowAt(event.clientY - rect.top);
    const t = this.snapped(row, this.time(event.clientX - rect.left));
    if (row) this.select(row.name);
    this.marks[event.shiftKey ? "b" : "a"] = t;
    this.cursor = t;
    this.onMove(t);
    this.tell(row, t);
  }

  select(name) {
    this.selected = name;
    this.onSelect?.(name);
  }

  key(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const row = this.rows.find((one) => one.name === this.selected) ?? this.rows[0];
    if (way && row && this.history) {
      const from = this.cursor ?? this.endNs;
      const t = event.shiftKey ? from + (way * this.lengthNs) / 20 : this.history.step(row.name, from, way);
      if (t !== null) {
        this.cursor = t;
        if (t < this.startNs || t > this.endNs) this.endNs = t + this.lengthNs / 2;
        this.onMove(t);
        this.tell(row, t);
      }
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const index = this.rows.indexOf(row) + (event.key === "ArrowUp" ? -1 : 1);
      if (this.rows[index]) {
        this.select(this.rows[index].name);
        this.tell(this.rows[index], this.cursor ?? this.endNs);
      }
    } else if (event.key === "+" || event.key === "=") this.zoom(0.8, this.width / 2);
    else if (event.key === "-") this.zoom(1.25, this.width / 2);
    else if (event.key === " ") this.onFreeze?.();
    else if ((event.key === "a" || event.key === "b") && this.cursor !== null) {
      this.marks[event.key] = this.cursor;
      this.tell(row, this.cursor);
    } else return;
    event.preventDefault();
  }

  /** Says what is at a time of a row. */
  tell(row, t) {
    const words = [`${seconds(t)} s`];
    if (row && this.history) {
      words.push(row.title ?? row.name);
      const level = row.kind === "notes" ? null : this.history.levelAt(row.name, t);
      if (level !== null) {
        const [before, after] = this.history.around(row.name, t);
        words.push(level ? word("high") : word("low"));
        if (before !== null && after !== null) words.push(word("readout.for", { time: duration(after - before) }));
      }
      if (row.kind === "notes") {
        const note = (this.history.notes.get(row.device) ?? []).filter((one) => one.t_ns <= t).at(-1);
        if (note) words.push(`${note.what}: ${note.detail}`);
      }
      if (row.kind === "link" || row.kind === "command") {
        const frame = (this.history.lines.get(row.name)?.frames ?? []).filter(([at]) => at <= t).at(-1);
        if (frame) words.push(frame[1]);
      }
    }
    const { a, b } = this.marks;
    if (a !== null && b !== null && a !== b) {
      const apart = Math.abs(b - a);
      words.push(word("readout.a_to_b", { time: duration(apart), hz: (1e9 / apart).toFixed(3) }));
    } else if (a !== null && t !== a) words.push(word("readout.from_a", { time: duration(t - a) }));
    this.onReadout(words.join(" · "));
  }

  // --- drawing ---

  draw() {
    const { context, width, history } = this;
    context.fillStyle = "#070b0f";
    context.fillRect(0, 0, width, this.height);
    this.drawAxis();
    for (const row of this.rows) {
      if (row.name === this.selected) {
        context.fillStyle = "#101b25";
        context.fillRect(0, row.y, width, row.height - 1);
      }
      context.fillStyle = "#17202a";
      context.fillRect(0, row.y + row.height - 1, width, 1);
      if (!history) continue;
      if (row.kind === "notes") this.drawNotes(row);
      else if (row.kind === "analogue") this.drawValues(row);
      else if (row.kind === "link" || row.kind === "command") this.drawFrames(row);
      else this.drawLevels(row);
      if (this.overlay) this.drawOverlay(row);
    }
    if (this.overlay) this.drawVerdictsDiffer();
    for (const edge of this.deciding) this.drawDeciding(edge);
    this.drawMark(this.marks.a, "A", "#5cb8ff");
    this.drawMark(this.marks.b, "B", "#ffc145");
    if (this.cursor !== null && this.cursor !== this.marks.a) this.drawMark(this.cursor, "", "#8fa4b7");
    if (this.playhead !== null) this.drawMark(this.playhead, "▼", "#ff6b6b");
    if (this.hover) this.drawMark(this.hover.t, "", "#41566a");
  }

  drawAxis() {
    const { context, width } = this;
    const wanted = (this.lengthNs / width) * 110;
    const unit = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= wanted);
    context.font = "11px ui-monospace, DejaVu Sans Mono, monospace";
    context.textBaseline = "middle";
    for (let t = Math.ceil(this.startNs / step) * step; t <= this.endNs; t += step) {
      const x = Math.round(this.x(t)) + 0.5;
      context.fillStyle = "#141d26";
      context.fillRect(x, AXIS, 1, this.height - AXIS);
      context.fillStyle = "#93a5b5";
      const label = step >= 1e9 ? `${Math.round(t / 1e9)} s` : step >= 1e6 ? `${(t / 1e9).toFixed(3)} s` : `${(t / 1e9).toFixed(6)} s`;
      if (t >= 0) context.fillText(label, x + 3, 11);
    }
    context.fillStyle = "#24303c";
    context.fillRect(0, AXIS - 1, width, 1);
  }

  /** The second capture over the first, two pixels lower, and where they differ. */
  drawOverlay(row) {
    const { context, overlay, history, endNs } = this;
    if (row.kind === "input" || row.kind === "output" || row.kind === "analogue") {
      this.history = overlay.history;
      this.endNs = endNs - overlay.shiftNs;
      context.save();
      context.translate(0, 2);
      if (row.kind === "analogue") this.drawValues(row, COLOURS.second);
      else this.drawLevels(row, COLOURS.second);
      context.restore();
      this.history = history;
      this.endNs = endNs;
    }
    this.drawSpans(overlay.spans[row.name] ?? [], row.y + 1, row.height - 3);
    context.fillStyle = COLOURS.differs;
    for (const { line, first_ns: first, second_ns: second } of overlay.listed) {
      if (line !== row.name || first === null || second === null || first === second) continue;
      const [from, to] = [this.x(Math.min(first, second)), this.x(Math.max(first, second))];
      if (to >= 0 && from <= this.width) context.fillRect(from, row.y + row.height / 2 - 1, Math.max(1, to - from), 2);
    }
  }

  /** Where captures differ, each at least a pixel wide. */
  drawSpans(spans, top, height) {
    const { context } = this;
    context.save();
    context.globalAlpha = 0.4;
    context.fillStyle = COLOURS.differs;
    for (const [from, to] of spans) {
      if (to < this.startNs) continue;
      if (from > this.endNs) break;
      const x = this.x(from);
      context.fillRect(x - 1, top, Math.max(2, this.x(to) - x), height);
    }
    context.restore();
  }

  /** Verdicts have no row: those that differ are marked on the axis. */
  drawVerdictsDiffer() {
    this.drawSpans(this.overlay.spans[""] ?? [], 0, this.height);
  }

  drawLevels(row, colour = row.kind === "output" ? COLOURS.output : COLOURS.input) {
    const line = this.history.lines.get(row.name);
    if (!line) return;
    const { context, width } = this;
    const { ring } = line;
    const top = row.y + 6;
    const bottom = row.y + row.height - 7;
    let index = Math.max(0, ring.lastBefore(this.startNs));
    if (!ring.length) return;
    const dense = new Map();
    context.strokeStyle = colour;
    context.lineWidth = 1.4;
    context.beginPath();
    let level = null;
    let pen = 0;
    const y = (value) => (value ? top : bottom);
    const limit = Math.min(this.endNs, this.history.endNs);
    for (; index < ring.length; index += 1) {
      const at = ring.at(index);
      if (ring.from[at] > limit) break;
      const x = Math.max(0, this.x(ring.from[at]));
      if (level !== null && x > pen) {
        context.moveTo(pen, y(level));
        context.lineTo(x, y(level));
      }
      if (ring.count[at] > 1) {
        const until = Math.max(x + 1, this.x(ring.to[at]));
        if (until >= 0) this.drawBusy(x, until, top, bottom, ring.count[at], colour);
        pen = Math.max(0, until);
      } else {
        if (level !== null && level !== ring.level[at] && x >= 0) {
          const column = Math.floor(x);
          dense.set(column, (dense.get(column) ?? 0) + 1);
        }
        pen = x;
      }
      level = ring.level[at];
    }
    if (level !== null) {
      const end = Math.min(width, this.x(limit));
      if (end > pen) {
        context.moveTo(pen, y(level));
        context.lineTo(end, y(level));
      }
    }
    context.stroke();
    for (const [column, count] of dense) {
      context.fillStyle = colour;
      context.globalAlpha = Math.min(1, 0.55 + count * 0.12);
      context.fillRect(column, top, count > 1 ? 1.6 : 1.2, bottom - top + 1);
    }
    context.globalAlpha = 1;
    this.drawLosses(row, line, top, bottom);
  }

  drawBusy(from, until, top, bottom, count, colour) {
    const { context } = this;
    context.save();
    context.globalAlpha = 0.35;
    context.fillStyle = colour;
    context.fillRect(from, top, until - from, bottom - top + 1);
    context.restore();
    if (until - from > 46) {
      context.fillStyle = "#e8eef4";
      context.font = "10px ui-monospace, DejaVu Sans Mono, monospace";
      context.fillText(word("edges", { n: count }), from + 3, (top + bottom) / 2);
    }
  }

  drawLosses(row, line, top, bottom) {
    const { context } = this;
    for (const [t, cause] of line.lost) {
      if (t < this.startNs || t > this.endNs) continue;
      const x = this.x(t);
      context.fillStyle = "#ff6b6b";
      context.fillRect(x - 1, top - 2, 2, bottom - top + 4);
      context.font = "10px ui-monospace, DejaVu Sans Mono, monospace";
      context.fillText(cause, x + 4, (top + bottom) / 2);
    }
  }

  drawValues(row, colour = COLOURS.analogue) {
    const line = this.history.lines.get(row.name);
    if (!line?.values.length) return;
    const { context } = this;
    const { values } = line;
    let first = lowerBound(values, this.startNs) - 1;
    first = Math.max(0, first);
    let least = Infinity;
    let greatest = -Infinity;
    let last = first;
    for (; last < values.length && values[last][0] <= this.endNs; last += 1) {
      least = Math.min(least, values[last][1]);
      greatest = Math.max(greatest, values[last][2]);
    }
    const spread = Math.max(greatest - least, 0.1);
    const middle = (greatest + least) / 2;
    const y = (value) => row.y + row.height / 2 - ((value - middle) / spread) * (row.height - 14);
    context.strokeStyle = colour;
    context.lineWidth = 1.2;
    context.beginPath();
    let column = -1;
    for (let index = first; index < last; index += 1) {
      const x = this.x(values[index][0]);
      if (Math.floor(x) === column) continue;
      column = Math.floor(x);
      if (index === first) context.moveTo(x, y(values[index][3]));
      context.lineTo(x, y(values[index][3]));
      if (values[index][1] !== values[index][2]) {
        context.moveTo(x, y(values[index][1]));
        context.lineTo(x, y(values[index][2]));
      }
    }
    context.stroke();
    if (Number.isFinite(least)) {
      context.fillStyle = "#7fa6c6";
      context.font = "10px ui-monospace, DejaVu Sans Mono, monospace";
      context.fillText(`${greatest.toFixed(2)}`, 3, row.y + 8);
      context.fillText(`${least.toFixed(2)}`, 3, row.y + row.height - 9);
    }
  }

  drawFrames(row) {
    const frames = this.history.lines.get(row.name)?.frames ?? [];
    this.drawBoxes(row, frames.map(([t, text]) => [t, text]), COLOURS[row.kind] ?? COLOURS.link);
    const line = this.history.lines.get(row.name);
    if (line) this.drawLosses(row, line, row.y + 5, row.y + row.height - 6);
  }

  drawNotes(row) {
    const notes = this.history.notes.get(row.device) ?? [];
    this.drawBoxes(row, notes.map((note) => [note.t_ns, note.what + (note.detail ? ` ${note.detail}` : "")]), COLOURS.notes);
  }

  /** A flag for each text, cut off where the next one begins. */
  drawBoxes(row, texts, colour) {
    const { context, width } = this;
    const top = row.y + 4;
    const height = row.height - 9;
    context.font = "10.5px ui-monospace, DejaVu Sans Mono, monospace";
    let index = lowerBound(texts, this.startNs - this.lengthNs);
    let hidden = -1;
    for (; index < texts.length; index += 1) {
      const [t, text] = texts[index];
      if (t > this.endNs) break;
      const x = this.x(t);
      const next = index + 1 < texts.length ? this.x(texts[index + 1][0]) : width;
      if (Math.min(next, width) < 0) continue;
      const column = Math.floor(x);
      if (column === hidden) continue;
      hidden = column;
      const right = Math.min(next - 2, x + context.measureText(text).width + 10, width);
      context.fillStyle = colour;
      context.globalAlpha = 0.16;
      if (right > x) context.fillRect(x, top, right - x, height);
      context.globalAlpha = 1;
      context.fillRect(x, top, 1.5, height);
      if (right - x > 14) {
        context.save();
        context.beginPath();
        context.rect(x, top, right - x, height);
        context.clip();
        context.fillStyle = "#e8eef4";
        context.fillText(text, x + 5, top + height / 2 + 0.5);
        context.restore();
      }
    }
  }

  drawDeciding(edge) {
    const row = this.rows.find((one) => one.name === edge.line);
    const x = this.x(edge.t_ns);
    if (!row || x < -10 || x > this.width + 10) return;
    const { context } = this;
    context.strokeStyle = "#ff6b6b";
    context.lineWidth = 2;
    context.strokeRect(x - 6, row.y + 2, 12, row.height - 5);
    context.fillStyle = "#ff6b6b";
    context.beginPath();
    context.moveTo(x, row.y + 3);
    context.lineTo(x - 5, row.y - 5);
    context.lineTo(x + 5, row.y - 5);
    context.fill();
  }

  drawMark(t, label, colour) {
    if (t === null || t < this.startNs || t > this.endNs) return;
    const { context } = this;
    const x = Math.round(this.x(t)) + 0.5;
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, label ? 4 : AXIS);
    context.lineTo(x, this.height);
    context.stroke();
    if (label) {
      context.fillStyle = colour;
      context.font = "bold 11px ui-monospace, DejaVu Sans Mono, monospace";
      context.fillText(label, x + 3, 11);
    }
  }
}

function lowerBound(list, t) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][0] < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
