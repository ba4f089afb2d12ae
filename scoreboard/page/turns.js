// What does not fit a screen at once is shown in turn: the views of a game's statistics, the pages of a hall. Each turn
// replaces one by the next at once; nothing moves.

// How long each is shown (ours), unless the address has `?turn=`.
export const TURN_MS = 10_000;
const SHORTEST_S = 2;

// The time of a turn, as an address asks for it: in seconds, or `off` for keys alone.
export function turnMs(asked) {
  if (asked === "off") return Infinity;
  const seconds = Number(asked);
  return seconds > 0 ? 1000 * Math.max(SHORTEST_S, seconds) : TURN_MS;
}

export class Turn {
  #ms;
  #at = 0;
  #since = null;

  constructor(ms) {
    this.#ms = ms;
  }

  // Whether the next one is due: once, however long nobody asked.
  tick(now) {
    this.#since ??= now;
    if (now - this.#since < this.#ms) return false;
    this.step(1, now);
    return true;
  }

  // Which of so many is shown.
  of(count) {
    return count ? ((this.#at % count) + count) % count : 0;
  }

  step(by, now) {
    this.#at += by;
    this.#since = now;
  }
}
