// What is around the boards, and never on them: each part has an area of its own, from which the boards keep away.
//
//   notice             what a parameter of the address cannot do, and why
//   hall  | code       the boards; an address for telephones
//   strip              the venue's own

import { h } from "./web/dom.js";

const AREAS = ["notice", "hall", "code", "strip"];
let styled = null;

// A stylesheet that only some addresses need.
export function stylesheet(href) {
  return new Promise((done, failed) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: () => failed(new Error(`${href} did not load`)) });
    document.head.append(link);
  });
}

// Puts an element into its area, in place of what is there; null empties the area.
export async function place(area, element) {
  await (styled ??= stylesheet("around.css"));
  document.querySelector(`body > .around.${area}`)?.remove();
  if (element) {
    element.classList.add("around", area);
    const later = AREAS.slice(AREAS.indexOf(area) + 1).map((one) => (one === "hall" ? "#hall" : `body > .around.${one}`));
    document.body.insertBefore(element, later.length ? document.querySelector(later.join(", ")) : null);
  }
  document.body.classList.toggle("framed", document.querySelector("body > .around") !== null);
  // The boards have another size.
  dispatchEvent(new Event("resize"));
}

const notices = new Map();

// A line above the boards; null takes it away. `key` is what it is about.
export function notice(key, text) {
  if (notices.get(key) === text || (text === null && !notices.has(key))) return;
  if (text === null) notices.delete(key);
  else notices.set(key, text);
  place("notice", notices.size ? h("section", { role: "status" }, [...notices.values()].map((one) => h("p", {}, one))) : null);
}
