// The time of day, by the clock of the board's server: that of the browser, and its time zone, may be wrong.

import { h } from "./web/dom.js";
import { timeOfDay, t } from "./words.js";

const DAY_MS = 86_400_000;
// Of a server that has been silent for longer no time is shown: it may have been set meanwhile.
const KNOWN_MS = 5000;
const UNKNOWN = "–:–";

export class WallClock {
  #at = 0;
  #day = null;

  // A beat was made at `at` of the server's own clock, when its time of day was `day_ms`, in milliseconds since midnight.
  heard({ at, day_ms: day }) {
    this.#at = at;
    this.#day = Number.isFinite(day) ? day : null;
  }

  // The time of day at `now`, to the minute; null while none is known.
  read(age, now) {
    if (this.#day === null) return null;
    const passed = now - age.ofMoment(this.#at);
    return passed <= KNOWN_MS ? timeOfDay((this.#day + passed) % DAY_MS) : null;
  }
}

export function clockFace(text) {
  return text === null ? h("span.clock.unknown", { role: "img", "aria-label": t("clock.unknown"), "data-key": "clock" }, UNKNOWN) : h("time.clock", { "data-key": "clock" }, text);
}
