// The round and why it is so, what happened, the wiring, and how simulated devices are played.

import { h } from "/web/dom.js";
import { reason, t } from "./words.js";
import { byId, duration, rate, seconds, sentence, setText } from "./text.js";

const LOG_LINES = 250;
/** In place of a citation, where no text gives a rule. */
const OURS = "ours";
const KINDS = {
  "round.outcome": "good", "round.void": "bad", "round.unresolved": "doubt", "device.fault": "fault", "device.cleared": "good",
  "device.warning": "doubt", "procedure.violation": "doubt", "round.corrected": "order", "round.disputed": "order",
};

export function showSituation(situation, machine) {
  const state = byId("table-state");
  const now = situation.state === "open" ? situation.phase : situation.state;
  setText(state, t(`state.${now.replaceAll(" ", "_")}`));
  state.className = `state ${situation.state}`;
  setText(byId("headline"), t(`headline.${situation.headline}`));
  setText(byId("round-title"), machine ? t("play.title") : t("round.title"));
  setText(byId("round-number"), situation.round ? t("number", { n: situation.round }) : "");
  byId("why").replaceChildren(...situation.why.map((said) => h("li", {}, sentence(said))));
  byId("faults-standing").replaceChildren(...situation.faults.map((fault) => h("div", { class: "verdict fault-box" },
    h("h3", {}, t("fault"), " ", h("span", { class: "code" }, `${fault.device}: ${fault.fault}`)), inOtherWords(fault.fault, machine),
    h("div", { lang: "en" }, h("p", {}, fault.detail), fault.meaning ? h("p", { class: "dim" }, fault.meaning) : null),
    toDo(fault.to_do), fault.causes.length ? h("p", { class: "doubt" }, t("fault.causes", { causes: fault.causes.join(", ") })) : null)));
  byId("verdict").replaceChildren(situation.verdict ? verdictBox(situation.verdict, machine) : h("p", { class: "hint" }, t("verdict.none")));
}

/** What a code means, in the words that boards have for it; in English its meaning follows, and says more. */
function inOtherWords(code, machine) {
  if (document.documentElement.lang === "en" || !code) return null;
  // The code is that of tables; at a machine it is its attendant who calls.
  return h("p", {}, machine && code === "dealer_call" ? t("attendant.call") : reason(code));
}

const toDo = (words) => (words && words !== "–" ? h("p", {}, t("to_do"), " ", h("span", { lang: "en" }, words)) : null);

/** The round's panel while a capture is looked at: its verdict follows the cursor. */
export function showCapture(capture) {
  const state = byId("table-state");
  setText(state, t("state.capture"));
  state.className = "state closed";
  setText(byId("headline"), t("headline.capture"));
  setText(byId("round-number"), "");
  const holds = { s: (capture.length_ns / 1e9).toFixed(1), values: capture.values, verdicts: capture.decisions.length };
  byId("why").replaceChildren(h("li", {}, t("capture.holds", holds)), h("li", {}, t("capture.live")));
  byId("faults-standing").replaceChildren();
}

export function verdictBox(verdict, machine) {
  const number = machine ? t("verdict.play", { n: verdict.round }) : t("verdict.round", { n: verdict.round });
  const box = h("div", { class: `verdict ${verdict.kind}` },
    h("h3", {}, number, " ", h("span", { lang: "en" }, verdict.words)));
  const add = (...parts) => box.append(...parts.filter(Boolean));
  if (verdict.reason) add(h("p", { class: "code" }, verdict.reason), inOtherWords(verdict.reason, machine));
  if (verdict.meaning) add(h("p", { lang: "en" }, verdict.meaning));
  if (verdict.detail && !verdict.words.includes(verdict.detail)) add(h("p", { class: "dim", lang: "en" }, verdict.detail));
  add(toDo(verdict.to_do));
  if (verdict.rule) {
    const known = verdict.rule_words.length;
    box.append(h("details", { open: verdict.reason ? true : false }, h("summary", {}, verdict.rule === OURS ? t("rule.ours") : t("rule", { cite: verdict.rule })),
      known ? verdict.rule_words.map((rule) => h("blockquote", { lang: "en" }, h("b", {}, rule.cite), " ", rule.paragraphs.at(-1), h("p", { class: "dim" }, rule.source)))
        : h("blockquote", {}, t("rule.house"))));
  }
  return box;
}

export class Log {
  constructor(root) {
    this.root = root;
  }

  clear() {
    this.root.replaceChildren();
  }

  add(time, number, words, kind) {
    const near = this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < 40;
    this.root.append(h("p", { class: kind ?? "" }, h("time", {}, time === null ? "" : seconds(time)), h("span", { class: "no" }, number ? `#${number}` : ""), h("span", {}, words)));
    while (this.root.childElementCount > LOG_LINES) this.root.firstElementChild.remove();
    if (near) this.root.scrollTop = this.root.scrollHeight;
  }

  events(list) {
    for (const event of list) this.add(event.t_ns, event.round, event.words, KINDS[event.kind]);
  }
}

// --- the gutter beside the diagram ---

