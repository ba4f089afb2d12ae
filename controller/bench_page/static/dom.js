// Elements made in code: text is always text, so nothing that a table names can become markup.

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a string child is text. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";

/** The same in SVG. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

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
