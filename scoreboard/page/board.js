// One table as a board: name, state, the result or what moves, the game's own panel, and the last twenty.

import { h } from "./web/dom.js";
import * as baccarat from "./games/baccarat.js";
import * as blackjack from "./games/blackjack.js";
import * as caribbeanStud from "./games/caribbean_stud.js";
import * as craps from "./games/craps.js";
import * as described from "./games/described.js";
import * as dice from "./games/dice.js";
import * as jokerSeven from "./games/joker_seven.js";
import * as letItRide from "./games/let_it_ride.js";
import * as machine from "./games/machine.js";
import * as moneyWheel from "./games/money_wheel.js";
import * as other from "./games/other.js";
import * as redDog from "./games/red_dog.js";
import * as roulette from "./games/roulette.js";
import * as sicBo from "./games/sic_bo.js";
import { listed } from "./parts.js";
import { clockFace } from "./wall_clock.js";
import { changed, currentLanguage, money, named, reason, short, t } from "./words.js";

const GAMES = {
  roulette,
  money_wheel: moneyWheel,
  sic_bo: sicBo,
  craps,
  mini_craps: craps,
  chuck_a_luck: dice,
  under_over: dice,
  beat_the_dealer: dice,
  baccarat,
  mini_baccarat: baccarat,
  blackjack,
  multi_action_blackjack: blackjack,
  red_dog: redDog,
  caribbean_stud: caribbeanStud,
  let_it_ride: letItRide,
  joker_seven: jokerSeven,
  token_pusher: machine,
  skill_stop_reel: machine,
  skill_stop_video: machine,
};

// A sign beside the words of each state, for those who cannot read them from where they stand.
const SIGNS = {
  place_bets: "M12 4v16M4 12h16",
  no_more_bets: "M5 5l14 14M19 5L5 19",
  result: "M4 13l5 6L20 6",
  void: "M12 3a9 9 0 1 0 .1 0M5.700 5.700l12.600 12.600",
  unresolved: "M8 8.500a4 4 0 1 1 5.500 4c-1 .5-1.500 1.200-1.500 2.500M12 19.500v.1",
  corrected: "M19 8a8 8 0 1 0 1 6M20 3v6h-6",
  closed: "M7 11V8a5 5 0 0 1 10 0v3M5 11h14v9H5z",
  fault: "M12 3l10 18H2zM12 10v5M12 18v.1",
  halted: "M12 3l10 18H2zM12 10v5M12 18v.1",
  stale: "M3 9a13 13 0 0 1 18 0M7 13a7 7 0 0 1 10 0M12 18v.1M4 3l16 18",
  waiting: "M12 7v5l3 3M12 3a9 9 0 1 0 .1 0",
  door: "M6 21V3h12v18M3 21h18M14.500 12v.1",
  test: "M14 6a4.500 4.500 0 0 0-6 5.500L3 17l4 4 5.500-5.500A4.500 4.500 0 0 0 18 10l-3 3-3-1-1-3z",
};

const gameOf = (view) => GAMES[view.game] ?? (view.view?.hero ? described : "credits" in view.details ? machine : other);

export function nameOf(view) {
  const labels = view.labels;
  const own = labels[currentLanguage()] ?? Object.entries(labels).find(([tag]) => tag.split("-")[0] === currentLanguage())?.[1] ?? Object.values(labels)[0];
  return short(own ?? view.table, 80);
}

// The name, before it the venue in a hall of several, after it the service where two have a table of this id.
export const placeOf = (view) => [short(view.venue, 40), nameOf(view), short(view.service, 60)].filter(Boolean).join(", ");

// The state in words, for the banner and for screen readers: [words, why].
export function stateOf(view, stale) {
  if (stale) return ["stale", t("status.stale"), t("stale")];
  const words = view.status === "void" && view.call ? changed(named("call", view.call), (call) => call.toUpperCase()) : (gameOf(view).words?.(view) ?? t(`status.${view.status}`));
  return [view.status, words, why(view)];
}