/** A name that may be broken after an underscore. */
const breakable = (name) => name.split(/(?<=_)/).flatMap((part) => [h("wbr"), part]);

export class Gutter {
  constructor(root, onSelect) {
    this.root = root;
    this.onSelect = onSelect;
    this.cells = new Map();
  }

  setRows(rows) {
    this.cells.clear();
    this.root.replaceChildren(...rows.map((row) => {
      const led = h("span", { class: "led", role: "cell" });
      const speed = h("span", { class: "number", role: "cell" });
      const width = h("span", { class: "number width", role: "cell" });
      const cell = h("div", { class: `lane ${row.kind === "notes" ? "notes" : ""}`, role: "row", title: row.hint ?? "", "data-line": row.name, on: { click: () => this.onSelect(row.name) } },
        led, h("span", { class: "name", role: "rowheader" }, breakable(`${row.title ?? row.name}`)), speed, width);
      cell.style.height = `${row.height}px`;
      this.cells.set(row.name, { cell, led, speed, width, row });
      return cell;
    }));
  }

  select(name) {
    for (const [line, { cell }] of this.cells) cell.classList.toggle("selected", line === name);
  }

  update(measures, nowNs) {
    for (const [name, measure] of Object.entries(measures)) {
      const cells = this.cells.get(name);
      if (!cells) continue;
      const { led, speed, width, row } = cells;
      const digital = row.kind === "input" || row.kind === "output";
      led.className = `led ${digital ? (measure.level === 1 ? "high" : measure.level === null ? "unknown" : "") : ""}`;
      led.setAttribute("aria-label", digital ? (measure.level === null ? t("not_driven") : measure.level ? t("high") : t("low")) : "");
      setText(speed, row.kind === "analogue" && measure.value !== null ? measure.value.toFixed(3) : rate(measure.rate_hz));
      setText(width, digital && measure.high_ns !== null ? duration(measure.high_ns) : digital ? "" : measure.total ? `${measure.total}` : "");
      const old = measure.changed_ns === null ? t("measure.never") : t("measure.changed", { s: ((nowNs - measure.changed_ns) / 1e9).toFixed(1) });
      const wide = (ns) => (ns === null ? "–" : duration(ns));
      const more = digital ? `; ${t("measure.widths", { high: wide(measure.high_ns), low: wide(measure.low_ns), period: wide(measure.period_ns) })}` : "";
      cells.cell.title = `${row.hint ?? row.name}: ${t("measure.changes", { n: measure.total })}, ${old}${more}`;
    }
  }
}

// --- the wiring ---

export class Wiring {
  constructor(root, moved) {
    this.root = root;
    this.moved = moved;
    this.pins = new Map();
    this.hot = new Map();
  }

  show(drawings, lines) {
    this.lines = new Map(lines.map((line) => [line.name, line]));
    this.root.replaceChildren(...drawings.map((drawing) => {
      const rows = drawing.rows;
      const height = rows.length * 14 + 10;
      const parts = [h("rect", { x: 143, y: 1, width: 54, height: height - 2, rx: 6, fill: "#123524", stroke: "#2d5a45" })];
      rows.forEach(([left, right], k) => {
        const y = 11 + k * 14;
        for (const [pin, side] of [[left, -1], [right, 1]]) {
          const x = 170 + side * 11;
          const power = /^(3V3|5V)$/.test(pin.label);
          const ground = pin.label === "GND";
          const dot = h("circle", { cx: x, cy: y, r: 5, fill: pin.line ? "#c9a65a" : power ? "#8f3d3d" : ground ? "#10161c" : "#3c4a3f", stroke: "#0b1015" });
          const name = h("text", { x: x + side * 22, y: y + 1, "text-anchor": side < 0 ? "end" : "start", "dominant-baseline": "central", "font-size": 9.5,
            fill: pin.line ? "#e8eef4" : "#66788a", "font-family": "ui-monospace, DejaVu Sans Mono, monospace" }, pin.line || pin.label);
          const number = h("text", { x, y: y + 0.5, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 5.5, fill: pin.line ? "#10161c" : "#9fb0c0" }, pin.number);
          if (pin.line) this.pins.set(pin.line, { dot, name });
          parts.push(dot, number, name);
        }
      });
      return h("div", { class: "wiring" }, h("h3", {}, sentence(drawing.title)), h("svg", { viewBox: `0 0 340 ${height}`, role: "img", "aria-label": sentence(drawing.title) }, parts));
    }));
  }

  /** Lights the pins of lines that have just changed. */
  changed(names, now) {
    for (const name of names) this.hot.set(name, now);
    if (names.length) {
      const last = names.at(-1);
      const place = this.lines?.get(last)?.place;
      setText(this.moved, t("moved", { line: place ? `${last}, ${sentence(place)}` : last }));
    }
    for (const [name, since] of this.hot) {
      const pin = this.pins.get(name);
      const on = now - since < 350;
      if (pin) {
        pin.dot.setAttribute("fill", on ? "#3ddc97" : "#c9a65a");
        pin.dot.setAttribute("r", on ? 6.5 : 5);
        pin.name.setAttribute("fill", on ? "#3ddc97" : "#e8eef4");
      }
      if (!on) this.hot.delete(name);
    }
  }
}

