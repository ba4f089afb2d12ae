// A game without a board of its own: its last results as the feed has them.

import { h } from "../web/dom.js";
import { row } from "../cards.js";
import { strip } from "../parts.js";
import { short, t } from "../words.js";

export function say(result) {
  return short(Object.entries(result)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${plain(value)}`)
    .join(", "), 90);
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain).join(" ");
  if (value && typeof value === "object") return Object.values(value).map(plain).join(" ");
  return String(value);
}

// What a spectator reads first: what was won.
const award = (result) => result.awarded ?? result.paid ?? result.pays ?? result.total ?? Object.values(result)[0];

// The cards of a result, wherever they are in it.
function cardsOf(value, depth = 0) {
  if (Array.isArray(value) && value.length && value.every((one) => /^[2-9TJQKA][shdc]$/.test(one))) return value.slice(0, 7);
  if (depth > 2 || !value || typeof value !== "object") return null;
  for (const inner of Object.values(value)) {
    const found = cardsOf(inner, depth + 1);
    if (found) return found;
  }
  return null;
}

export function hero(result) {
  const cards = cardsOf(result);
  if (cards) return h("div.rolled", { "data-key": cards.join("") }, row({ cards }));
  const text = short(plain(award(result) ?? ""), 12);
  return h("div.plate.plain-plate", { "data-key": say(result) }, h("strong.giant", { class: `long${Math.min(7, text.length)}` }, text), h("span.kinds", {}, h("span", {}, say(result))));
}

export function moving() {
  return h("div.motion.plain", { "data-key": "motion" }, h("span.motion-word", {}, t("spinning")));
}

export function panel(view) {
  return [
    h("h2.heat-title", {}, t("history", { n: 8 })),
    h("ol.awards", {}, view.outcomes.slice(0, 8).map((outcome) => h("li", { "data-key": `a${outcome.round}` }, h("span", {}, t("round", { n: outcome.round })), h("b", {}, say(outcome.result))))),
  ];
}

export function history(view) {
  return strip(view, (result) => h("span.roll", { "aria-label": say(result), role: "img" }, h("b", {}, short(plain(award(result) ?? ""), 8))));
}
