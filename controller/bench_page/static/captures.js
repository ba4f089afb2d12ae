// Captures that were dropped on the page: replayed by the server, shown here with a cursor.

import { h } from "/web/dom.js";
import { t } from "./words.js";
import { byId, seconds, sentence, setText } from "./text.js";
import { Comparison } from "./comparison.js";
import { CAPTURE_LIMITS, History } from "./history.js";
import { verdictBox } from "./panels.js";

const MOST_BYTES = 64 * 1024 * 1024;

export class Captures {
  constructor({ lanes, devices, send, notice, enter, leave, log, isMachine }) {
    Object.assign(this, { lanes, devices, send, notice, enter, leave, log, isMachine });
    this.comparison = new Comparison({ lanes, send, notice, captures: this });
    this.loaded = [];
    this.shown = null;
    this.playing = null;
    byId("file").addEventListener("change", async (event) => {
      await this.open([...event.target.files]);
      event.target.value = "";
    });
    byId("back").addEventListener("click", () => this.close());
    byId("keep").addEventListener("click", () => this.keep());
    byId("capture-play").addEventListener("click", () => (this.playing === null ? this.play() : this.stop()));
    byId("capture-cursor").addEventListener("input", (event) => {
      this.stop();
      this.moveTo((Number(event.target.value) / 10000) * this.shown.capture.length_ns);
    });
    byId("capture-list").addEventListener("change", (event) => this.show(this.loaded.find((one) => one.number === Number(event.target.value))));
    const drop = byId("drop");
    let depth = 0;
    addEventListener("dragenter", (event) => { if (event.dataTransfer?.types.includes("Files")) { depth += 1; drop.hidden = false; } });
    addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); drop.hidden = depth === 0; });
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      depth = 0;
      drop.hidden = true;
      this.open([...(event.dataTransfer?.files ?? [])]);
    });
  }

  async open(files) {
    for (const file of files) {
      if (file.size > MOST_BYTES) {
        this.notice(t("capture.too_large", { name: file.name.slice(0, 80), mb: (file.size / 1048576).toFixed(0), most: MOST_BYTES / 1048576 }));
        continue;
      }
      this.notice(t("capture.replayed", { name: file.name.slice(0, 80) }));
      this.take(await this.send(`captures?name=${encodeURIComponent(file.name.slice(0, 200))}`, file));
    }
  }

  /** Keeps what the live lines did in the last minutes as a capture, to be looked at and compared. */
  async keep() {
    this.notice(t("capture.replayed", { name: t("capture.of_live") }));
    this.take(await this.send("captures?of=live", ""));
  }

  take(answer) {
    this.notice(answer.done ? "" : answer.words);
    if (!answer.done) return;
    const one = { number: answer.number, capture: answer.capture, history: historyOf(answer.capture) };
    this.loaded = [...this.loaded, one].slice(-4);
    this.show(one);
  }

  show(one) {
    if (!one) return;
    this.stop();
    this.comparison.end();
    this.shown = one;
    const { capture } = one;
    byId("capture-bar").hidden = false;
    setText(byId("capture-name"), capture.name);
    byId("capture-list").replaceChildren(...this.loaded.map(({ number, capture: { name } }) => h("option", { value: number, selected: number === one.number }, `${number}: ${name}`)));
    this.comparison.offer(one, this.loaded);
    this.enter(one.history, capture);
    this.lanes.deciding = capture.decisions.flatMap((decision) => decision.edges);
    this.lanes.lengthNs = Math.max(1e6, capture.length_ns * 1.02);
    this.lanes.endNs = capture.length_ns * 1.01;
    this.log.clear();
    this.log.events(capture.events);
    if (capture.more_events) this.log.add(null, null, t("log.more_events", { n: capture.more_events }), "doubt");
    byId("decisions").replaceChildren(...capture.decisions.map((decision) => h("div", { class: "decision", role: "listitem" },
      h("button", { type: "button", on: { click: () => this.look(decision) } }, `${seconds(decision.verdict.t_ns)} s`),
      h("div", {}, h("p", { class: { outcome: "good", void: "bad", unresolved: "doubt" }[decision.verdict.kind], lang: "en" }, decision.verdict.words),
        ...decision.edges.map((edge) => h("p", {}, decidedBy(edge))),
        decision.edges.length ? null : h("p", { class: "hint" }, t("decided.by_none"))))));
    if (!capture.decisions.length) byId("decisions").replaceChildren(h("div", { role: "listitem" }, t("decided.nothing")));
    if (capture.unused.length) this.log.add(null, null, t("capture.unused", { lines: capture.unused.join(", ") }), "doubt");
    const last = capture.decisions.at(-1);
    this.moveTo(last ? last.verdict.t_ns : capture.length_ns);
  }

  /** Goes to a verdict: its last seconds fill the diagram. */
  look(decision) {
    this.stop();
    const first = Math.min(...decision.edges.map((edge) => edge.t_ns), decision.verdict.t_ns);
    const length = Math.max(4e9, (decision.verdict.t_ns - first) * 2);
    this.lanes.lengthNs = length;
    this.lanes.endNs = decision.verdict.t_ns + length * 0.15;
    byId("verdict").replaceChildren(verdictBox(decision.verdict, this.isMachine()));
    this.moveTo(decision.verdict.t_ns);
  }

  moveTo(wanted) {
    const { capture, history } = this.shown;
    const now = Math.max(0, Math.min(wanted, capture.length_ns));
    this.now = now;
    this.lanes.playhead = now;
    byId("capture-cursor").value = String(Math.round((now / Math.max(1, capture.length_ns)) * 10000));
    setText(byId("capture-time"), `${seconds(now)} s`);
    let low = 0;
    let high = capture.views.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (capture.views[middle].t_ns < now) low = middle + 1;
      else high = middle;
    }
    this.devices.update(capture.views[low]?.views ?? [], (line) => history.levelAt(line, now));
    const decided = capture.decisions.filter((decision) => decision.verdict.t_ns <= now).at(-1);
    byId("verdict").replaceChildren(decided ? verdictBox(decided.verdict, this.isMachine()) : h("p", { class: "hint" }, t("verdict.none_here")));
  }

  play() {
    setText(byId("capture-play"), t("stop"));
    if (this.now >= this.shown.capture.length_ns) this.now = 0;
    let before = performance.now();
    const step = (now) => {
      if (this.playing === null) return;
      this.moveTo(this.now + (now - before) * 1e6);
      before = now;
      if (this.now >= this.shown.capture.length_ns) this.stop();
      else this.playing = requestAnimationFrame(step);
    };
    this.playing = requestAnimationFrame(step);
  }

  stop() {
    if (this.playing !== null) cancelAnimationFrame(this.playing);
    this.playing = null;
    setText(byId("capture-play"), t("play"));
  }

  close() {
    this.stop();
    this.shown = null;
    byId("capture-bar").hidden = true;
    this.comparison.end();
    this.lanes.deciding = [];
    this.lanes.playhead = null;
    this.leave();
  }
}

function decidedBy(edge) {
  const place = { line: edge.line, s: seconds(edge.t_ns), why: sentence(edge.why) };
  return edge.level ? t("decided.rising", place) : t("decided.falling", place);
}

function historyOf(capture) {
  const most = Math.max(1024, ...Object.values(capture.lines).map((part) => (part.edges ?? []).length + (part.busy ?? []).length));
  const history = new History(most + 1, CAPTURE_LIMITS);
  history.add(capture.lines, capture.notes, capture.length_ns);
  return history;
}
