// Pieces that boards of several games share. Every color comes with a shape, a letter or a place of its own.

import { h } from "./web/dom.js";
import { t } from "./words.js";

const PIPS = {
  1: [[1, 1]],
  2: [[0, 0], [2, 2]],
  3: [[0, 0], [1, 1], [2, 2]],
  4: [[0, 0], [2, 0], [0, 2], [2, 2]],
  5: [[0, 0], [2, 0], [1, 1], [0, 2], [2, 2]],
  6: [[0, 0], [2, 0], [0, 1], [2, 1], [0, 2], [2, 2]],
};

export function die(value, className = "") {
  return h(
    "svg.die",
    { viewBox: "0 0 60 60", class: className, role: "img", "aria-label": t("die", { n: value }) },
    h("rect", { x: 1, y: 1, width: 58, height: 58, rx: 12, class: "die-face" }),
    (PIPS[value] ?? []).map(([x, y]) => h("circle", { cx: 15 + 15 * x, cy: 15 + 15 * y, r: 6, class: "pip" })),
  );
}

// A list of a result; of what a later version may have in its place, nothing.
export const listed = (values) => (Array.isArray(values) ? values.slice(0, 8) : []);

export const dice = (values, className = "") => h("span.dice", { class: className }, listed(values).map((value) => die(value)));

// A row of a share of all: label, bar, count. `shares` are [label, count, class].
export function shares(title, rows, all) {
  return h(
    "section.shares",
    { "data-key": title },
    rows.map(([label, count, kind]) =>
      h(
        `div.share.${kind}`,
        { "data-key": label },
        h("span.share-label", {}, label),
        h("span.share-bar", {}, h("i", { style: { width: `${all ? (100 * count) / all : 0}%` } })),
        h("span.share-count", {}, all ? `${Math.round((100 * count) / all)}%` : "–"),
      ),
    ),
  );
}

// The most and the least frequent of a list of [value, count].
export function extremes(counts, many) {
  const sorted = counts.map((entry, place) => [...entry, place]).sort((a, b) => b[1] - a[1] || a[2] - b[2]);
  const hot = sorted.slice(0, many);
  const cold = sorted.slice(many).slice(-many).reverse();
  return { hot, cold };
}

export function hotAndCold(counts, counted, chip, many = 4) {
  const { hot, cold } = extremes(counts, many);
  const row = (title, kind, entries) =>
    h(
      `div.heat.${kind}`,
      { "data-key": kind },
      h("h2.heat-title", {}, title),
      entries.map(([value, count]) =>
        h("span.heat-entry", { "data-key": String(value) }, chip(value), h("span.heat-count", {}, t("times", { n: count }))),
      ),
    );
  return [
    counted ? row(t("hot"), "hot", hot) : null,
    counted ? row(t("cold"), "cold", cold) : null,
  ];
}

// Over what the statistics count, and which way the last spin went.
export function windowOf(view, text) {
  const arrow = { clockwise: "↻", "counter-clockwise": "↺" }[view.direction];
  return h("p.window", {}, text, arrow ? h("span.spin", {}, ` · ${t("direction")} ${t(`direction.${view.direction}`)} ${arrow}`) : null);
}

// What moves: a ring that turns at its real speed, and the count that matters in its middle.
export function motion(view, { count, unit, rate, ball = false }) {
  const needed = view.minimum;
  const backward = (view.motion?.direction || "") === "counter-clockwise";
  return h(
    "div.motion",
    { "data-key": "motion" },
    h(
      "svg.motion-ring",
      { viewBox: "-50 -50 100 100", "aria-hidden": "true" },
      h("circle", { r: 46, class: "ring-track" }),
      needed && count !== null ? h("circle", { r: 46, class: "ring-done", pathLength: 1, "stroke-dasharray": `${Math.min(1, count / needed)} 1` }) : null,
    ),
    h(
      "svg.motion-ball",
      { viewBox: "-50 -50 100 100", "aria-hidden": "true", "data-turn": "", "data-rate": (backward ? -1 : 1) * (rate ?? 0) },
      ball
        ? h("circle", { cx: 0, cy: -46, r: 4, class: "ring-ball" })
        : Array.from({ length: 12 }, (_, at) => h("rect", { x: -0.7, y: -46, width: 1.4, height: 6, class: "ring-peg", transform: `rotate(${at * 30})` })),
    ),
    h(
      "div.motion-count",
      {},
      h("strong", {}, count === null ? "…" : Math.floor(count)),
      h("span", {}, unit),
      needed ? h("small", {}, t("laps.needed", { n: needed })) : null,
    ),
  );
}

// The last outcomes, newest first, each drawn by `entry`.
export function strip(view, entry, title = t("history", { n: 20 })) {
  return h(
    "ol.strip",
    { "aria-label": title },
    view.outcomes.map((outcome, at) =>
      h(
        "li",
        { class: [at === 0 ? "newest" : "", outcome.corrected ? "fixed" : ""].join(" ").trim() || null, "data-key": `r${outcome.round}`, "data-round": outcome.round },
        entry(outcome.result, at),
        outcome.corrected ? h("span.fixed-mark", { title: t("corrected.short") }, h("span.spoken", {}, t("corrected.short"))) : null,
      ),
    ),
  );
}

const SUITS = {
  s: "M10 1C6 6 2 8.500 2 12.200a3.600 3.600 0 0 0 6.700 1.800L7.500 19h5l-1.200-5a3.600 3.600 0 0 0 6.700-1.800C18 8.500 14 6 10 1z",
  h: "M10 18C5 13.500 1.500 10.500 1.500 6.600A4.300 4.300 0 0 1 10 5a4.300 4.300 0 0 1 8.500 1.600C18.500 10.500 15 13.500 10 18z",
  d: "M10 1l6.500 9L10 19 3.500 10z",
  c: "M10 1.500a4 4 0 0 1 3 6.600A4 4 0 1 1 11.300 14l1.200 5h-5l1.200-5A4 4 0 1 1 7 8.100a4 4 0 0 1 3-6.600z",
};

export function card(given) {
  const text = String(given).slice(0, 3);
  const rank = text.slice(0, -1).replace("T", "10");
  const suit = text.slice(-1);
  return h(
    `span.card.suit-${suit in SUITS ? suit : "x"}`,
    { "data-key": text, role: "img", "aria-label": `${rank}${{ s: "♠", h: "♥", d: "♦", c: "♣" }[suit] ?? suit}` },
    h("b", {}, rank),
    SUITS[suit] ? h("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, h("path", { d: SUITS[suit] })) : null,
  );
}
