// Which tables have changed before the eyes of whoever looks: a change is heard and celebrated, and what was so at the
// start, while a table was stale, or on another page of a hall is neither.

export class LiveChanges {
  #known = new Map(); // key -> {state, stale, resulted: the round of its last result, celebrated}

  // The tables, as [key, code, round], of which `drawn` has the keys of those on the screen. Gives the keys of those whose
  // state has changed since the last call, and of those whose result is celebrated: a new one that has been on the screen
  // ever since.
  look(tables, drawn) {
    const changed = new Set();
    const celebrated = new Set();
    const now = new Map();
    for (const [key, code, round] of tables) {
      const state = `${code} ${round}`;
      const before = this.#known.get(key);
      const isResult = code === "result";
      const isOld = isResult && before?.resulted === round; // As after a fault between.
      const isChange = before !== undefined && before.state !== state && !before.stale && !isOld;
      const isCelebrated = isResult && drawn.has(key) && (isChange || (before?.celebrated === true && before.state === state));
      if (isChange) changed.add(key);
      if (isCelebrated) celebrated.add(key);
      now.set(key, { state, stale: code === "stale", resulted: isResult ? round : before?.resulted, celebrated: isCelebrated });
    }
    this.#known = now;
    return { changed, celebrated };
  }
}
