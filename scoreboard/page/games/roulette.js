// Roulette: the number in its color, hot and cold, colors and halves, and the last twenty on three lanes.

import { h } from "../web/dom.js";
import { hotAndCold, motion, shares, shareWindow, strip } from "../parts.js";
import { named, number, short, t } from "../words.js";

const RED = new Set([1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);

const isZero = (pocket) => /^0+$/.test(pocket);
// By house rules a pocket has the color that it has shown; of one that never came it is not known.
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

const chipOf = (pocket, view) => h(`span.chip.${colorOf(pocket, view)}`, {}, h("span", {}, short(pocket, 4)));

// What is counted, in views that are shown in turn: a board has no room for all at a size that is read from afar.
export function views(view) {
  const { figures } = view.details;
  const shown = [["numbers", t("view.numbers"), frequency(view)]];
  if (!figures) return shown;
  shown.push(["shares", t("view.shares"), colorsAndHalves(view, figures)]);
  if (figures.dozens) shown.push(["dozens", t("view.dozens"), dozens(view, figures)]);
  if (figures.neighbors || figures.spin) shown.push(["wheel", figures.neighbors ? t("neighbors", { n: short(view.outcomes[0].result.pocket, 4) }) : t("view.wheel"), wheel(view, figures)]);
  if (figures.sectors) shown.push(["sectors", t("view.sectors"), sectors(view, figures)]);
  shown.push(["runs", t("view.runs"), runs(view, figures)]);
  return shown;
}

function frequency(view) {
  const pockets = view.statistics.pocket ?? [];
  const { counted } = view;
  return h(
    "div.heats",
    {},
    hotAndCold(pockets, counted, (pocket) => chipOf(pocket, view)),
    h("p.window", {}, counted < pockets.length ? t("window.plain", { n: counted }) : t("window", { n: counted, expected: number(counted / Math.max(1, pockets.length)) })),
  );
}

const windowLine = (view) => h("p.window", {}, shareWindow(view));

function colorsAndHalves(view, { counted, colors, parity, halves }) {
  const names = halvesOf(view);
  return [
    h(
      "div.share-groups",
      {},
      shares("colors", [["red", t("color.red")], ["black", t("color.black")], ["green", t("zero")]].map(([color, word]) => [word, colors[color], color]), counted),
      names && halves ? shares("halves", names.map((name, at) => [name, halves[at], "plain"]), counted) : null,
      shares("parity", ["even", "odd"].map((name) => [t(name), parity[name], "plain"]), counted),
    ),
    windowLine(view),
  ];
}

function dozens(view, { counted, dozens: thirds, columns }) {
  const third = (view.details.numbers ?? 36) / thirds.length;
  const span = (at) => `${third * at + 1}–${third * (at + 1)}`;
  return [
    h(
      "div.share-groups.even",
      {},
      shares("dozens", thirds.map((count, at) => [span(at), count, "plain"]), counted),
      shares("columns", columns.map((count, at) => [t("column", { n: at + 1 }), count, "plain"]), counted),
    ),
    windowLine(view),
  ];
}

// The last number between those beside it on the wheel, and how the last spin ran.
function wheel(view, { neighbors, spin }) {
  return [neighbors ? around(view, neighbors) : null, spin ? lastSpin(spin) : null, windowLine(view)];
}

function around(view, neighbors) {
  const [middle] = neighbors[Math.floor(neighbors.length / 2)];
  const one = ([pocket, count]) => h(`li${pocket === middle ? ".middle-one" : ""}`, { "data-key": `n${pocket}` }, chipOf(pocket, view), h("span.heat-count", {}, t("times", { n: count })));
  return h("ol.neighbors", {}, neighbors.map(one));
}

// Those of a single-zero wheel, each with its share of the pockets.
function sectors(view, { counted, sectors: all }) {
  const pockets = all.reduce((sum, sector) => sum + sector.pockets, 0);
  const rows = all.map((sector) => [`${t(`sector.${sector.name}`)} · ${sector.pockets}/${pockets}`, sector.count, "plain"]);
  return [h("div.share-groups.one.sectors", {}, shares("sectors", rows, counted)), windowLine(view)];
}

// Equal results one after another. It describes: no run changes what comes next.
function runs(view, { counted, runs: all = [] }) {
  const names = halvesOf(view);
  const word = { red: t("color.red"), black: t("color.black"), even: t("even"), odd: t("odd"), low: names?.[0], high: names?.[1] };
  const title = { color: t("run.color"), parity: `${t("even")} / ${t("odd")}`, half: names?.join(" / ") };
  const times = ([value, length]) => `${word[value]} ${t("times", { n: length })}`;
  const cell = (kind, text) => h(`td.${kind}`, {}, text);
  return [
    h(
      "table.runs",
      {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span.spoken", {}, t("view.runs"))), h("th", { scope: "col" }, t("run.current")), h("th", { scope: "col" }, t("run.longest")))),
      h(
        "tbody",
        {},
        all
          .filter(({ kind }) => title[kind])
          .map(({ kind, current, longest }) => h("tr", { "data-key": kind }, h("th", { scope: "row" }, title[kind]), cell("current-run", current ? times(current) : "–"), cell("longest-run", longest.length ? longest.map(times).join(" · ") : "–"))),
      ),
    ),
    h("p.window", {}, t("window.plain", { n: counted }), " · ", t("run.note")),
  ];
}

const ARROWS = { clockwise: "↻", "counter-clockwise": "↺" };

function lastSpin({ round, ball, rotor, rotor_rpm: rpm }) {
  const turned = (name, direction, more = "") => (direction || more ? h("span", { "data-key": name }, h("b", {}, t(`spin.${name}`)), " ", direction ? `${t(`direction.${direction}`)} ${ARROWS[direction] ?? ""}` : "", more) : null);
  return h(
    "p.last-spin",
    { "data-key": "spin" },
    h("span.spin-title", {}, t("spin.last", { n: round })),
    turned("ball", ball),
    turned("rotor", rotor, rpm === undefined || rpm === null ? "" : ` ${t("rpm", { n: number(rpm) })}`),
  );
}

export function history(view) {
  return h(
    "div.lanes",
    {},
    h("div.lane-names", { "aria-hidden": "true" }, h("span", {}, t("color.red")), h("span", {}, t("zero")), h("span", {}, t("color.black"))),
    strip(view, (result, at) => h(`span.lane-chip.${result.color}`, { "aria-label": say(result), role: "img", style: { "--column": at + 1 } }, h("span", {}, pocketOf(result)))),
  );
}
