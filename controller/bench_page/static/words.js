// Small helpers of the bench: numbers in words, and text that changes only where it must.

export const byId = (id) => document.getElementById(id);

/** Sets text only where it changed: a screen reader hears of nothing else. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A duration in a unit that suits it. */
export function duration(ns) {
  const size = Math.abs(ns);
  if (size < 1e3) return `${ns} ns`;
  if (size < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  if (size < 1e9) return `${(ns / 1e6).toFixed(size < 1e7 ? 3 : 2)} ms`;
  return `${(ns / 1e9).toFixed(3)} s`;
}

/** A rate in hertz in few characters. */
export function rate(hz) {
  if (!hz) return "–";
  if (hz < 10) return `${hz.toFixed(2)}/s`;
  if (hz < 1000) return `${hz.toFixed(0)}/s`;
  return `${(hz / 1000).toFixed(1)} k/s`;
}

/** A time of the table in seconds. */
export const seconds = (ns) => `${(ns / 1e9).toFixed(3)}`;
