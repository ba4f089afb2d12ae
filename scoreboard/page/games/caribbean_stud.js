// Caribbean stud: the dealer's five cards, their rank, whether they qualify, the progressive jackpot, and the last twenty.
// What players hold nobody reads: the board never shows who has won.

import { h } from "../web/dom.js";
import { bars, dealtWords, jackpot, mark, row, solo, unseen, voidWords } from "../cards.js";
import { shareWindow, strip } from "../parts.js";
import { named, t } from "../words.js";

const HAND = 5;

const dealerOf = ({ dealer }) => (dealer && typeof dealer === "object" && dealer.rank ? dealer : null);
const endOf = ({ qualifies }) => (qualifies ? "won" : "lost");
// A hand below a pair qualifies by its ace and king.
const rankWords = ({ rank, qualifies }) => (rank === "high_card" && qualifies ? t("ace_king") : named("rank", rank));
const qualifyWords = ({ qualifies }) => t(qualifies ? "qualifies" : "qualifies.not");

export function say(result) {
  const dealer = dealerOf(result);
  return [dealer ? `${t("dealer")} ${rankWords(dealer)} · ${qualifyWords(dealer)}` : t("dealer.not_shown"), voidWords(result)].filter(Boolean).join(" · ");
}

export const because = ({ current }) => (dealerOf(current.result) || voidWords(current.result) ? "" : t("dealer.not_shown.why"));

export const hero = (result, view) => [handOf(result, view), jackpot(view, "in-tile")];

function handOf(result, view) {
  const dealer = dealerOf(result);
  const none = voidWords(result);
  if (!dealer) {
    const { cards, line } = unseen(view);
    return solo(t("dealer"), cards, { tags: [["dealing", t("dealer.not_shown")]], line: none || line });
  }
  const qualifies = h("span.with-mark", {}, mark(endOf(dealer)), h("span", {}, qualifyWords(dealer)));
  return solo(t("dealer"), row({ cards: dealer.cards }), { tags: [["rank-tag", rankWords(dealer)], [`end.${endOf(dealer)}`, qualifies]], line: none });
}

// The dealer's last card is dealt face up: with it the other four are there, face down. Before, nobody says where cards are.
export function moving(view) {
  const { dealer_cards: cards = [], cards_dealt: dealt = 0 } = view.motion ?? {};
  const { hands } = view.details;
  const isThere = cards.length > 0;
  const all = hands ? HAND * (hands + 1) : 0;
  const rest = Math.max(0, HAND - cards.length);
  const cardsThere = row({ cards, backs: isThere ? rest : 0, places: isThere ? 0 : HAND, first: true });
  return [solo(t("dealer"), cardsThere, { tags: [["dealing", t("dealing")]], dealt: dealtWords(dealt, all) }), jackpot(view, "in-tile")];
}

// [key, words, count].
function ranksOf(counts, unqualified) {
  const rows = counts.flatMap(([rank, count]) =>
    rank === "high_card"
      ? [["ace_king", t("ace_king"), count - unqualified], [rank, named("rank", rank), unqualified]]
      : [[rank, named("rank", rank), count]],
  );
  return rows.filter(([, , count]) => count > 0);
}

export function panel(view) {
  const { qualified = 0, unqualified = 0 } = view.details.came ?? {};
  const meter = jackpot(view);
  if (view.counted && !(qualified + unqualified)) return [meter, h("p.none-shown", {}, t("dealer.none_shown", { n: view.counted }))];
  // Beside a meter there is no room for the ranks.
  const ranks = meter ? [] : ranksOf(view.statistics["dealer.rank"] ?? [], unqualified);
  return [
    meter,
    bars(t("dealer.hands"), [[mark("won"), t("qualifies"), qualified], [mark("lost"), t("qualifies.not"), unqualified]]),
    ranks.length ? h("section.tallied", {}, h("h2.heat-title", {}, t("dealer.ranks")), h("ul.tally", {}, ranks.map(([key, words, count]) => h("li", { "data-key": key }, h("span", {}, words), h("b", {}, count))))) : null,
    h("p.window", {}, shareWindow(view, qualified + unqualified)),
  ];
}

export function history(view) {
  if (!view.outcomes.some(({ result }) => dealerOf(result))) return null;
  return h(
    "div.wide-strip",
    {},
    strip(view, (result) => {
      const dealer = dealerOf(result);
      return h(
        "span.roll.hand-roll",
        { "aria-label": say(result), role: "img" },
        dealer ? mark(endOf(dealer)) : null,
        h("span.roll-words", {}, dealer ? rankWords(dealer) : "–"),
      );
    }),
  );
}
