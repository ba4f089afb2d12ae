// The round and why it is so, what happened, the wiring, and how simulated devices are played.

import { h } from "/web/dom.js";
import { byId, duration, rate, seconds, setText } from "./words.js";

const LOG_LINES = 250;
const KINDS = {
  "round.outcome": "good", "round.void": "bad", "round.unresolved": "doubt", "device.fault": "fault", "device.cleared": "good",
  "device.warning": "doubt", "procedure.violation": "doubt", "round.corrected": "order", "round.disputed": "order",
};

export function showSituation(situation) {
  const state = byId("table-state");
  setText(state, situation.state === "open" ? situation.phase : situation.state);
  state.className = `state ${situation.state}`;
  setText(byId("headline"), situation.headline);
  setText(byId("round-number"), situation.round ? `no. ${situation.round}` : "");
  byId("why").replaceChildren(...situation.why.map((words) => h("li", {}, words)));
  byId("faults-standing").replaceChildren(...situation.faults.map((fault) => h("div", { class: "verdict fault-box" },
    h("h3", {}, "FAULT ", h("span", { class: "code" }, `${fault.device}: ${fault.fault}`)), h("p", {}, fault.detail),
    fault.meaning ? h("p", { class: "dim" }, fault.meaning) : null, fault.to_do && fault.to_do !== "–" ? h("p", {}, `To do: ${fault.to_do}`) : null,
    fault.causes.length ? h("p", { class: "doubt" }, `cannot be cleared while this is so: ${fault.causes.join(", ")}`) : null)));
  byId("verdict").replaceChildren(situation.verdict ? verdictBox(situation.verdict) : h("p", { class: "hint" }, "No verdict yet."));
}

/** The round's panel while a capture is looked at: its verdict follows the cursor. */
export function showCapture(capture) {
  const state = byId("table-state");
  setText(state, "capture");
  state.className = "state closed";
  setText(byId("headline"), "CAPTURE");
  setText(byId("round-number"), "");
  const verdicts = capture.decisions.length;
  byId("why").replaceChildren(h("li", {}, `${(capture.length_ns / 1e9).toFixed(1)} s, ${capture.values} values, ${verdicts} verdict${verdicts === 1 ? "" : "s"}`),
    h("li", {}, "the live table continues meanwhile"));
  byId("faults-standing").replaceChildren();
}

