// Joker seven: the seven cards of every hand, dealt face up, how many are red, black and jokers, the wagers that win with
// each, and the colors of the last twenty.

import { h } from "../web/dom.js";
import { columns, dealtWords, oddsWords, row, solo, star, unseen, voidWords } from "../cards.js";
import { handWindow, strip } from "../parts.js";
import { named, short, t } from "../words.js";

const HAND = 7;
const MOST = 7;
const MANY = 3; // More hands than this have little height each.

const handsOf = ({ hands }) => (Array.isArray(hands) ? hands.slice(0, MOST).filter((hand) => hand && Array.isArray(hand.cards)) : []);
const countWords = ({ red, black, jokers }) => [t("reds", { n: short(red, 2) }), t("blacks", { n: short(black, 2) }), jokers ? t(jokers === 1 ? "jokers.one" : "jokers", { n: jokers }) : ""].filter(Boolean).join(", ");

export function say(result) {
  const hands = handsOf(result);
  const isMany = hands.length > 2; // A line has no room for the words of more.
  const shown = isMany ? `${t("red_black")} ${hands.map(({ red, black }) => `${short(red, 2)}–${short(black, 2)}`).join(", ")}` : hands.map((hand, at) => `${t("hand", { n: at + 1 })}: ${countWords(hand)}`).join(" · ");
  return [shown || t("hands.not_shown"), voidWords(result)].filter(Boolean).join(" · ");
}

// A count on a swatch of its color; a joker has none.
const count = (kind, value) => h(`span.count.${kind}`, { role: "img", "aria-label": t(kind, { n: short(value, 2) }) }, h("b", {}, short(value, 2)), kind === "jokers" ? star() : null);

// The wagers that win with each hand, as the feed names them: "hand 2: four or more red", "hand 1: a pair of 10s".
function winsOf(view) {
  const found = new Map();
  for (const [bet, odds] of view.winning) {
    const [, number, name] = /^hand (\d+): (.+)$/.exec(bet) ?? [];
    if (number) found.set(Number(number), [...(found.get(Number(number)) ?? []), [betWords(name), odds]]);
  }
  return found;
}

const COUNTS = { four: 4, five: 5, six: 6, seven: 7 };
const RANKS = { aces: "A", kings: "K", queens: "Q", jacks: "J" };

function betWords(name) {
  const [, many, more, color] = /^(four|five|six|seven)( or more)? (red|black)$/.exec(name) ?? [];
  if (color) return t({ red: more ? "reds.least" : "reds", black: more ? "blacks.least" : "blacks" }[color], { n: COUNTS[many] });
  const [, rank] = /^a pair of (\w+)$/.exec(name) ?? [];
  if (rank) return t("bet.pair", { rank: RANKS[rank] ?? rank.replace(/s$/, "") });
  return named("bet", name);
}

export function hero(result, view) {
  const hands = handsOf(result);
  if (!hands.length) {
    const { line } = unseen(view);
    return solo(t("hands.word"), row({ backs: HAND }), { tags: [["dealing", t("hands.not_shown")]], line: voidWords(result) || line });
  }
  const isCurrent = view.current?.result === result;
  const wins = isCurrent ? winsOf(view) : new Map();
  return h(
    "div.sevens",
    { "data-key": "sevens", class: [isCurrent ? "paid" : "", hands.length > MANY ? "many-hands" : ""].join(" ").trim() || null, style: { "--hands": hands.length } },
    hands.map((hand, at) =>
      h(
        "div.seven-hand",
        { "data-key": `hand${at}` },
        h("span.part-name", {}, t("hand", { n: at + 1 })),
        row({ cards: hand.cards }),
        h("span.counts", {}, count("reds", hand.red), count("blacks", hand.black), hand.jokers ? count("jokers", hand.jokers) : null),
        isCurrent ? h("span.seven-wins", {}, (wins.get(at + 1) ?? []).map(([words, odds]) => h("span.seven-win", { "data-key": String(words) }, words, odds ? h("small", {}, " ", oddsWords(odds)) : null))) : null,
      ),
    ),
    voidWords(result) ? h("span.solo-line", { "data-key": "void" }, voidWords(result)) : null,
  );
}

// Which cards are dealt no message has before the round is over; how many, each has.
export function moving(view) {
  const { cards_dealt: dealt = 0 } = view.motion ?? {};
  const { hands } = view.details;
  return solo(t("hands.word"), row({ places: HAND }), { tags: [["dealing", t("dealing")]], dealt: dealtWords(dealt, hands ? HAND * hands : 0) });
}

export function panel(view) {
  const counts = view.statistics["hands.red"] ?? [];
  const hands = counts.reduce((sum, [, count]) => sum + count, 0);
  if (view.counted && !hands) return h("p.none-shown", {}, t("hands.none_shown", { n: view.counted }));
  return columns(t("reds.in_a_hand"), counts.map(([value, count]) => [short(value, 2), count, ""]), handWindow(view, hands));
}

// Each hand of a round is a bar: its red cards, its black ones, its jokers.
export function history(view) {
  if (!view.outcomes.some(({ result }) => handsOf(result).length)) return null;
  return strip(view, (result) => {
    const part = (kind, value) => (value > 0 ? h(`i.${kind}`, { style: { "flex-grow": String(value) } }) : null);
    return h(
      "span.roll.sevens-roll",
      { "aria-label": say(result), role: "img" },
      handsOf(result).map((hand) => h("span.seven-bar", {}, part("reds", hand.red), part("blacks", hand.black), part("jokers", hand.jokers))),
    );
  });
}
