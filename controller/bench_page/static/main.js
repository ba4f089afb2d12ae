// The page of the bench: follows the updates of the server, and draws.
//
//   server ──updates──► History ──► Lanes (timing diagram)
//                   └─► Devices, Round, Log, Wiring, Gutter

import { Channel } from "/web/channel.js";
import { languageFor, languages, loadWords, named, t } from "./words.js";
import { byId, duration, fillPage, phrase, sentence, setText } from "./text.js";
import { Captures } from "./captures.js";
import { Devices } from "./devices.js";
import { History } from "./history.js";
import { Lanes } from "./lanes.js";
import { Gutter, Log, PlayPanel, Wiring, showCapture, showSituation } from "./panels.js";

await loadWords(languageFor(new URLSearchParams(location.search).get("lang"), navigator.languages));
fillPage();
offerLanguages(byId("language"));

const lanes = new Lanes(byId("lanes"), byId("canvas-box"), (words) => setText(byId("readout"), words));
const gutter = new Gutter(byId("gutter"), (name) => lanes.select(name));
const devices = new Devices(byId("devices"));
const log = new Log(byId("log"));
const wiring = new Wiring(byId("wiring"), byId("moved"));
const play = new PlayPanel(byId("play"), act);
let history = new History();
let token = null;
let live = true;
let last = null; // the last update, and when it came
let situation = null;
let pastEvents = [];
let panels = 0;
let machine = false; // whether the table is a machine: it has plays, and an attendant

const FEW_PANELS = 2;
const wiringPanel = byId("wiring").closest("section");

/** Puts the wiring below the devices where they are few, otherwise below the round. */
function placeWiring() {
  const shown = byId("devices").childElementCount;
  if (shown === panels) return;
  panels = shown;
  (shown > FEW_PANELS ? document.querySelector(".side") : document.querySelector(".middle")).append(wiringPanel);
}

/** A language is chosen for the whole page, which is then loaded again. */
function offerLanguages(select) {
  for (const tag of languages) {
    const option = document.createElement("option");
    option.value = option.lang = tag;
    option.textContent = new Intl.DisplayNames(tag, { type: "language" }).of(tag);
    option.selected = tag === document.documentElement.lang;
    select.append(option);
  }
  select.addEventListener("change", () => {
    const asked = new URL(location.href);
    asked.searchParams.set("lang", select.value);
    location.replace(asked);
  });
}

lanes.history = history;
lanes.onSelect = (name) => gutter.select(name);
lanes.onFreeze = () => freeze(!lanes.frozen);

const captures = new Captures({
  lanes, devices, send, notice, log, isMachine: () => machine,
  enter(other, capture) {
    live = false;
    gutter.update(capture.measures, capture.length_ns);
    showCapture(capture);
    lanes.history = other;
    lanes.cursor = null;
    lanes.marks = { a: null, b: null };
    setFrozen(true);
    byId("pause").disabled = true;
  },
  leave() {
    live = true;
    lanes.history = history;
    lanes.lengthNs = 12e9;
    lanes.marks = { a: null, b: null };
    byId("pause").disabled = false;
    setFrozen(false);
    log.clear();
    log.events(pastEvents);
    if (situation) showSituation(situation, machine);
  },
});

// --- actions ---

async function send(path, body) {
  try {
    const answer = await fetch(path, { method: "POST", headers: { "X-Bench-Token": token ?? "" }, body });
    if (answer.headers.get("Content-Type")?.startsWith("application/json")) return await answer.json();
    return { done: false, words: (await answer.text()).trim() || t("answer.status", { n: answer.status }) };
  } catch {
    return { done: false, words: `${t("answer.none")}` };
  }
}

async function act(action, quiet = false) {
  const answer = await send("action", JSON.stringify(action));
  if (!answer.done) notice(answer.words);
  else {
    notice("");
    if (!quiet) log.add(last ? last.update.until_ns : null, null, sentence(answer.said), "order");
  }
  return answer.done ? sentence(answer.said) : answer.words;
}

function notice(words) {
  byId("notice").hidden = !`${words}`;
  setText(byId("notice"), words);
}

function setFrozen(on) {
  lanes.frozen = on;
  byId("pause").setAttribute("aria-pressed", String(on));
}

function freeze(on) {
  if (live) setFrozen(on);
}

byId("pause").addEventListener("click", () => freeze(!lanes.frozen));
byId("zoom-in").addEventListener("click", () => lanes.zoom(0.6, lanes.width / 2));
byId("zoom-out").addEventListener("click", () => lanes.zoom(1 / 0.6, lanes.width / 2));

