// Red dog: the first two cards with the third one between them, their spread, what it pays, and the last twenty.

import { h } from "../web/dom.js";
import { bars, cardsOf, columns, mark, oddsWords, row, small, tags } from "../cards.js";
import { shareWindow, strip } from "../parts.js";
import { named, short, t } from "../words.js";

const SPREADS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const ODDS_OF = "wager";

const endOf = ({ wins }) => (wins === true ? "won" : wins === false ? "lost" : "tied");
const kindWords = ({ kind, spread }) => (kind === "spread" ? t("spread", { n: short(spread, 3) }) : named("kind", kind));
const isBetween = ({ kind, wins }) => kind === "spread" && wins;

// Where the third card falls, and who wins.
const thirdWords = (result) => (result.kind === "spread" ? t(isBetween(result) ? "between" : "outside") : "");
const endWords = (result) => named("end", endOf(result));

export const say = (result) => `${kindWords(result)} · ${endWords(result)}`;

// The third card in the middle, where it falls between the others or does not.
function boxes(cards, waits) {
  const [first, second, third] = cardsOf(cards);
  const box = (words, given, key) => h("div.box", { "data-key": key }, row(given ? { cards: [given] } : { places: 1 }), h("span.box-name", {}, words));
  return h(
    "div.boxes",
    { "data-key": "boxes" },
    box(t("card.first"), first, "first"),
    third || waits ? box(t("card.third"), third, "third") : null,
    box(t("card.second"), second, "second"),
  );
}

export function hero(result, view) {
  const end = endOf(result);
  const odds = view.current?.result === result ? view.winning.find(([bet]) => bet === ODDS_OF)?.[1] : "";
  return h(
    "div.red-dog",
    { "data-key": "red-dog" },
    boxes(result.cards, false),
    tags([["spread-tag", kindWords(result)], [`end.${end}`, [mark(end), h("span", {}, endWords(result))]]]),
    h("span.solo-line", {}, [thirdWords(result), odds ? t("pays", { odds: oddsWords(odds) }) : ""].filter(Boolean).join(" · ")),
  );
}

export function moving(view) {
  const { cards = [], spread, announce } = view.motion ?? {};
  const kind = spread ? t("spread", { n: short(spread, 3) }) : announce ? t("kind.pair") : "";
  return h("div.red-dog", { "data-key": "red-dog" }, boxes(cards, true), tags([kind && ["spread-tag", kind], ["dealing", t("dealing")]]));
}

export function panel(view) {
  const { won = 0, lost = 0, tied = 0 } = view.details.came ?? {};
  const spreads = new Map(view.statistics.spread ?? []);
  const rows = [["won", won], ["lost", lost], ["tied", tied]].map(([end, count]) => [mark(end), named("end", end), count]);
  return [
    bars("", rows),
    columns(t("spreads"), SPREADS.map((spread) => [String(spread), spreads.get(spread) ?? 0, ""]), shareWindow(view, won + lost + tied)),
  ];
}

export function history(view) {
  return h(
    "div.wide-strip",
    {},
    strip(view, (result) => {
      const [first, second, third] = cardsOf(result.cards);
      return h(
        `span.roll.hand-roll.is-${endOf(result)}`,
        { "aria-label": say(result), role: "img" },
        [first, second].filter(Boolean).map((one, at) => small(one, at, { suit: false })),
        third ? h("span.third-card", {}, small(third, 2, { suit: false })) : null,
        mark(endOf(result)),
      );
    }),
  );
}
