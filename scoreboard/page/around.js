// What is around the boards, and never on them: each part has an area of its own, from which the boards keep away.
//
//   notice             what a parameter of the address cannot do, and why
//   hall  | code       the boards; an address for phones
//   strip              the venue's own

import { h } from "./web/dom.js";

const AREAS = ["notice", "hall", "code", "strip"];
const RETRY_MS = 2000;
let styled = null;
let retry = null;

// A stylesheet that only some addresses need.
export function stylesheet(href) {
  return new Promise((done, failed) => {
    const onerror = () => {
      link.remove();
      failed(new Error(`${href} did not load`));
    };
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror });
    document.head.append(link);
  });
}

// Loads the styles of the areas; where that fails, the next one to ask tries again.
function style() {
  styled ??= stylesheet("around.css").catch((error) => {
    styled = null;
    throw error;
  });
  return styled;
}

// Puts an element into its area, in place of what is there; null empties the area.
export async function place(area, element) {
  await style();
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
  showNotices();
}

async function showNotices() {
  clearTimeout(retry);
  try {
    await place("notice", notices.size ? h("section", { role: "status" }, [...notices.values()].map((one) => h("p", {}, one))) : null);
  } catch (error) {
    console.warn("the notices are not shown yet:", error);
    retry = setTimeout(showNotices, RETRY_MS);
  }
}
