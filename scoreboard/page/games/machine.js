// A machine that takes tokens, such as reels and pushers: its last awards, credits, and whether it can be played.

import { h } from "../web/dom.js";
import { listed, strip } from "../parts.js";
import { named, number, reason, short, t } from "../words.js";

const MOST_AWARDS = 4;

// The tokens that a play won, by what its game calls them; of a result that has neither, none is known.
const won = (result) => [result.award, result.tokens_won].find(Number.isFinite) ?? null;
const tokens = (count) => (count === 1 ? t("tokens.one") : t("tokens", { n: number(count) }));

const symbolsOf = (line) => listed(line?.symbols).map((symbol) => named("symbol", symbol));

// The line that a spectator looks at: the one that won most, or the first.
function lineOf(result) {
  return listed(result.lines).filter((line) => line && typeof line === "object").reduce((best, line) => (best === undefined || line.award > best.award ? line : best), undefined);
}

export function say(result) {
  const count = won(result);
  const symbols = symbolsOf(lineOf(result)).join(" ");
  return short([symbols, count === null ? "" : count ? tokens(count) : t("no_award")].filter(Boolean).join(": "), 90);
}

// The words of a state where those of a table do not fit.
export function words(view) {
  if (view.moving) return t("machine.running");
  return ["place_bets", "no_more_bets", "closed", "waiting"].includes(view.status) ? t(`machine.${view.status}`) : null;
}

const reels = (symbols) => h(`span.reels${symbols.length > 3 ? ".many" : ""}`, { "aria-label": symbols.join(" "), role: "img" }, symbols.map((symbol, at) => h("span.reel", { "data-key": `s${at}` }, h("i.reel-symbol", {}, symbol))));

export function hero(result) {
  const count = won(result);
  const symbols = symbolsOf(lineOf(result));
  const text = count === null ? "–" : number(count);
  return h(
    `div.plate.${count ? "won-plate" : "plain-plate"}`,
    { "data-key": say(result) },
    symbols.length ? reels(symbols) : null,
    h("strong.giant", { class: `long${Math.min(7, text.length)}` }, text),
    h("span.kinds", {}, h("span", {}, count === null ? short(Object.keys(result).join(", ")) : count === 0 ? t("no_award") : count === 1 ? t("token.word") : t("tokens.word"))),
  );
}

// What is shown as the last one, while no result of this play is: the last award, or the last play where none won.
export const lastOf = (view) => view.outcomes.find(({ result }) => won(result)) ?? view.outcomes[0];

export const lastCaption = ({ round, result }) => t(won(result) ? "award.last" : "play.last", { n: round });

export function moving(view) {
  const last = lastOf(view);
  return last ? [h("span.caption", {}, lastCaption(last)), hero(last.result)] : h("div.motion.plain", { "data-key": "motion" }, h("span.motion-word", {}, t("machine.running")));
}

export function panel(view) {
  const { credits, plays, won: all } = view.details;
  const awards = view.outcomes.filter(({ result }) => won(result));
  return [
    Number.isFinite(credits) ? h("div.credits", {}, h("b", {}, number(credits)), h("span", {}, t("credits"))) : null,
    view.details.hand_pay ? h("p.hand-pay", {}, t("hand_pay")) : null,
    h("h2.heat-title", {}, t("awards")),
    h(
      "ol.awards",
      {},
      awards.length
        ? awards.slice(0, view.details.hand_pay ? MOST_AWARDS - 2 : MOST_AWARDS).map(({ round, result }) => h("li", { "data-key": `a${round}` }, h("b", {}, tokens(won(result))), h("span.award-line", {}, symbolsOf(lineOf(result)).join(" · ")), h("span", {}, t("play", { n: round }))))
        : h("li", { "data-key": "none" }, h("span", {}, t("no_awards", { n: view.outcomes.length }))),
    ),
    Number.isFinite(plays) ? h("p.window", {}, t("machine.totals", { plays: number(plays), tokens: number(all) })) : null,
  ];
}

// What is shown only of a machine of which a play was corrected.
const OF_CORRECTIONS = ["tokens_taken_back", "tokens_restaked", "tokens_collected", "tokens_waived", "debt"];
const FEW_METERS = 12;
const METERS = ["tokens_in", "tokens_played", "tokens_won", "tokens_refunded", "tokens_paid", "tokens_overpaid", "tokens_hand_paid", "tokens_to_house", ...OF_CORRECTIONS, "plays", "power_ups", "door_openings"];

function metersOf({ credits, debt, meters }) {
  const values = { ...meters, debt };
  return [["credits", credits], ...METERS.map((name) => [name, values[name]]).filter(([name, value]) => value || !OF_CORRECTIONS.includes(name))];
}

// Seven digits, as the meters have them.
const digits = (value) => String(value ?? 0).padStart(7, "0");

// The state of the play: what it won by which line, or why it has no result.
function recalled(play) {
  const { round, verdict, result, reason: why, by, corrected } = play;
  const lines = listed(result?.lines).map((line) => symbolsOf(line).join(" · "));
  const words = result ? (won(result) ? tokens(won(result)) : t("no_award")) : t(`verdict.${verdict}`);
  const house = listed(by).includes("house") ? t("recall.by_house") : "";
  const notes = [lines[0], lines.length > 1 ? t("recall.lines", { n: lines.length }) : "", why ? reason(why) : "", house, corrected ? t("status.corrected") : ""];
  return h("li", { "data-key": `r${round}` }, h("span.recall-play", {}, t("play", { n: round })), h("b", {}, words), h("span.award-line", {}, short(notes.filter(Boolean).join(" · "), 90)), h("time", {}, `${String(play.time).slice(11, 19)} UTC`));
}

// The last ten plays and the meters: to be read while the machine is shut, too. Nothing of it is a play that is on.
export function recall(view) {
  const plays = view.details.recall;
  const shown = metersOf(view.details);
  return h(
    "div.recall",
    {},
    h("div.recall-plays", {}, h("h2.heat-title", {}, t("recall", { n: plays.length })), h("ol.recalled", {}, plays.length ? plays.map(recalled) : h("li", { "data-key": "none" }, t("none")))),
    h(
      "div.recall-meters",
      {},
      h("h2.heat-title", {}, t("meters")),
      h(`dl.meters${shown.length > FEW_METERS ? ".many" : ""}`, {}, shown.map(([name, value]) => h("div", { "data-key": name }, h("dt", {}, t(`meter.${name}`)), h("dd", {}, digits(value))))),
    ),
  );
}

export function history(view) {
  return strip(view, (result) => {
    const count = won(result);
    return h("span.roll", { "aria-label": say(result), role: "img", class: count ? "won" : null }, h("b", { class: count > 999 ? "wide" : null }, count === null ? "–" : count > 99_999 ? "…" : String(count)));
  });
}
