// Let it ride: the two community cards, which count in every hand, as they are turned, and those of the last twenty.
// What players hold nobody reads: the board never shows who has won.

import { h } from "../web/dom.js";
import { bars, cardsOf, dealtWords, row, small, solo, unseen, voidWords, written } from "../cards.js";
import { shareWindow, strip } from "../parts.js";
import { named, t } from "../words.js";

const EACH = 3; // Of the community's three the first is burned.
const TURNED = 2;
const KINDS = ["pair", "suited", "neither"];

export function say(result) {
  const cards = cardsOf(result.community);
  return [cards.length ? `${t("community")} ${cards.map(written).join(" ")}` : t("community.not_shown"), voidWords(result)].filter(Boolean).join(" · ");
}

export function hero(result, view) {
  const cards = cardsOf(result.community);
  if (cards.length) return solo(t("community"), row({ cards }), { line: voidWords(result) || t("community.all") });
  const { line } = unseen(view);
  return solo(t("community"), row({ backs: TURNED }), { tags: [["dealing", t("community.not_shown")]], line: voidWords(result) || line });
}

// Once all cards are dealt, those that are not turned yet are there, face down.
export function moving(view) {
  const { cards = [], cards_dealt: dealt = 0 } = view.motion ?? {};
  const { hands } = view.details;
  const all = hands ? EACH * (hands + 1) : 0;
  const rest = Math.max(0, TURNED - cards.length);
  const isThere = cards.length > 0 || (all > 0 && dealt >= all);
  return solo(t("community"), row({ cards, backs: isThere ? rest : 0, places: isThere ? 0 : TURNED }), { tags: [["dealing", t("dealing")]], dealt: dealtWords(dealt, all) });
}

export function panel(view) {
  const came = view.details.came ?? {};
  const shown = KINDS.reduce((sum, kind) => sum + (came[kind] ?? 0), 0);
  if (view.counted && !shown) return h("p.none-shown", {}, t("community.none_shown", { n: view.counted }));
  return [bars(t("community.kinds"), KINDS.map((kind) => [null, named("cards", kind), came[kind] ?? 0])), h("p.window", {}, shareWindow(view, shown))];
}

export function history(view) {
  if (!view.outcomes.some(({ result }) => cardsOf(result.community).length)) return null;
  return h(
    "div.wide-strip",
    {},
    strip(view, (result) => {
      const cards = cardsOf(result.community);
      return h("span.roll.hand-roll", { "aria-label": say(result), role: "img" }, cards.length ? cards.map((one, at) => small(one, at)) : h("span.roll-words", {}, "–"));
    }),
  );
}
