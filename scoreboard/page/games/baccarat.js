// Baccarat: both hands, bead plate, big road, and the three roads derived from it.

import { h } from "../web/dom.js";
import { row, sumOf, totalOf, valuesOf } from "../cards.js";
import { strip } from "../parts.js";
import { isPhone } from "../screen_size.js";
import { named, t } from "../words.js";

const ROWS = 6;
// Columns of the bead plate and of the big road; as many as leave their letters legible on a phone.
const COLUMNS = 28;
const PHONE_COLUMNS = 19;
const MOST_TIES = 4;

export const say = (result) => `${t("player")} ${result.player?.total ?? "–"}, ${t("banker")} ${result.banker?.total ?? "–"}: ${named("winner", result.winner)}`;

function hand(who, cards, total, wins, soFar = false) {
  return h(
    `div.hand.${who}${wins ? ".wins" : ""}`,
    { "data-key": who },
    h("span.hand-name", {}, t(who)),
    row({ cards }),
    totalOf(total, soFar),
  );
}

export function hero(result) {
  return h(
    "div.hands",
    { "data-key": "hands" },
    hand("player", result.player?.cards, result.player?.total ?? null, result.winner === "player"),
    hand("banker", result.banker?.cards, result.banker?.total ?? null, result.winner === "banker"),
    h(`span.tag.${result.winner}`, { "data-key": "winner" }, named("winner", result.winner)),
  );
}

function openHand(who, cards) {
  const values = valuesOf(cards);
  return hand(who, cards, values && sumOf(values) % 10, false, true);
}

export function moving(view) {
  const { player_cards: player = [], banker_cards: banker = [] } = view.motion ?? {};
  return h("div.hands", { "data-key": "hands" }, openHand("player", player), openHand("banker", banker), h("span.tag.dealing", { "data-key": "winner" }, t("dealing")));
}

// A grid of six rows; the newest columns where there are more than fit.
function road(name, kind, cells, columns, draw, label = "", caption = name) {
  const first = Math.max(0, cells.reduce((most, [column]) => Math.max(most, column), -1) + 2 - columns);
  const lines = [];
  for (let column = 0; column <= columns; column++) lines.push(h("line", { x1: column, x2: column, y1: 0, y2: ROWS }));
  for (let row = 0; row <= ROWS; row++) lines.push(h("line", { x1: 0, x2: columns, y1: row, y2: row }));
  return h(
    `figure.road.${kind}`,
    { "data-key": kind },
    h("figcaption", {}, caption, label ? h("small", {}, label) : null),
    h(
      "svg",
      { viewBox: `-0.05 -0.05 ${columns + 0.1} ${ROWS + 0.1}`, role: "img", "aria-label": `${name}: ${cells.map(([, , mark]) => mark).join(" ")}`, preserveAspectRatio: "xMidYMid meet" },
      h("g.grid", {}, lines),
      cells.filter(([column]) => column >= first).map((cell) => h("g", { transform: `translate(${cell[0] - first} ${cell[1]})`, class: cell[2] }, draw(cell))),
    ),
  );
}

const letter = (mark) => h("text", { x: 0.5, y: 0.745 }, t(`letter.${mark}`));
const bead = ([, , mark]) => [h("circle.fill", { cx: 0.5, cy: 0.5, r: 0.42 }), letter(mark)];
const big = ([, , mark, ties]) => [
  h("circle.thin-ring", { cx: 0.5, cy: 0.5, r: 0.43 }),
  h("text.in-ring", { x: 0.5, y: 0.745 }, t(`letter.${mark}`)),
  // A line for each tie: a number would be too small to read.
  Array.from({ length: Math.min(ties, MOST_TIES) }, (_, at) => h("line.tie", { x1: 0.1 + 0.18 * at, y1: 0.9, x2: 0.5 + 0.18 * at, y2: 0.1 })),
];
// Red is round and rises, blue is square and falls: they can be distinguished without color.
const ring = ([, , mark]) => (mark === "red" ? h("circle.ring", { cx: 0.5, cy: 0.5, r: 0.32 }) : h("rect.ring", { x: 0.2, y: 0.2, width: 0.6, height: 0.6 }));
const dot = ([, , mark]) => (mark === "red" ? h("circle.fill", { cx: 0.5, cy: 0.5, r: 0.34 }) : h("rect.fill", { x: 0.18, y: 0.18, width: 0.64, height: 0.64 }));
const slash = ([, , mark]) => (mark === "red" ? h("line.slash", { x1: 0.2, y1: 0.8, x2: 0.8, y2: 0.2 }) : h("line.slash", { x1: 0.2, y1: 0.2, x2: 0.8, y2: 0.8 }));

// Bead plate and big road, one below the other; on a phone they are shown in turn.
export function views(view) {
  const { roads, hands } = view.details;
  if (!roads || !isPhone()) return null;
  return [
    ["bead", t("bead"), road(t("bead"), "bead", roads.bead, PHONE_COLUMNS, bead, t("hands", { n: hands }), "")],
    ["big", t("big_road"), road(t("big_road"), "big", roads.big, PHONE_COLUMNS, big, counts(view), "")],
  ];
}

export function panel(view) {
  const { roads, hands } = view.details;
  if (!roads) return null;
  return [road(t("bead"), "bead", roads.bead, COLUMNS, bead, t("hands", { n: hands })), road(t("big_road"), "big", roads.big, COLUMNS, big, counts(view))];
}

function counts(view) {
  const winners = new Map(view.statistics.winner ?? []);
  return ["banker", "player", "tie"].map((who) => `${t(who)} ${winners.get(who) ?? 0}`).join(" · ");
}

export function history(view) {
  const [eye, small, pig] = view.details.roads?.derived ?? [[], [], []];
  return h(
    "div.derived",
    {},
    road(t("big_eye"), "eye", eye, COLUMNS, ring),
    road(t("small_road"), "small-road", small, COLUMNS, dot),
    road(t("cockroach"), "pig", pig, COLUMNS, slash),
  );
}

// The last few, where there is no room for roads.
export const few = (view) => strip(view, ({ winner }) => h("span.face.few", { class: WINNERS.has(winner) ? winner : null }, WINNERS.has(winner) ? t(`letter.${winner}`) : named("winner", winner)));

const WINNERS = new Set(["player", "banker", "tie"]);