// --- playing ---

/** The words of the simulators, which are English. */
const told = (fault) => `${fault.explanation} A correct controller: ${fault.expected}`;

const SPEEDS = [0, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 50];

export class PlayPanel {
  constructor(root, act) {
    this.root = root;
    this.act = act;
  }

  show(session) {
    this.session = session;
    if (!session.simulated) {
      setText(byId("play-title"), t("real.title"));
      this.root.replaceChildren(
        h("p", {}, t("real.drives_nothing")),
        h("div", { class: "row" }, this.button(t("real.open"), { action: "order", verb: "open" }), this.button(t("real.close"), { action: "order", verb: "close", given: { reason: "tests" } })),
        session.lamps.length ? h("div", { class: "row", role: "group", "aria-label": t("lamps.test") }, h("span", {}, t("lamps.light")), session.lamps.map((line) => this.button(line, { action: "test", line })))
          : h("p", { class: "hint" }, t("lamps.none")));
      this.clear = h("div", { class: "row" });
      this.root.append(this.clear);
      return;
    }
    setText(byId("play-title"), t("simulated.title"));
    const speed = h("input", { type: "range", id: "speed", min: 0, max: SPEEDS.length - 1, step: 1, value: 5,
      on: { input: () => this.act({ action: "speed", speed: SPEEDS[Number(speed.value)] }) } });
    this.speed = speed;
    this.speedWords = h("output", { for: "speed" });
    this.hold = this.toggle(t("hold"), (on) => ({ action: "hold", on }));
    this.hand = this.toggle(session.machine ? t("i_am.attendant") : t("i_am.dealer"), (on) => ({ action: "by_hand", on }));
    this.supervised = this.toggle(t("supervised"), (on) => ({ action: "supervised", on }));
    this.playNow = this.button(t("play_now"), { action: "play" });
    this.truth = h("p", { class: "hint", role: "status" });
    const hint = h("p", { class: "hint", id: "fault-hint" }, session.machine ? t("faults.hint.play") : t("faults.hint.round"));
    this.faultButtons = new Map(session.faults.map((fault) => {
      const button = h("button", { type: "button", class: fault.physical ? "physical" : "line", "aria-pressed": "false", "aria-describedby": "fault-hint", "data-fault": fault.name, title: told(fault) },
        h("span", { class: `swatch ${fault.physical ? "physical" : "line"}`, "aria-hidden": "true" }), fault.name);
      const explain = () => {
        hint.lang = "en";
        setText(hint, told(fault));
      };
      button.addEventListener("pointerenter", explain);
      button.addEventListener("focus", explain);
      button.addEventListener("click", () => this.act({ action: "arm", fault: button.getAttribute("aria-pressed") === "true" ? null : fault.name }));
      return [fault.name, button];
    }));
    this.clear = h("div", { class: "row" });
    this.root.replaceChildren(
      h("div", { class: "row" }, h("label", { for: "speed" }, t("speed")), speed, this.speedWords),
      session.can_wait ? h("div", { class: "row" }, this.hold, this.playNow)
        : h("p", { class: "hint" }, session.machine ? t("no_hold.player") : t("no_hold.wheel")),
      h("div", { class: "row" }, this.hand, ...session.buttons.map((name) => this.button(t(`button.${name}`), { action: "press", button: name }))),
      h("div", { class: "row" }, this.supervised, h("button", { type: "button", on: { click: async () => setText(this.truth, await this.act({ action: "truth" }, true)) } }, t("truth"))),
      this.truth, this.clear,
      h("h3", { class: "hint" }, t("faults")), h("div", { class: "faults", role: "group", "aria-label": t("faults.next") }, ...this.faultButtons.values()), hint);
  }

  button(words, action) {
    return h("button", { type: "button", on: { click: () => this.act(action) } }, words);
  }

  toggle(words, action) {
    const button = h("button", { type: "button", "aria-pressed": "false" }, words);
    button.addEventListener("click", () => this.act(action(button.getAttribute("aria-pressed") !== "true")));
    return button;
  }

  update(play) {
    if (!this.session?.simulated || !play) return;
    const press = (button, on) => button.setAttribute("aria-pressed", String(on));
    press(this.hold, play.held);
    press(this.hand, play.by_hand);
    press(this.supervised, play.supervised);
    this.playNow.disabled = !play.held;
    for (const [name, button] of this.faultButtons) press(button, name === play.armed);
  }

  showSpeed(speed) {
    if (!this.speedWords) return;
    setText(this.speedWords, speed === 0 ? t("stopped") : `× ${speed}`);
    const at = SPEEDS.findIndex((one) => one >= speed);
    if (document.activeElement !== this.speed) this.speed.value = String(at < 0 ? SPEEDS.length - 1 : at);
  }

  faults(standing) {
    const devices = [...new Set(standing.map((fault) => fault.device))];
    if (this.clear) this.clear.replaceChildren(...devices.map((device) => this.button(t("clear", { device }), { action: "order", verb: "clear", given: { device } })));
  }
}
