// Blackjack and multi-action blackjack: the dealer's hand, or its three parts, how often each total came, the last twenty.
// What players hold nobody reads: the board shows what they have to beat, and never who has won.

import { h } from "../web/dom.js";
import { columns, dealtWords, row, solo, sumOf, unseen, valuesOf } from "../cards.js";
import { handWindow, strip } from "../parts.js";
import { t } from "../words.js";

const BUST = 22;
const MULTI = "multi_action_blackjack";
const TOTALS = [17, 18, 19, 20, 21];

// The dealer's hands of a result: one, three, or none where the hand was not shown.
function handsOf(result) {
  const hands = Array.isArray(result.parts) ? result.parts.slice(0, 3) : [result.dealer];
  return hands.filter((hand) => hand && typeof hand === "object" && Number.isInteger(hand.total));
}

const isBust = (hand) => hand.total >= BUST;
const kindOf = (hand) => (isBust(hand) ? "bust" : hand.blackjack ? "natural" : "stays");
const tagOf = (hand) => ({ bust: t("bust"), natural: t("blackjack") })[kindOf(hand)] ?? "";
const words = (hand) => [hand.blackjack && !isBust(hand) ? "" : hand.total, tagOf(hand)].filter(Boolean).join(" ");

// What a player's hand needs. Of a tie the table has posted who wins it.
function beaten(hand) {
  if (isBust(hand)) return t("blackjack.bust");
  return hand.blackjack || hand.total >= 21 ? "" : t("blackjack.beats", { n: hand.total });
}

export function say(result) {
  const hands = handsOf(result);
  return hands.length ? `${t("dealer")} ${hands.map(words).join(" · ")}` : t("dealer.not_shown");
}

export const because = ({ current }) => (handsOf(current.result).length ? "" : t("dealer.not_shown.why"));

export function hero(result, view) {
  const hands = handsOf(result);
  if (!hands.length) return hidden(view);
  if (view.game === MULTI) return parts(hands);
  const [hand] = hands;
  return solo(t("dealer"), row({ cards: hand.cards }), { total: hand.total, tags: [tagOf(hand) && [kindOf(hand), tagOf(hand)]], line: beaten(hand) });
}

function hidden(view) {
  const { cards, line } = unseen(view);
  return solo(t("dealer"), cards, { tags: [["dealing", t("dealer.not_shown")]], line });
}

const parts = (hands) =>
  h(
    "div.parts",
    { "data-key": "parts" },
    h("span.hand-name", {}, t("dealer")),
    hands.map((hand, at) =>
      h(
        "div.part",
        { "data-key": `part${at}` },
        h("span.part-name", {}, t("part", { n: at + 1 })),
        row({ cards: hand.cards }),
        h("strong.part-total", {}, hand.total),
        h("span.part-tag", {}, tagOf(hand) ? h(`span.tag.${kindOf(hand)}`, {}, tagOf(hand)) : null),
      ),
    ),
  );

// Counted as a final total; of one card none.
function openTotal(cards) {
  const values = valuesOf(cards);
  if (!values || values.length < 2) return null;
  const hard = sumOf(values);
  return values.includes(1) && hard + 10 < BUST ? hard + 10 : hard;
}

// The dealer's cards so far. The second one of blackjack is face down from the moment each hand has its two cards.
export function moving(view) {
  const { dealer_cards: cards = [], cards_dealt: dealt = 0 } = view.motion ?? {};
  const { hands } = view.details;
  const initial = view.game === MULTI ? Infinity : 2 * (hands + 1);
  const backs = cards.length === 1 && dealt >= initial ? 1 : 0;
  return solo(t("dealer"), row({ cards, backs, places: cards.length ? 0 : 1 }), { total: backs ? null : openTotal(cards), soFar: true, tags: [["dealing", t("dealing")]], dealt: dealtWords(dealt) });
}

export function panel(view) {
  const counts = view.statistics["dealer.total"] ?? view.statistics["parts.total"] ?? [];
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  const sum = (wanted) => counts.reduce((total, [value, count]) => total + (wanted(value) ? count : 0), 0);
  if (view.counted && !all) return h("p.none-shown", {}, t("dealer.none_shown", { n: view.counted }));
  const rows = [...TOTALS.map((total) => [String(total), sum((value) => value === total), ""]), [t("bust.short"), sum((value) => value >= BUST), "bust"]];
  return [
    columns(t("dealer.totals"), rows, handWindow(view, all)),
    h("p.natural-count", {}, h("span", {}, t("blackjacks")), h("b", {}, view.details.came?.blackjacks ?? 0)),
  ];
}

export function history(view) {
  if (!view.outcomes.some(({ result }) => handsOf(result).length)) return null;
  return strip(view, (result) => {
    const hands = handsOf(result);
    return h(
      "span.roll",
      { "aria-label": say(result), role: "img", class: hands.length > 1 ? "three" : hands.length ? `dealer-${kindOf(hands[0])}` : null },
      hands.length ? hands.map((hand) => h(`b.dealer-${kindOf(hand)}`, {}, hands.length > 1 && isBust(hand) ? t("bust.short") : hand.total)) : h("b", {}, "–"),
      hands.length === 1 && kindOf(hands[0]) !== "stays" ? h("small", {}, isBust(hands[0]) ? t("bust.short") : t("blackjack.short")) : null,
    );
  });
}
