// How old what a page shows is at most, though neither clock is trusted to agree with the other.
//
// The gateway repeats the page's own time of a message (`echo`) with the time of its own clock when it came (`heard`).
// It came after it was sent: at `heard` the page's clock showed `echo` or later. So `echo - heard` is a lower bound of
// what is to be added to a gateway's time, and makes every age an upper bound. The largest comes with the quickest way.
//
// All times are in milliseconds; the clocks of both sides never go back.

// A table is stale when what is shown of it was last true this long ago, however long it was on its way. Its heartbeat
// comes each second; a board has to show STALE within 3 s, of which a page's timer and its drawing take a tenth.
export const STALE_MS = 2700;

// Clocks of two computers drift apart: this much of the time since a bound was found is taken off it (ours; crystals are
// ten times better).
const DRIFT = 0.0005;

export class Age {
  #offset = -Infinity;
  #foundAt = 0;

  // Another connection: another gateway may be behind it, or the page's clock has slept.
  forget() {
    this.#offset = -Infinity;
  }

  // A batch that was made at `at` of the gateway's clock has come, at `now`.
  heard({ at, echo, heard }, now) {
    const known = this.#offset - (now - this.#foundAt) * DRIFT;
    // What was made cannot come before it was made: a bound that says so is wrong.
    const kept = at + known > now ? -Infinity : known;
    this.#offset = Math.min(Math.max(kept, echo - heard), now - at);
    this.#foundAt = now;
  }

  // The page's time of a moment of the gateway's clock, or earlier; -Infinity while nothing is known.
  ofMoment(at) {
    return at + this.#offset;
  }
}
