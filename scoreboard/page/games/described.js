// A game that this page does not know, by the data that its table publishes of it (docs/plugins.md): names of fields,
// colors of a fixed list, and words. Nothing of it is run, and all of it is shown as text.

import { h } from "../web/dom.js";
import { listed, motion, shares, shareWindow, strip, windowOf } from "../parts.js";
import { number, short, t, worded } from "../words.js";

const COLORS = new Set(["plain", "red", "black", "green", "gold", "blue", "white"]);

// A word of the game in the language of the page; in English where that lacks it, which is marked; otherwise as the feed has it.
const word = (view, value) => worded(view.view.words, value);

const colorOf = (view, value) => {
  const color = view.view.colors?.[value];
  return COLORS.has(color) ? color : "plain";
};

const shown = (text) => short(text, 40);

const heroOf = (result, view) => result?.[view.view.hero];

export const nameOf = (view) => shown(word(view, "game"));

export function say(result, view) {
  return short([view.view.hero, ...listed(view.view.captions)].map((field) => word(view, result?.[field])).join(" "), 90);
}

export function hero(result, view) {
  const value = heroOf(result, view);
  const text = short(word(view, value), 12);
  return h(
    `div.plate.described-${colorOf(view, value)}`,
    { "data-key": say(result, view) },
    h("strong.giant", { class: `long${Math.min(7, text.length)}` }, text),
    h("span.kinds", {}, listed(view.view.captions).map((field) => h("span", {}, shown(word(view, field)), " ", shown(word(view, result?.[field]))))),
  );
}

export function moving(view) {
  const measured = view.view.measure ? view.motion?.[view.view.measure] : undefined;
  const rpm = view.motion?.rpm;
  if (measured === undefined) return h("div.motion.plain", { "data-key": "motion" }, h("span.motion-word", {}, t("spinning")));
  const unit = { revolutions: "turns", inversions: "tumbles", shakes: "shakes" }[view.view.measure] ?? "turns";
  return motion(view, { count: measured, unit: rpm ? t("rpm", { n: number(rpm) }) : t(unit), rate: rpm ? rpm / 60 : 0 });
}

export function panel(view) {
  const counts = view.statistics[view.view.counts] ?? [];
  const rows = counts.slice(0, 24).map(([value, count]) => [short(word(view, value), 12), count, `described-${colorOf(view, value)}`]);
  return [
    rows.length ? h("div.share-groups.one", { class: rows.length > 8 ? "many" : "" }, shares("counts", rows, view.counted)) : null,
    windowOf(view, shareWindow(view)),
  ];
}

export function history(view) {
  return strip(view, (result) => {
    const value = heroOf(result, view);
    return h(`span.face.described-${colorOf(view, value)}`, { "aria-label": say(result, view), role: "img" }, short(word(view, value), 7));
  });
}
