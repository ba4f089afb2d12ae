// Cards and hands, as every card game's board shows them. What the feed has not exposed is a back.

import { h } from "./web/dom.js";
import { share } from "./parts.js";
import { cents, named, number, short, t } from "./words.js";

const MOST = 12; // No hand has more.
const NO_BREAK = "\u00a0";

const SUITS = {
  s: "M10 1C6 6 2 8.500 2 12.200a3.600 3.600 0 0 0 6.700 1.800L7.500 19h5l-1.200-5a3.600 3.600 0 0 0 6.700-1.800C18 8.500 14 6 10 1z",
  h: "M10 18C5 13.500 1.500 10.500 1.500 6.600A4.300 4.300 0 0 1 10 5a4.300 4.300 0 0 1 8.500 1.600C18.500 10.500 15 13.500 10 18z",
  d: "M10 1l6.500 9L10 19 3.500 10z",
  c: "M10 1.500a4 4 0 0 1 3 6.600A4 4 0 1 1 11.300 14l1.200 5h-5l1.200-5A4 4 0 1 1 7 8.100a4 4 0 0 1 3-6.600z",
};
const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const STAR = "M10 1l2.600 5.900 6.400.6-4.800 4.300 1.400 6.300L10 14.800l-5.600 3.300 1.400-6.300L1 7.500l6.400-.6z";
const JOKER = "JK";