// --- what the server sends ---

function begin(session) {
  machine = devices.machine = session.machine;
  setText(byId("table-name"), `${session.table} · ${named("game", session.game)}`);
  byId("house-rules").hidden = !session.house_rules;
  document.title = `${session.table.slice(0, 60)} · Feltwire bench`;
  const badge = byId("kind-of-devices");
  setText(badge, session.simulated ? t("simulation") : session.emulated ? t("emulated") : t("real", { backend: session.backend }));
  badge.className = `badge ${session.simulated ? "sim" : session.emulated ? "emulated" : "real"}`;
  const rows = [];
  const byDevice = new Map();
  for (const line of session.lines) {
    if (!byDevice.has(line.device)) byDevice.set(line.device, []);
    byDevice.get(line.device).push(line);
  }
  for (const [device, lines] of byDevice) {
    for (const line of lines) {
      const hint = `${phrase(line.purpose)}; ${line.kind === "link" ? "" : "1 = "}${phrase(line.high)}; ${sentence(line.place)}${line.proposed ? ` (${t("proposed")})` : ""}`;
      rows.push({ name: line.name, kind: line.kind, device, hint, title: line.name + (line.sealed ? ` (${t("sealed")})` : "") });
    }
    const title = device === "dealer" && session.machine ? t("attendant") : device;
    rows.push({ name: `${device}:notes`, kind: "notes", device, title: t("row.reports", { device: title }), hint: t("row.reports.hint", { device: title }) });
  }
  if (!byDevice.has("dealer") && !session.machine) rows.push({ name: "dealer:notes", kind: "notes", device: "dealer", title: t("row.reports", { device: "dealer" }), hint: t("row.buttons.hint") });
  rows.push({ name: "command", kind: "command", device: "", title: t("row.orders"), hint: t("row.orders.hint") });
  lanes.setRows(rows);
  gutter.setRows(rows);
  lanes.select(rows[0].name);
  wiring.show(session.wiring, session.lines);
  play.show(session);
}

function take(update, past) {
  const notes = update.notes ?? [];
  history.add(update.lines, notes, update.until_ns);
  if (update.more_notes) log.add(update.until_ns, null, t("log.more_notes", { n: update.more_notes }), "doubt");
  pastEvents = [...pastEvents, ...(update.events ?? [])].slice(-250);
  if (live && update.measures) gutter.update(update.measures, update.until_ns);
  if (update.situation) {
    situation = update.situation;
    if (live) showSituation(situation, machine);
    play.faults(situation.faults);
  }
  if (update.play) play.update(update.play);
  play.showSpeed(update.speed);
  if (live) {
    log.events(update.events ?? []);
    devices.update(update.views, (line) => history.levelAt(line, update.until_ns));
    placeWiring();
  }
  for (const answer of update.answers ?? []) log.add(update.until_ns, null, answer.words, answer.done ? "order" : "bad");
  if (!past) wiring.changed(Object.keys(update.lines).filter((name) => (update.lines[name].edges ?? update.lines[name].busy ?? update.lines[name].frames)), performance.now());
  setText(byId("clock"), `${(update.until_ns / 1e9).toFixed(1)} s`);
  last = { update, at: performance.now() };
  document.documentElement.dataset.update = String(update.number);
}

function receive(message) {
  if (message.message === "hello") {
    token = message.token;
    history = new History();
    pastEvents = [];
    if (live) {
      lanes.history = history;
      log.clear();
    }
    begin(message.session);
    take(message.update, true);
  } else if (message.message === "update") {
    if (last && message.number !== last.update.number + 1 && message.number > last.update.number) {
      log.add(message.until_ns, null, t("log.unseen", { from: last.update.number + 1, to: message.number - 1 }), "bad");
    }
    take(message, false);
  }
}

function linkState(words, kind) {
  const badge = byId("link-state");
  setText(badge, words);
  badge.className = `badge ${kind}`;
}

// --- drawing ---

let drawn = 0;
function frame(now) {
  requestAnimationFrame(frame);
  if (now - drawn < 30) return;
  drawn = now;
  if (live && !lanes.frozen && last) {
    const ahead = Math.min(now - last.at, 200) * 1e6 * last.update.speed;
    lanes.endNs = last.update.until_ns + ahead;
  }
  wiring.changed([], now);
  setText(byId("window-length"), duration(lanes.lengthNs));
  lanes.draw();
}

requestAnimationFrame(frame);
new Channel("/live", {
  message: receive,
  state: (name) => linkState(t(`link.${name}`), name === "open" ? "good" : "bad"),
});