function why(view) {
  switch (view.status) {
    case "void":
      return reason(view.reason, view.view?.words);
    case "unresolved": {
      const list = short(view.candidates.map((result) => gameOf(view).say(result, view)).join(", "), 90);
      return [reason(view.reason, view.view?.words), list && t("candidates", { list })].filter(Boolean).join(" · ");
    }
    case "corrected":
      return view.correction ? correctionOf(view) : reason(view.reason, view.view?.words);
    case "fault":
      return view.faults.map(({ device, fault }) => `${short(device, 30)}: ${reason(fault, view.view?.words)}`).join(" · ");
    case "halted":
    case "door":
    case "test":
      return t(view.status);
    case "result":
      return view.current ? gameOf(view).because?.(view) || short(gameOf(view).say(view.current.result, view), 90) : "";
    default:
      return "";
  }
}

function correctionOf(view) {
  const shown = ({ verdict, result }) => (result ? short(gameOf(view).say(result, view)) : t(`verdict.${verdict}`));
  const { round, before, after } = view.correction;
  return t("correction", { n: round, before: shown(before), after: shown(after) });
}

// Defaults of fields that the gateway leaves out.
export const complete = (board) => ({
  labels: {}, limits: [], limits_unit: "", house: [], call: "", reason: "", candidates: [], faults: [], winning: [], outcomes: [], statistics: {}, details: {}, counted: 0, round: 0, ...board,
});

export const recalls = (view) => gameOf(view) === machine && Array.isArray(view.details.recall);

// What is beside the name of a table wherever it is named with its state or its result, its badges aside.
export const marksOf = (view) => [view.simulated ? t("simulation") : null, view.house_rules ? t("house_rules") : null].filter(Boolean);

// What is drawn over something else says with each word of the state, and with the number, that it is simulated.
const marked = (view, overlay, text) => (overlay && view.simulated ? changed(text, (words) => `${t("simulation")} · ${words}`) : text);

// `turn` is a `Turn` of the views that a game's panel has; `clock` is the time of day, null where it is not known.
// `tile`: one of a hall, to be opened; `overlay`: the parts of a tile alone, without what is behind them;
// `celebrated`: its result has come while the board was shown.
export function board(key, view, { stale, tile: isTile, recall, turn, clock, overlay = false, celebrated = false }) {
  const [code, state, because] = stateOf(view, stale);
  const words = marked(view, overlay, state);
  const tile = isTile && !overlay;
  const name = nameOf(view);
  const game = gameOf(view);
  const shown = stale ? { ...view, current: undefined, moving: false } : view;
  const recalled = recall && !tile && !overlay && recalls(view);
  return h(
    tile ? "article.board" : "section.board",
    {
      "data-key": key,
      "data-status": code,
      "data-game": view.game,
      "data-epoch": view.epoch,
      "data-sequence": view.sequence ?? 0,
      class: [tile ? "tile" : overlay ? "tile overlay" : "full", view.simulated ? "simulated" : "", `is-${code}`, stale ? "is-old" : ""].filter(Boolean).join(" "),
      "aria-label": t("board", { table: placeOf(view) }),
    },
    h(
      !tile && !overlay && view.house.length ? "div.frame.stated" : "div.frame",
      {},
      h(
        "header",
        {},
        tile ? h("h2.name", { dir: "auto" }, h("a.tile-link", { "data-key": key, href: `?${parameters({ table: key })}`, "aria-label": placeOf(view) }, name)) : h("h1.name", { dir: "auto" }, name),
        view.venue ? h("span.venue", { dir: "auto" }, short(view.venue, 40)) : null,
        view.service ? h("span.venue.service", { dir: "auto" }, short(view.service, 60)) : null,
        h("span.game", {}, gameOf(view) === described ? described.nameOf(view) : named("game", view.game || "")),
        view.house_rules ? h("span.house-rules", {}, t("house_rules")) : null,
        view.simulated ? h("span.simulation", {}, t(tile ? "simulation" : "simulation.long")) : null,
        h("span.limits", {}, limits(view)),
        view.round ? h("span.round", {}, t(game === machine ? "play" : "round", { n: view.round })) : null,
        tile || overlay ? null : clockFace(clock),
      ),
      h(
        "div.status",
        { "data-state": code },
        h("svg.sign", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: SIGNS[code] })),
        h("strong.words", { class: lengthOf(words) }, words),
        because ? h("span.why", { dir: "auto" }, because) : null,
      ),
      view.correction && code !== "corrected" && !stale ? h("p.ribbon", {}, h("b", {}, t("status.corrected")), h("span", {}, correctionOf(view))) : null,
      tile || overlay ? null : listed(view.house).map((words) => h("p.house", { dir: "auto" }, h("b", {}, t("house")), " ", short(words, 240))),
      recalled
        ? h("div.middle.recalling", { "data-key": "recall" }, game.recall(shown))
        : h("div.middle", { "data-key": "middle" }, hero(game, shown, code, overlay, celebrated), tile || overlay ? null : panel(game, shown, turn)),
      recalled ? h("footer.recall-mark", { "data-key": "recall-mark" }, t("recall.mark")) : view.outcomes.length || view.details.roads ? h("footer", {}, stale ? h("span.known", {}, t("known")) : null, view.game ? (overlay && game.few ? game.few : game.history)(shown) : null) : null,
      view.simulated && !overlay ? h("div.watermark", { "aria-hidden": "true" }, h("span", {}, t("simulation"))) : null,
    ),
  );
}