const drawn = (path) => h("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, h("path", { d: path }));

// The cards of a list; of what a later version may have in its place, nothing.
export const cardsOf = (values) => (Array.isArray(values) ? values.slice(0, MOST).map((one) => String(one).slice(0, 3)) : []);

// The sign of a joker.
export const star = () => drawn(STAR);

// A card in letters: `10♥`.
export const written = (text) => `${text.slice(0, -1).replace("T", "10")}${SIGNS[text.slice(-1)] ?? text.slice(-1)}`;

// A face. `at` is its place among its cards: two decks have two of the same.
export function card(given, at = 0) {
  const text = String(given).slice(0, 3);
  if (text === JOKER) return h("span.card.joker", { "data-key": `${at}${text}`, role: "img", "aria-label": t("card.joker") }, star());
  const rank = text.slice(0, -1).replace("T", "10");
  const suit = text.slice(-1);
  return h(
    `span.card.suit-${suit in SUITS ? suit : "x"}`,
    { "data-key": `${at}${text}`, role: "img", "aria-label": written(text) },
    h("b", {}, rank),
    SUITS[suit] ? drawn(SUITS[suit]) : null,
  );
}

// A card that is there and face down, or that nobody has read.
export const back = (at = 0) => h("span.card.back", { "data-key": `${at}back`, role: "img", "aria-label": t("card.back") });

// Where a card is to be laid.
const place = (at) => h("span.card.place", { "data-key": `${at}place`, "aria-hidden": "true" });

// Cards side by side, as large as their number allows: faces, then backs, then places; backs first where `first`.
export function row({ cards = [], backs = 0, places = 0, first = false, kind = "" }) {
  const faces = cardsOf(cards);
  const down = Array.from({ length: Math.max(0, Math.min(MOST, backs)) });
  const free = Array.from({ length: Math.max(0, Math.min(MOST, places)) });
  const before = first ? down.length : 0;
  const shown = [
    ...faces.map((one, at) => card(one, before + at)),
    ...free.map((_, at) => place(before + faces.length + at)),
  ];
  shown.splice(first ? 0 : faces.length, 0, ...down.map((_, at) => back(first ? at : faces.length + at)));
  return h("span.cards", { class: kind, style: { "--n": Math.max(1, shown.length) } }, shown);
}

const VALUES = { A: 1, T: 10, J: 10, Q: 10, K: 10 };

// What cards count, an ace as one; null where there is none, or one that is not known.
export function valuesOf(cards) {
  const values = cardsOf(cards).map((text) => (/^[2-9TJQKA][shdc]$/.test(text) ? (VALUES[text[0]] ?? Number(text[0])) : null));
  return values.length && !values.includes(null) ? values : null;
}

export const sumOf = (values) => values.reduce((sum, one) => sum + one, 0);

export function totalOf(total, soFar) {
  if (total === null) return null;
  const shown = h("strong.giant.medium", {}, total);
  return soFar ? h("span.so-far", {}, shown, h("small", {}, t("so_far"))) : shown;
}

// Tags of cards, as [kind, words]; empty ones are left out.
export function tags(all) {
  const shown = all.filter(Boolean);
  return shown.length ? h("span.tags", {}, shown.map(([kind, words]) => h(`span.tag.${kind}`, { "data-key": kind }, words))) : null;
}

// One hand alone in the hero: its name, its cards, its total beside them, and its tags and a line of words below.
// `soFar`: more cards may follow.
export function solo(name, cards, { total = null, soFar = false, tags: known = [], line = "", dealt = "", wins = false } = {}) {
  return h(
    "div.solo",
    { "data-key": "solo", class: wins ? "wins" : null },
    h("span.hand-name", {}, name),
    h("span.solo-cards", {}, cards, totalOf(total, soFar)),
    tags(known),
    line ? h("span.solo-line", {}, line) : null,
    dealt ? h("span.solo-line.dealt-line", {}, dealt) : null,
  );
}

// A small card of the last twenty: its rank, and its suit where that matters.
export function small(given, at, { suit = true } = {}) {
  const shown = card(given, at);
  shown.classList.add("small");
  if (!suit) shown.querySelector("b + svg")?.remove();
  return shown;
}

// How a result went for the players, by shape and color: it wins, it loses, or it is a tie.
const MARKS = { won: "M4 11l4.500 5L17 5", lost: "M4.500 4.500l11 11M15.500 4.500l-11 11", tied: "M4 7h12M4 13h12" };
export const mark = (kind) => h(`svg.mark.${kind}`, { viewBox: "0 0 20 20", "aria-hidden": "true" }, h("path", { d: MARKS[kind] }));

// How many cards of a round have left the shoe, of all that are dealt where that is known.
export const dealtWords = (dealt, all = 0) => (dealt ? (all >= dealt ? t("cards.dealt.of", { n: dealt, all }) : dealt === 1 ? t("cards.dealt.one") : t("cards.dealt", { n: dealt })) : "");

// The cards of the newest outcome, where its hand was not shown: how many are there, and which of them were seen.
export function unseen(view) {
  const { cards = 0, exposed = [], held = 0, hands = 0 } = view.details.dealt ?? {};
  const faces = cardsOf(exposed);
  return {
    cards: row({ cards: faces, backs: Math.max(held - faces.length, faces.length ? 0 : 1) }),
    line: [hands === 1 ? t("hands.one") : hands ? t("hands", { n: hands }) : "", dealtWords(cards)].filter(Boolean).join(" · "),
  };
}

// The hands that are void for a wrong number of cards.
export const voidWords = ({ void_hands: hands }) => (Array.isArray(hands) && hands.length ? t("hands.void", { list: short(hands.join(", "), 30) }) : "");

// Odds in words: in the feed they are "35 to 1".
export function oddsWords(odds) {
  const [, won, staked] = /^(\d+) to (\d+)$/.exec(odds) ?? [];
  return won ? t("odds", { won: number(Number(won)), staked: number(Number(staked)) }) : short(odds, 20);
}

// The meter of a progressive wager, and the last payment of it. In a tile, which has no panel, it is beside the hand.
export function jackpot(view, kind = "") {
  const shown = view.details.jackpot;
  if (!shown) return null;
  const { meter_cents: meter, payment } = shown;
  const amount = (value) => cents(value, view.limits_unit);
  const paid = payment && Object.values(payment.paid).reduce((sum, one) => sum + one, 0);
  return h(
    "div.jackpot",
    { "data-key": "jackpot", class: kind },
    h("span.jackpot-name", {}, t("jackpot")),
    h("strong.jackpot-amount", { class: amount(meter).length > 13 ? "long" : null }, amount(meter)),
    payment ? h("span.jackpot-paid", {}, t("jackpot.paid", { n: payment.round, hand: named("rank", payment.hand), amount: amount(paid).replace(" ", NO_BREAK) })) : null,
  );
}

// Columns of how often each value came, the tallest as high as there is room; `rows` are [label, count, class].
export function columns(title, rows, line) {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return h(
    "section.columns",
    { "data-key": title },
    h("h2.heat-title", {}, title),
    h(
      "div.column-row",
      {},
      rows.map(([label, count, kind]) =>
        h(
          `div.column${kind ? `.${kind}` : ""}`,
          { "data-key": String(label) },
          h("span.column-count", {}, count),
          h("span.column-bar", {}, h("i", { style: { height: `${(100 * count) / most}%` } })),
          h("span.column-label", {}, label),
        ),
      ),
    ),
    line ? h("p.window", {}, line) : null,
  );
}

// Shares of all rows together, with a mark or a swatch before the words; `rows` are [sign, words, count].
export function bars(title, rows) {
  const all = rows.reduce((sum, [, , count]) => sum + count, 0);
  return h(
    "section.bars",
    { "data-key": title },
    title ? h("h2.heat-title", {}, title) : null,
    rows.map(([sign, words, count]) => h("div.bar", { "data-key": String(words) }, h("span.bar-words", {}, sign, h("span", {}, words)), share(count, all))),
  );
}
