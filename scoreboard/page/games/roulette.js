// Roulette: the number in its color, hot and cold, colors and halves, and the last twenty on three lanes.

import { h } from "../web/dom.js";
import { hotAndCold, motion, shares, strip, windowOf } from "../parts.js";
import { named, number, short, t } from "../words.js";

const RED = new Set([1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);

const isZero = (pocket) => /^0+$/.test(pocket);
// By house rules a pocket has the colour that it has shown; of one that never came it is not known.
function colorOf(pocket, { details }) {
  if (isZero(pocket)) return "green";
  return details.colors ? (details.colors[pocket] ?? "plain") : RED.has(Number(pocket)) ? "red" : "black";
}
const half = ({ details }) => (details.numbers ?? 36) / 2;
// The halves of a house's own wheel; none where its numbers cannot be halved.
function halvesOf(view) {
  const { numbers } = view.details;
  if (numbers === undefined) return [t("low"), t("high")];
  return numbers % 2 ? null : [`1–${numbers / 2}`, `${numbers / 2 + 1}–${numbers}`];
}

const pocketOf = (result) => short(result.pocket, 4);

export const say = (result) => `${pocketOf(result)} ${named("color", result.color)}`;

function kinds({ pocket, color }, view) {
  if (color === "green") return [t("color.green")];
  const value = Number(pocket);
  const halves = halvesOf(view);
  return [named("color", color), t(value % 2 ? "odd" : "even"), ...(halves ? [halves[value > half(view) ? 1 : 0]] : [])];
}

export function hero(result, view) {
  return h(
    `div.plate.${result.color}`,
    { "data-key": `p${result.pocket}` },
    h("strong.giant", { class: `long${Math.min(7, pocketOf(result).length)}` }, pocketOf(result)),
    h("span.kinds", {}, kinds(result, view).map((word) => h("span", {}, word))),
  );
}

export function moving(view) {
  const lap = view.motion?.lap_s;
  return motion(view, {
    count: view.motion?.revolutions ?? null,
    unit: lap ? t("lap", { n: number(lap) }) : t("laps"),
    rate: lap ? 1 / lap : 0,
    ball: true,
  });
}

export function panel(view) {
  const pockets = view.statistics.pocket ?? [];
  const all = view.counted;
  const sum = (wanted) => pockets.reduce((total, [pocket, count]) => total + (wanted(pocket, colorOf(pocket, view)) ? count : 0), 0);
  const chip = (pocket) => h(`span.chip.${colorOf(pocket, view)}`, {}, h("span", {}, short(pocket, 4)));
  const names = halvesOf(view);
  const halves = (wanted) => sum((pocket, color) => color !== "green" && wanted(Number(pocket)));
  return [
    h(
      "div.heats",
      {},
      hotAndCold(pockets, all, chip),
      windowOf(view, t("window", { n: all, expected: number(all / Math.max(1, pockets.length)) })),
    ),
    h(
      "div.share-groups",
      {},
      shares("colors", [[t("color.red"), sum((_, color) => color === "red"), "red"], [t("color.black"), sum((_, color) => color === "black"), "black"], [t("zero"), sum((_, color) => color === "green"), "green"]], all),
      names && shares("halves", [[names[0], halves((value) => value <= half(view)), "plain"], [names[1], halves((value) => value > half(view)), "plain"]], all),
      shares("parity", [[t("even"), halves((value) => value % 2 === 0), "plain"], [t("odd"), halves((value) => value % 2 === 1), "plain"]], all),
    ),
  ];
}

export function history(view) {
  return h(
    "div.lanes",
    {},
    h("div.lane-names", { "aria-hidden": "true" }, h("span", {}, t("color.red")), h("span", {}, t("zero")), h("span", {}, t("color.black"))),
    strip(view, (result, at) => h(`span.lane-chip.${result.color}`, { "aria-label": say(result), role: "img", style: { "--column": at + 1 } }, h("span", {}, pocketOf(result)))),
  );
}