// The number of this round is new; any other is called the last one.
function hero(game, view, code, overlay, celebrated) {
  const caption = (text) => h("span.caption", {}, marked(view, overlay, text));
  const empty = () => h("div.hero.empty", {}, h("svg.big-sign", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: SIGNS[code] })));
  if (code === "stale" || !view.game) return empty();
  if (view.moving) return h("div.hero.moving", {}, game.moving(view));
  if (view.current) return h("div.hero.current", { class: celebrated ? "celebrated" : null, "data-key": `won${view.current.round}`, "data-round": view.current.round }, caption(t(game === machine ? "play" : "winner", { n: view.current.round })), game.hero(view.current.result, view));
  const doubtful = ["void", "unresolved", "corrected"].includes(view.status);
  if (doubtful) return empty();
  const last = game.lastOf?.(view) ?? view.outcomes[0];
  if (!last || view.status === "waiting") return h("div.hero.empty", {}, h("span.caption", {}, t("none")));
  return h("div.hero.last", { "data-round": last.round }, caption(game.lastCaption?.(last) ?? t("last", { n: last.round })), game.hero(last.result, view));
}

// A result in words.
export const sayOf = (view, result) => gameOf(view).say(result, view);

// The game's own panel: one view of it at a time, where it has several.
function panel(game, view, turn) {
  if (!view.game) return h("div.panel", {});
  const views = game.views?.(view);
  if (!views) return h("div.panel", {}, game.panel(view));
  const at = turn.of(views.length);
  const [key, title, content] = views[at];
  const mark = t("view", { n: at + 1, all: views.length });
  return h(
    "div.panel.turned",
    { "data-view": key },
    h("h2.view-title", { "data-key": "title" }, title, h("span.view-mark", { role: "img", "aria-label": mark }, `${at + 1}/${views.length}`)),
    h("div.view", { "data-key": key }, content),
  );
}

// Words of a state that need a smaller font on a narrow board.
function lengthOf(words) {
  const { length } = String(words);
  return length > 26 ? "longest" : length > 20 ? "longer" : length > 16 ? "long" : null;
}

function limits(view) {
  const limit = view.limits.find((one) => !one.bet) ?? view.limits[0];
  if (!limit) return null;
  const shown = (value) => money(value, view.limits_unit);
  return limit.maximum === undefined ? t("limits.from", { min: shown(limit.minimum) }) : t("limits", { min: shown(limit.minimum), max: shown(limit.maximum) });
}

// Whether an address asks for a board: for all tables, or one by its id or key; for real ones alone, or simulated ones.
export const isAsked = (key, view, table, only) => (!table || key === table || view.table === table) && (!only || (only === "sim") === view.simulated);

// The order of boards: by name, whether simulated or not.
export const byName = (key, other) => key.replace("sim/", "").localeCompare(other.replace("sim/", ""), "en", { numeric: true });

// The page's address with other parameters; an empty one is left out.
export function parameters(changes) {
  const found = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) found.set(name, value);
    else found.delete(name);
  }
  return found.toString();
}
