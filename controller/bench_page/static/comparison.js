// Two captures on one time: the second is drawn over the first, and every difference over the tolerance is listed and
// drawn.

import { h } from "/web/dom.js";
import { t } from "./words.js";
import { byId, duration, setText } from "./text.js";

const NS_PER_MS = 1e6;

export class Comparison {
  constructor({ lanes, send, notice, captures }) {
    Object.assign(this, { lanes, send, notice, captures });
    this.first = null;
    this.asked = 0;
    byId("compare").addEventListener("click", () => this.compare());
    byId("compare-end").addEventListener("click", () => this.end());
    for (const id of ["compare-with", "compare-at", "tolerance", "tolerance-value"])
      byId(id).addEventListener("change", () => (this.lanes.overlay ? this.compare() : undefined));
  }

  /** Offers the other captures to be compared with the one that is shown. */
  offer(shown, loaded) {
    this.first = shown;
    const others = loaded.filter((one) => one !== shown);
    byId("compare-row").hidden = others.length === 0;
    byId("compare-with").replaceChildren(...others.map(({ number, capture: { name } }) => h("option", { value: number, selected: one(others) === number }, `${number}: ${name}`)));
  }

  async compare() {
    const second = this.captures.loaded.find((capture) => capture.number === Number(byId("compare-with").value));
    if (!second || !byId("tolerance").reportValidity() || !byId("tolerance-value").reportValidity()) return;
    const { first } = this;
    const tolerance = { time_ns: Math.round(Number(byId("tolerance").value) * NS_PER_MS), value: Number(byId("tolerance-value").value) };
    this.asked += 1;
    const turn = this.asked;
    const body = { first: first.number, second: second.number, at: byId("compare-at").value, tolerance };
    const answer = await this.send("compare", JSON.stringify(body));
    if (turn !== this.asked || this.first !== first) return; // another one was asked for meanwhile
    this.notice(answer.done ? "" : answer.words);
    if (answer.done) this.show(first, second, answer.comparison);
  }

  show(first, second, found) {
    byId("compare-end").hidden = false;
    this.lanes.overlay = { history: second.history, shiftNs: found.shift_ns, spans: found.spans, listed: found.listed };
    const over = { first: first.capture.name, second: second.capture.name, n: found.total, time: duration(found.tolerance.time_ns), value: found.tolerance.value };
    const parts = [found.total ? t("compare.total", over) : t("compare.same", over)];
    for (const [line, n] of Object.entries(found.counts)) parts.push(line ? t("compare.count", { line, n }) : t("compare.verdicts", { n }));
    if (found.shift_ns) parts.push(t("compare.shift", { time: duration(found.shift_ns) }));
    if (found.only_first.length) parts.push(t("compare.only", { name: over.first, lines: found.only_first.join(", ") }));
    if (found.only_second.length) parts.push(t("compare.only", { name: over.second, lines: found.only_second.join(", ") }));
    setText(byId("difference"), parts.join(" · "));
    const list = byId("differences");
    list.hidden = found.listed.length === 0;
    const rows = found.listed.map((one) => h("div", { class: "difference", role: "listitem" },
      h("button", { type: "button", on: { click: () => this.look(one) } }, `${(beginOf(one) / 1e9).toFixed(6)} s`), h("p", {}, words(one))));
    if (found.more) rows.push(h("div", { class: "difference hint", role: "listitem" }, t("compare.more", { n: found.more })));
    list.replaceChildren(...rows);
    list.scrollTop = 0;
    if (found.listed.length) this.look(found.listed[0]);
  }

  /** Brings a difference to the middle of the diagram, with what is before and after it. */
  look(one) {
    const [from, to] = [beginOf(one), one.until_ns ?? Math.max(one.first_ns ?? 0, one.second_ns ?? 0)];
    const length = Math.max((to - from) * 6, 50e6);
    this.lanes.lengthNs = length;
    this.lanes.endNs = (from + to) / 2 + length / 2;
    this.lanes.marks = { a: one.first_ns, b: one.second_ns === one.first_ns ? null : one.second_ns };
    if (one.line) this.lanes.select(one.line);
  }

  end() {
    this.asked += 1;
    this.lanes.overlay = null;
    byId("compare-end").hidden = true;
    byId("differences").hidden = true;
    setText(byId("difference"), "");
  }
}

/** Of the others the newest is compared, unless somebody chooses. */
const one = (others) => others.at(-1)?.number;

const beginOf = ({ first_ns: first, second_ns: second }) => (first === null ? second : second === null ? first : Math.min(first, second));

function words(found) {
  const { what, line, first_ns: first, second_ns: second } = found;
  const both = { line, first: found.first, second: found.second, n: found.count };
  if (what === "level") return t("differs.level", { line, first: level(found.first), second: level(found.second) });
  if (what === "reading") return found.count > 1 ? t("differs.readings", both) : t("differs.reading", both);
  if (what === "verdict") return verdict(found);
  const shown = what === "frame" ? found.first || found.second : (found.first || found.second) === "1" ? t("rises") : t("falls");
  if (second === null) return t("differs.first_alone", { line, what: shown });
  if (first === null) return t("differs.second_alone", { line, what: shown });
  if (found.first !== found.second) return t("differs.frame", both);
  const moved = { line, what: shown, time: duration(Math.abs(second - first)) };
  return second > first ? t("differs.later", moved) : t("differs.earlier", moved);
}

const level = (value) => (value === "1" ? t("high") : t("low"));

function verdict({ first, second, first_ns: one, second_ns: other }) {
  if (other === null) return t("differs.verdict_first", { verdict: first });
  if (one === null) return t("differs.verdict_second", { verdict: second });
  return first === second ? t("differs.verdict_time", { verdict: first, time: duration(Math.abs(other - one)) }) : t("differs.verdict", { first, second });
}
