// The last rounds of each table with their times, for paper. It is made once, by the server as the page is loaded: what is
// printed says when that was, and what it does not have.

import { h } from "./web/dom.js";
import { STALE_MS } from "./age.js";
import { stylesheet } from "./around.js";
import { byName, complete, isAsked, placeOf, sayOf, stateOf } from "./board.js";
import { currentLanguage, named, reason, t } from "./words.js";

export async function showEvening(table, only) {
  const [{ made, tables: found, proofs = "" }] = await Promise.all([fetch("evening.json").then((answer) => answer.json()), stylesheet("print.css")]);
  const tables = found
    .map((one) => ({ ...one, view: complete(one.board) }))
    .filter(({ key, view }) => isAsked(key, view, table, only))
    .sort((one, other) => byName(one.key, other.key));
  // By the server's calendar: the browser's may be wrong, and it gets the answer later than that was made.
  const madeWords = made === null ? t("print.made.unknown") : t("print.made", { time: new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "long", timeStyle: "long" }).format(new Date(made)) });
  document.documentElement.classList.add("printed");
  document.title = t("print.title");
  document.getElementById("hall").replaceWith(
    h(
      "main",
      { id: "hall", class: "evening" },
      h("h1", {}, t("print.title")),
      h("p.made", {}, madeWords),
      h("button", { type: "button", on: { click: () => print() } }, t("print.button")),
      tables.length ? tables.map((one) => sheet(one, proofs)) : h("p.none", {}, t("no_tables")),
      proofs ? h("p.proofs", {}, t("print.proofs", { address: `${proofs}#round/…/…` })) : null,
      h("p.lacks", {}, t("print.lacks")),
    ),
  );
}

const clock = () => new Intl.DateTimeFormat(currentLanguage(), { day: "2-digit", month: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" });

function sheet({ view, silent, rounds, whole_from: wholeFrom = 0 }, proofs) {
  const times = clock();
  const stale = silent === null || silent >= STALE_MS;
  const [, words, because] = stateOf(view, stale);
  const cell = (name, ...content) => h(`td.of-${name}`, {}, content);
  return h(
    "section.sheet",
    {},
    h("h2", { dir: "auto" }, placeOf(view)),
    h("p.state", {}, t("print.state"), " ", h("strong", {}, words), because ? ` · ${because}` : ""),
    h(
      "table",
      {},
      // It is repeated on each sheet of paper.
      h(
        "thead",
        {},
        h("tr", {}, h("th.of", { colspan: 4 }, placeOf(view), view.simulated ? h("span.simulation", {}, t("simulation.long")) : null, view.house_rules ? h("span.house-rules", {}, t("house_rules")) : null)),
        h("tr", {}, ["round", "time", "result", "note"].map((name) => h("th", { scope: "col" }, t(`print.${name}`)))),
      ),
      h(
        "tbody",
        {},
        rounds.map((one) =>
          h(
            "tr",
            { "data-round": one.round },
            cell("number", proofs ? h("a", { href: `${proofs}#round/${view.table}/${one.round}` }, one.round) : one.round),
            cell("time", times.format(new Date(one.time))),
            cell("result", one.result ? sayOf(view, one.result) : h("strong", {}, t(`verdict.${one.verdict}`))),
            cell("note", [view.simulated ? t("simulation") : "", one.corrected ? t("corrected.short") : "", one.call ? named("call", one.call) : "", one.reason ? reason(one.reason, view.view?.words) : ""].filter((text) => String(text)).flatMap((text, at) => (at ? [" · ", text] : [text]))),
          ),
        ),
      ),
    ),
    rounds.length ? h("p.span", {}, t("print.span", { first: rounds[0].round, last: rounds.at(-1).round, whole: wholeFrom })) : h("p.span", {}, t("none")),
  );
}
