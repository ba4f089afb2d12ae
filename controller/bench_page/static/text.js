// Text of the bench: numbers in words, what the server says in a key or in English, and text that changes only where it
// must.

import { currentLanguage, t } from "./words.js";

export const byId = (id) => document.getElementById(id);

/** Sets text only where it changed: a screen reader hears of nothing else. */
export function setText(element, text) {
  const shown = `${text}`;
  if (element.textContent !== shown) element.textContent = shown;
}

/** Fills the elements of the page that have a word of their own. */
export function fillPage() {
  for (const element of document.querySelectorAll("[data-t]")) setText(element, t(element.dataset.t));
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
}

/** What the server says: a key, and what fills its places. */
export const sentence = ({ key, values }) => t(key, values);

const PLACES = ["n", "m", "k", "l", "i", "j"];
const templates = new Map();

/** A few words of a driver or a specification: in this language where it has them, otherwise as they are. */
export function phrase(text) {
  if (currentLanguage() === "en") return text;
  const values = {};
  let count = 0;
  const pattern = text.replace(/\d+(?:\.\d+)?/g, (digits) => {
    const place = PLACES[Math.min(count, PLACES.length - 1)];
    count += 1;
    values[place] = digits;
    return `{${place}}`;
  });
  if (count > PLACES.length) return text;
  const key = `phrase.${pattern}`;
  if (!templates.has(key)) {
    if (templates.size > 2000) templates.clear();
    templates.set(key, t(key) !== key);
  }
  return templates.get(key) ? t(key, values) : text;
}

/** The value of a device, whose parts its driver joins by commas. One word may mean another thing as a value. */
export function valueOf(text) {
  if (currentLanguage() === "en") return text;
  const own = t(`value.${text}`);
  if (own !== `value.${text}`) return own;
  const whole = phrase(text);
  return whole === text && text.includes(", ") ? text.split(", ").map(valueOf).join(", ") : whole;
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