export function verdictBox(verdict) {
  const box = h("div", { class: `verdict ${verdict.kind}` },
    h("h3", {}, `Round ${verdict.round}: ${verdict.words}`));
  if (verdict.reason) box.append(h("p", { class: "code" }, verdict.reason));
  if (verdict.meaning) box.append(h("p", {}, verdict.meaning));
  if (verdict.detail && !verdict.words.includes(verdict.detail)) box.append(h("p", { class: "dim" }, verdict.detail));
  if (verdict.to_do && verdict.to_do !== "–") box.append(h("p", { class: "dim" }, `To do: ${verdict.to_do}`));
  if (verdict.rule) {
    const known = verdict.rule_words.length;
    box.append(h("details", { open: verdict.reason ? true : false }, h("summary", {}, `Rule ${verdict.rule}`),
      known ? verdict.rule_words.map((rule) => h("blockquote", {}, h("b", {}, rule.cite), " ", rule.paragraphs.at(-1), h("p", { class: "dim" }, rule.source)))
        : h("blockquote", {}, "No text gives this: it is the house's own.")));
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
        led, h("span", { class: "name", role: "rowheader" }, row.title ?? row.name), speed, width);
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
      led.setAttribute("aria-label", digital ? (measure.level === null ? "not driven" : measure.level ? "high" : "low") : "");
      setText(speed, row.kind === "analogue" && measure.value !== null ? measure.value.toFixed(3) : rate(measure.rate_hz));
      setText(width, digital && measure.high_ns !== null ? duration(measure.high_ns) : digital ? "" : measure.total ? `${measure.total}` : "");
      const old = measure.changed_ns === null ? "never changed" : `last changed ${((nowNs - measure.changed_ns) / 1e9).toFixed(1)} s ago`;
      const more = digital ? `; high ${measure.high_ns === null ? "–" : duration(measure.high_ns)}, low ${measure.low_ns === null ? "–" : duration(measure.low_ns)}, period ${measure.period_ns === null ? "–" : duration(measure.period_ns)}` : "";
      cells.cell.title = `${row.hint ?? row.name}: ${measure.total} changes, ${old}${more}`;
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
      return h("div", { class: "wiring" }, h("h3", {}, drawing.title), h("svg", { viewBox: `0 0 340 ${height}`, role: "img", "aria-label": drawing.title }, parts));
    }));
  }

  /** Lights the pins of lines that have just changed. */
  changed(names, now) {
    for (const name of names) this.hot.set(name, now);
    if (names.length) {
      const last = names.at(-1);
      const place = this.lines?.get(last)?.place ?? "";
      setText(this.moved, `moved: ${last}${place ? `, ${place}` : ""}`);
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

const SPEEDS = [0, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 50];

export class PlayPanel {
  constructor(root, act) {
    this.root = root;
    this.act = act;
  }

  show(session) {
    this.session = session;
    if (!session.simulated) {
      setText(byId("play-title"), "Real devices: read-only");
      this.root.replaceChildren(
        h("p", {}, "The bench drives nothing. Its own table judges what the lines do; nothing is journalled or published."),
        h("div", { class: "row" }, this.button("Open the table", { action: "order", verb: "open" }), this.button("Close it for tests", { action: "order", verb: "close", given: { reason: "tests" } })),
        session.lamps.length ? h("div", { class: "row", role: "group", "aria-label": "Lamp test" }, h("span", {}, "With the table closed, light for 1 s:"), session.lamps.map((line) => this.button(line, { action: "test", line })))
          : h("p", { class: "hint" }, "No lamp on a pin of the Pi can be tested from here."));
      this.clear = h("div", { class: "row" });
      this.root.append(this.clear);
      return;
    }
    const speed = h("input", { type: "range", id: "speed", min: 0, max: SPEEDS.length - 1, step: 1, value: 5,
      on: { input: () => this.act({ action: "speed", speed: SPEEDS[Number(speed.value)] }) } });
    this.speed = speed;
    this.speedWords = h("output", { for: "speed" });
    this.hold = this.toggle("Hold: I play", (on) => ({ action: "hold", on }));
    this.hand = this.toggle(session.machine ? "I am the attendant" : "I am the dealer", (on) => ({ action: "by_hand", on }));
    this.supervised = this.toggle("Supervisor clears", (on) => ({ action: "supervised", on }));
    this.playNow = this.button("Play a round now", { action: "play" });
    this.truth = h("p", { class: "hint", role: "status" });
    const hint = h("p", { class: "hint", id: "fault-hint" }, "A fault is given to the next round. Amber: what a device or a person does; blue: what a wire does.");
    this.faultButtons = new Map(session.faults.map((fault) => {
      const button = h("button", { type: "button", class: fault.physical ? "physical" : "line", "aria-pressed": "false", "aria-describedby": "fault-hint", "data-fault": fault.name, title: `${fault.explanation} A correct controller: ${fault.expected}` },
        h("span", { class: `swatch ${fault.physical ? "physical" : "line"}`, "aria-hidden": "true" }), fault.name);
      const explain = () => setText(hint, `${fault.explanation} A correct controller: ${fault.expected}`);
      button.addEventListener("pointerenter", explain);
      button.addEventListener("focus", explain);
      button.addEventListener("click", () => this.act({ action: "arm", fault: button.getAttribute("aria-pressed") === "true" ? null : fault.name }));
      return [fault.name, button];
    }));
    this.clear = h("div", { class: "row" });
    this.root.replaceChildren(
      h("div", { class: "row" }, h("label", { for: "speed" }, "Speed"), speed, this.speedWords),
      session.can_wait ? h("div", { class: "row" }, this.hold, this.playNow)
        : h("p", { class: "hint" }, session.machine ? "The simulated player plays by itself, and cannot wait for you." : "The wheel plays by itself, and cannot wait for you."),
      h("div", { class: "row" }, this.hand, ...session.buttons.map((name) => this.button(name.replace("dealer_", "").replaceAll("_", " "), { action: "press", button: name }))),
      h("div", { class: "row" }, this.supervised, h("button", { type: "button", on: { click: async () => setText(this.truth, await this.act({ action: "truth" }, true)) } }, "What really happens?")),
      this.truth, this.clear,
      h("h3", { class: "hint" }, "Faults"), h("div", { class: "faults", role: "group", "aria-label": "Faults of the next round" }, ...this.faultButtons.values()), hint);
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
    setText(this.speedWords, speed === 0 ? "stopped" : `× ${speed}`);
    const at = SPEEDS.findIndex((one) => one >= speed);
    if (document.activeElement !== this.speed) this.speed.value = String(at < 0 ? SPEEDS.length - 1 : at);
  }

  faults(standing) {
    const devices = [...new Set(standing.map((fault) => fault.device))];
    if (this.clear) this.clear.replaceChildren(...devices.map((device) => this.button(`Clear ${device}`, { action: "order", verb: "clear", given: { device } })));
  }
}
