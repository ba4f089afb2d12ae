// Sic bo: three dice, the total, the areas that are lit, and the last totals.

import { h } from "../web/dom.js";
import { dice, die, listed, motion, strip } from "../parts.js";
import { changed, t } from "../words.js";

const sorted = (values) => listed(values).sort((a, b) => a - b);
const isTriple = ({ dice: values }) => listed(values).every((value, _, all) => value === all[0]);
const kindOf = (result) => (isTriple(result) ? "triple" : result.total <= 10 ? "small" : "big");

export const say = (result) => `${sorted(result.dice).join(" ")} = ${result.total} ${t(kindOf(result))}`;

export function hero(result) {
  return h(
    "div.rolled",
    { "data-key": sorted(result.dice).join("") },
    dice(sorted(result.dice), "large"),
    h("span.rolled-total", {}, h("strong.giant.medium", {}, result.total), h(`span.tag.${kindOf(result)}`, {}, t(kindOf(result)))),
  );
}

export function moving(view) {
  const count = view.motion?.shakes ?? null;
  return motion(view, { count, unit: t("shakes"), rate: count === null ? 0 : 0.5 });
}

// The areas of a layout, by the names that the feed has for their wagers; those that win are lit.
export function panel(view) {
  const lit = new Set(view.winning.map(([bet]) => bet));
  const odds = new Map(view.winning);
  const area = (bet, label, kind = "") =>
    h("span.area", { class: `${kind}${lit.has(bet) ? " lit" : ""}`, "data-key": bet, "data-bet": bet, "aria-current": lit.has(bet) ? "true" : null }, label, lit.has(bet) ? h("small", {}, odds.get(bet).replace(" to ", ":").replace(":", " to ")) : null);
  const faces = [1, 2, 3, 4, 5, 6];
  const pairs = faces.flatMap((low) => faces.filter((high) => high > low).map((high) => [low, high]));
  return h(
    "div.areas",
    { "aria-label": t("bets"), role: "group" },
    h("div.area-row.edge", {}, area("small", t("small"), "wide"), faces.map((value) => area(`two of a kind ${value}`, [die(value), die(value)])), area("big", t("big"), "wide")),
    h("div.area-row.edge", {}, area("any three of a kind", t("any_triple"), "wide"), faces.map((value) => area(`three of a kind ${value}`, [die(value), die(value), die(value)], "three"))),
    h("div.area-row", {}, [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17].map((total) => area(`total value of ${total}`, h("b", {}, total)))),
    h("div.area-row", {}, pairs.map(([low, high]) => area(`two dice ${low}-${high}`, [die(low), die(high)], "pair"))),
    h("div.area-row", {}, faces.map((value) => area(`one of a kind ${value}`, die(value)))),
  );
}

export function history(view) {
  return strip(view, (result) =>
    h("span.roll", { "aria-label": say(result), role: "img" }, h("b", {}, result.total), h(`span.letter.${kindOf(result)}`, {}, changed(t(kindOf(result)), (kind) => kind.slice(0, 1))), dice(sorted(result.dice), "mini")),
  );
}
