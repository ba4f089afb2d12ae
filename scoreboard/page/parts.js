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

// From as many on shares are shown as percentages (ours): of fewer, one result more or less changes a share by more than
// five percentage points.
export const LEAST_SHARED = 20;

// A share of `all`: its bar, and its percentage rounded by itself, so that equal counts have equal ones; of few only how
// many they are.
export function share(count, all) {
  const many = all >= LEAST_SHARED;
  const percent = (100 * count) / all;
  return [
    h("span.share-bar", {}, many ? h("i", { style: { width: `${percent}%` } }) : null),
    h("span.share-count", {}, many ? `${Math.round(percent)}%` : all ? t("times", { n: count }) : "–"),
  ];
}

// Shares of all in rows; `rows` are [label, count, class].
export const shares = (title, rows, all) =>
  h("section.shares", { "data-key": title }, rows.map(([label, count, kind]) => h(`div.share.${kind}`, { "data-key": label }, h("span.share-label", {}, label), share(count, all))));

// What the statistics count, and of few results from how many on there are percentages. `shown`: of how many results.
export function shareWindow({ counted }, shown = counted) {
  const line = shown === counted ? t("window.plain", { n: counted }) : t("window.shown", { n: shown, results: counted });
  return [line, shown < LEAST_SHARED ? [" · ", t(shown === counted ? "few.shares" : "few.shown", { n: LEAST_SHARED })] : null];
}

// The same of counts of hands, of which a result may have several.
export const handWindow = ({ counted }, hands) => (hands === counted ? t("window.plain", { n: counted }) : t("window.hands", { n: hands, results: counted }));

// Ranks of [value, count] that came more often than expected, or less: of equal counts all are shown, or how many they are.
function ranks(counts, expected, sign, many) {
  const equal = new Map();
  for (const [value, count] of counts) if (sign * (count - expected) > 0) equal.set(count, [...(equal.get(count) ?? []), value]);
  const entries = [];
  for (const [count, values] of [...equal].sort(([a], [b]) => sign * (b - a))) {
    if (entries.length + values.length > many) {
      if (entries.length < many) entries.push({ tied: values.length, count });
      break;
    }
    entries.push(...values.map((value) => ({ value, count })));
  }
  return entries;
}

// The values that came most often and least often, once as many results are counted as there are values.
export function hotAndCold(counts, counted, chip, many = 4) {
  if (!counted) return [];
  if (counted < counts.length) return [h("p.window.few", {}, t("few", { n: counts.length }))];
  const expected = counted / counts.length;
  const row = (title, kind, entries) =>
    h(
      `div.heat.${kind}`,
      { "data-key": kind },
      h("h2.heat-title", {}, title),
      entries.map(({ value, tied, count }) =>
        h(
          "span.heat-entry",
          { "data-key": tied ? `tied${count}` : String(value) },
          tied ? h("span.heat-tied", {}, t("tied", { n: tied })) : chip(value),
          h("span.heat-count", {}, t("times", { n: count })),
        ),
      ),
    );
  return [row(t("hot"), "hot", ranks(counts, expected, 1, many)), row(t("cold"), "cold", ranks(counts, expected, -1, many))];
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

// The last outcomes, newest first, each drawn by `entry`. A frame is only for the round being paid.
export function strip(view, entry, title = t("history", { n: 20 })) {
  const isPaid = (at, outcome) => at === 0 && outcome.round === view.current?.round;
  return h(
    "ol.strip",
    { "aria-label": title },
    view.outcomes.map((outcome, at) =>
      h(
        "li",
        { class: [isPaid(at, outcome) ? "paid" : "", outcome.corrected ? "fixed" : ""].join(" ").trim() || null, "data-key": `r${outcome.round}`, "data-round": outcome.round },
        entry(outcome.result, at),
        outcome.corrected ? h("span.fixed-mark", { title: t("corrected.short") }, h("span.spoken", {}, t("corrected.short"))) : null,
      ),
    ),
  );
}
