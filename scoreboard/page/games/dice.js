// Chuck-a-luck, under and over seven, beat the dealer: the dice and their totals.

import { h } from "../web/dom.js";
import { dice, listed, motion, shares, shareWindow, strip } from "../parts.js";
import { changed, named, short, t } from "../words.js";

const isDuel = (result) => Array.isArray(result.dealer_dice);
// By house rules the middle may be another total than seven: the bets that win name it.
const isUnderOver = (view) => view.game === "under_over" && !view.house_rules;
const side = (total) => (total < 7 ? "under" : total > 7 ? "over" : "seven");

export function say(result) {
  if (isDuel(result)) return `${t("dealer")} ${result.dealer_total}, ${t("player")} ${result.total}: ${named("winner", result.winner)}`;
  return `${listed(result.dice).join("+")} = ${result.total}`;
}

export function hero(result, view) {
  if (isDuel(result))
    return h(
      "div.duel",
      { "data-key": `${result.dealer_dice}${result.dice}` },
      ["dealer", "player"].map((who) =>
        h(
          `div.duel-side${result.winner === who ? ".wins" : ""}`,
          {},
          h("span.duel-name", {}, t(who)),
          dice(who === "dealer" ? result.dealer_dice : result.dice, "large"),
          h("strong.giant.medium", {}, who === "dealer" ? result.dealer_total : result.total),
        ),
      ),
      h("span.tag.winner", {}, named("winner", result.winner)),
    );
  return h(
    "div.rolled",
    { "data-key": listed(result.dice).join("") },
    dice(result.dice, "large"),
    h("span.rolled-total", {}, h("strong.giant.medium", {}, result.total), isUnderOver(view) ? h(`span.tag.${side(result.total)}`, {}, t(side(result.total))) : null),
  );
}

export function moving(view) {
  const { inversions, shakes, dice: tumbled, tumble, keyed } = view.motion ?? {};
  const turns = inversions ?? shakes;
  if (!turns && keyed?.length)
    return h("div.motion.plain", { "data-key": "motion" }, dice(keyed, "large"), h("span.motion-word", {}, tumble ? t(tumble) : t("rolling")));
  return h(
    "div.tumble",
    { "data-key": "tumble" },
    motion(view, { count: turns ?? null, unit: t(tumble || (shakes ? "shakes" : "tumbles")), rate: turns ? 0.5 : 0 }),
    tumbled ? h("div.duel-side", {}, h("span.duel-name", {}, t("dealer")), dice(tumbled, "large")) : null,
  );
}

export function panel(view) {
  const totals = view.statistics.total ?? [];
  const rows =
    isUnderOver(view)
      ? ["under", "seven", "over"].map((kind) => [t(kind), totals.reduce((sum, [total, count]) => sum + (side(total) === kind ? count : 0), 0), "plain"])
      : view.game === "beat_the_dealer"
        ? (view.statistics.winner ?? []).map(([who, count]) => [short(t(who), 10), count, "plain"])
        : totals.map(([total, count]) => [short(total, 8), count, "plain"]);
  return [
    h("div.share-groups.one", { class: rows.length > 8 ? "many" : "" }, shares("totals", rows, view.counted)),
    view.winning.length ? h("ul.wins", { "aria-label": t("bets") }, view.winning.slice(0, 6).map(([bet, odds]) => h("li", { "data-key": bet }, h("b", {}, bet), h("span", {}, odds)))) : null,
    h("p.window", {}, shareWindow(view)),
  ];
}

export function history(view) {
  return strip(view, (result) =>
    isDuel(result)
      ? h("span.roll", { "aria-label": say(result), role: "img" }, h("b.score", {}, `${result.dealer_total}–${result.total}`), h("small", {}, changed(t(result.winner), (winner) => winner.slice(0, 1))))
      : h("span.roll", { "aria-label": say(result), role: "img" }, h("b", {}, result.total), dice(result.dice, "mini")),
  );
}
