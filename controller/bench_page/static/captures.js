// Captures that were dropped on the page: replayed by the server, shown here with a cursor.

import { h } from "/web/dom.js";
import { byId, seconds, setText } from "./words.js";
import { CAPTURE_LIMITS, History } from "./history.js";
import { verdictBox } from "./panels.js";

const MOST_BYTES = 64 * 1024 * 1024;

export class Captures {
  constructor({ lanes, devices, send, notice, enter, leave, log }) {
    Object.assign(this, { lanes, devices, send, notice, enter, leave, log });
    this.loaded = [];
    this.shown = null;
    this.playing = null;
    byId("file").addEventListener("change", async (event) => {
      await this.open([...event.target.files]);
      event.target.value = "";
    });
    byId("back").addEventListener("click", () => this.close());
    byId("compare").addEventListener("click", () => this.compare());
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
        this.notice(`${file.name.slice(0, 80)}: ${(file.size / 1048576).toFixed(0)} MB; a capture has at most ${MOST_BYTES / 1048576} MB: cut it into shorter ones`);
        continue;
      }
      this.notice(`${file.name.slice(0, 80)} is replayed …`);
      const answer = await this.send(`captures?name=${encodeURIComponent(file.name.slice(0, 200))}`, file);
      if (!answer.done) {
        this.notice(answer.words);
        continue;
      }
      this.notice("");
      const one = { number: answer.number, capture: answer.capture, history: historyOf(answer.capture) };
      this.loaded = [...this.loaded, one].slice(-4);
      this.show(one);
    }
  }

  show(one) {
    if (!one) return;
    this.stop();
    this.shown = one;
    const { capture } = one;
    byId("capture-bar").hidden = false;
    setText(byId("capture-name"), capture.name);
    setText(byId("difference"), "");
    byId("capture-list").replaceChildren(...this.loaded.map(({ number, capture: { name } }) => h("option", { value: number, selected: number === one.number }, `${number}: ${name}`)));
    byId("compare").disabled = this.loaded.length < 2;
    this.enter(one.history, capture);
    this.lanes.deciding = capture.decisions.flatMap((decision) => decision.edges);
    this.lanes.lengthNs = Math.max(1e6, capture.length_ns * 1.02);
    this.lanes.endNs = capture.length_ns * 1.01;
    this.log.clear();
    this.log.events(capture.events);
    if (capture.more_events) this.log.add(null, null, `and ${capture.more_events} events more`, "doubt");
    byId("decisions").replaceChildren(...capture.decisions.map((decision) => h("div", { class: "decision", role: "listitem" },
      h("button", { type: "button", on: { click: () => this.look(decision) } }, `${seconds(decision.verdict.t_ns)} s`),
      h("div", {}, h("p", { class: { outcome: "good", void: "bad", unresolved: "doubt" }[decision.verdict.kind] }, decision.verdict.words),
        ...decision.edges.map((edge) => h("p", {}, `decided by ${edge.line} ${edge.level ? "rising" : "falling"} at ${seconds(edge.t_ns)} s: ${edge.why}`)),
        decision.edges.length ? null : h("p", { class: "hint" }, "no edge decided it: a person called it, or the table was shut")))));
    if (!capture.decisions.length) byId("decisions").replaceChildren(h("p", {}, "No verdict in this capture: no round ended in it."));
    if (capture.unused.length) this.log.add(null, null, `the capture does not have ${capture.unused.join(", ")}`, "doubt");
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
    byId("verdict").replaceChildren(verdictBox(decision.verdict));
    this.moveTo(decision.verdict.t_ns);
  }

  moveTo(t) {
    const { capture, history } = this.shown;
    const now = Math.max(0, Math.min(t, capture.length_ns));
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
    byId("verdict").replaceChildren(decided ? verdictBox(decided.verdict) : h("p", { class: "hint" }, "No verdict yet at the cursor."));
  }

  play() {
    setText(byId("capture-play"), "Stop");
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
    setText(byId("capture-play"), "Play");
  }

  async compare() {
    const [first, second] = this.loaded.slice(-2);
    const answer = await this.send("compare", JSON.stringify({ first: first.number, second: second.number }));
    if (!answer.done) return this.notice(answer.words);
    const { difference } = answer;
    setText(byId("difference"), `${first.capture.name} and ${second.capture.name}: ${difference.words}`);
    if (difference.t_ns !== null) {
      this.lanes.marks.a = difference.t_ns;
      this.lanes.lengthNs = 2e9;
      this.lanes.endNs = difference.t_ns + 1e9;
      if (difference.line) this.lanes.select(difference.line);
    }
    return undefined;
  }

  close() {
    this.stop();
    this.shown = null;
    byId("capture-bar").hidden = true;
    this.lanes.deciding = [];
    this.lanes.playhead = null;
    this.leave();
  }
}

function historyOf(capture) {
  const most = Math.max(1024, ...Object.values(capture.lines).map((part) => (part.edges ?? []).length + (part.busy ?? []).length));
  const history = new History(most + 1, CAPTURE_LIMITS);
  history.add(capture.lines, capture.notes, capture.length_ns);
  return history;
}
