// The page: follows the gateway, keeps the newest board of each table, and detects by itself that what it shows is old.
//
//   ?table=ID     one table, by its id or key       ?lang=es      English, Spanish or German (de)
//   ?motion=off   nothing turns                     ?only=sim|real   hides the others
//   ?recall=on    of a machine: its last ten plays and its meters
//   ?overlay      nothing behind the result, the state and the last few      ?chroma=green   that on a color to be keyed
//   ?sound=on     a sound with each result           ?qr=on    an address for telephones
//   ?print        the last rounds of each table, for paper
//
// Keys: arrows move between tables, Enter opens one, Escape returns to all, F fills the screen, L changes the language,
// R shows the last plays and the meters of a machine, Q the address for telephones, and hides them again.

import { Age } from "./age.js";
import { Channel } from "./web/channel.js";
import { h, morph } from "./web/dom.js";
import { board, complete, parameters, placeOf, stateOf } from "./board.js";
import { currentLanguage, languageFor, languages, loadWords, t } from "./words.js";

// A table is stale when what is shown of it was last true this long ago, however long it was on its way. Its heartbeat
// comes each second; a board has to show STALE within 3 s, of which this page's timer and its drawing take a tenth.
const STALE_MS = 2700;
const TILE_ASPECT = 1.6;

const query = new URLSearchParams(location.search);
const wanted = query.get("table") ?? "";
const only = query.get("only");
let recall = query.get("recall") === "on";
const overlay = query.has("overlay") || query.has("chroma");
let sound = null;
const boards = new Map(); // key -> {revision, view, trueAt, stale}
const age = new Age();
let beat = null; // the last one, which the end of its batch confirms
const hall = document.getElementById("hall");
const spoken = document.getElementById("spoken");
let gateway = "";
let channel = null;
let dressedBy = ""; // the start of the board's server whose venue is shown
let services = [];
let dirty = true;
const turning = new WeakMap();
const said = new Map();
export const counters = { messages: 0, renders: 0 };

if (query.get("motion") === "off") document.documentElement.classList.add("still");
const still = () => document.documentElement.classList.contains("still") || matchMedia("(prefers-reduced-motion: reduce)").matches;

function hello() {
  age.forget();
  beat = null;
  return { now: performance.now(), gateway, seen: Object.fromEntries([...boards].map(([key, { revision }]) => [key, revision])), table: wanted };
}

function receive(message) {
  counters.messages += 1;
  switch (message.type) {
    case "hello":
      gateway = message.gateway;
      if (dressedBy !== gateway) dress(gateway).catch((error) => console.warn("the venue's own is not shown:", error));
      services = message.services;
      dirty = true;
      break;
    case "board": {
      const known = boards.get(message.key);
      boards.set(message.key, { revision: message.revision, view: complete(message.board), trueAt: known?.trueAt ?? -Infinity, stale: known?.stale ?? true });
      dirty = true;
      break;
    }
    case "motion": {
      const known = boards.get(message.key);
      if (known?.view.round === message.motion.round) {
        known.view = { ...known.view, motion: message.motion };
        dirty = true;
      }
      break;
    }
    case "beat":
      // They are shown where no table is.
      if (!boards.size && JSON.stringify(services) !== JSON.stringify(message.services)) dirty = true;
      services = message.services;
      beat = message;
      break;
    case "sync": {
      const now = performance.now();
      age.heard(message, now);
      confirm(message.behind);
      channel.send({ ack: message.batch, now });
      judge(now);
      break;
    }
  }
  if (dirty) schedule();
}

// The venue's own is read as the board's server starts. Where it cannot be loaded, the next connection tries again.
async function dress(server) {
  const venue = await (await fetch("venue.json")).json();
  if (Object.keys(venue).length || dressedBy) {
    const { showVenue } = await import("./venue.js");
    await showVenue(overlay ? { colors: venue.colors } : venue, still);
  }
  dressedBy = server;
}

// At the beat's time each board was true that this page has as new as the gateway; of those in `behind` it has not.
function confirm(behind) {
  if (!beat) return;
  for (const [key, silent] of Object.entries(beat.silent)) {
    const known = boards.get(key);
    if (known && !behind.includes(key)) known.trueAt = silent === null ? -Infinity : age.ofMoment(beat.at - silent);
  }
}

// Which boards are old now. It runs ten times a second, also where nothing comes.
function judge(now) {
  for (const known of boards.values()) {
    const stale = now - known.trueAt >= STALE_MS;
    if (stale !== known.stale) {
      known.stale = stale;
      dirty = true;
    }
  }
  if (dirty) schedule();
}

let scheduled = false;
function schedule() {
  if (scheduled) return;
  scheduled = true;
  // A hidden page gets no animation frames, and must not keep an old number either.
  if (document.hidden) setTimeout(render, 0);
  else requestAnimationFrame(render);
}

function shownBoards() {
  return [...boards]
    .filter(([key, { view }]) => (!wanted || key === wanted || view.table === wanted) && (!only || (only === "sim") === view.simulated))
    .sort(([a], [b]) => a.replace("sim/", "").localeCompare(b.replace("sim/", ""), "en", { numeric: true }));
}

function render() {
  scheduled = false;
  dirty = false;
  counters.renders += 1;
  const shown = shownBoards();
  const single = shown.length === 1;
  const ambiguous = wanted && shown.length > 1;
  const fresh = h(
    "main",
    { id: "hall", class: single ? "single" : shown.length ? "many" : "none", "aria-label": single ? null : t("hall") },
    ambiguous ? h("h1.ambiguous", { dir: "auto" }, t("ambiguous", { n: shown.length, table: wanted.slice(0, 80) })) : single ? null : h("h1.spoken", {}, t("hall")),
    shown.length ? shown.map(([key, { view, stale }]) => board(key, view, { stale, tile: !single, recall, overlay })) : nothing(),
  );
  if (!single) fresh.style.setProperty("--columns", columnsFor(shown.length));
  morph(hall, fresh);
  document.title = single ? placeOf(shown[0][1].view) : t("hall");
  turn();
  speak(shown);
  if (single) sound?.hear(shown[0][0], stateOf(shown[0][1].view, shown[0][1].stale)[0], shown[0][1].view.round);
}

function nothing() {
  const waiting = services.map(({ name, trouble }) => h("small", { "data-key": name }, t("waiting_for", { service: name }), trouble ? ` · ${trouble}` : ""));
  return h("div.empty", {}, h("strong", {}, t("no_tables")), channel.state === "open" ? (wanted ? h("small", {}, t("no_such", { table: wanted })) : waiting) : h("small", {}, t("no_gateway")));
}

// As many columns as make the tiles largest.
function columnsFor(count) {
  let best = 1;
  let size = 0;
  for (let columns = 1; columns <= count; columns++) {
    const width = hall.clientWidth / columns;
    const height = hall.clientHeight / Math.ceil(count / columns);
    const fits = Math.min(width, height * TILE_ASPECT);
    if (fits > size) [best, size] = [columns, fits];
  }
  return best;
}

// Turns what moves at its real speed, without a jump where the speed changes.
function turn() {
  for (const element of hall.querySelectorAll("[data-turn]")) {
    let animation = turning.get(element);
    if (still()) {
      animation?.cancel();
      turning.delete(element);
      continue;
    }
    if (!animation) {
      animation = element.animate([{ transform: "rotate(0deg)" }, { transform: "rotate(360deg)" }], { duration: 1000, iterations: Infinity });
      turning.set(element, animation);
    }
    animation.updatePlaybackRate(Number(element.dataset.rate) || 0.0001);
  }
}

// A screen reader hears what changed: the state of one table, or of the one in a hall that changed.
function speak(shown) {
  const lines = [];
  for (const [key, { view, stale }] of shown) {
    const [, words, because] = stateOf(view, stale);
    const text = [placeOf(view), words, because].filter(Boolean).join(". ");
    if (said.get(key) !== text) lines.push(text);
    said.set(key, text);
  }
  if (lines.length && lines.length <= 3) spoken.textContent = lines.join(" ");
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const tiles = [...hall.querySelectorAll("a.board")];
  const at = tiles.indexOf(document.activeElement);
  const columns = Number(getComputedStyle(hall).getPropertyValue("--columns")) || 1;
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
  if (event.key in steps && tiles.length) {
    const next = at < 0 ? 0 : Math.min(tiles.length - 1, Math.max(0, at + steps[event.key]));
    tiles[next].focus();
  } else if (event.key === "Escape" && wanted) location.search = parameters({ table: "" });
  else if (event.key.toLowerCase() === "f") {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  } else if (event.key.toLowerCase() === "l") location.search = parameters({ lang: languages[(languages.indexOf(currentLanguage()) + 1) % languages.length] });
  else if (event.key.toLowerCase() === "r") {
    recall = !recall;
    dirty = true;
    schedule();
  } else if (event.key.toLowerCase() === "q") showPhone(true);
  else return;
  event.preventDefault();
}

// The address of what is shown, for telephones; `toggle` takes it away again.
async function showPhone(toggle) {
  const { phone } = await import("./phone.js");
  await phone(wanted, toggle);
}

// Follows the gateway. What only some addresses need is loaded for them alone.
async function follow() {
  if (overlay) await (await import("./overlay.js")).startOverlay(query.get("chroma"));
  if (query.get("sound") === "on") sound = new (await import("./sound.js")).Sound();
  if (query.get("qr") === "on") await showPhone(false);
  channel = new Channel("live", { hello, message: receive, state: () => ((dirty = true), schedule()), tick: judge });
  addEventListener("keydown", onKey);
  addEventListener("resize", () => ((dirty = true), schedule()));
  schedule();
}

await loadWords(languageFor(query.get("lang"), navigator.languages));
if (query.has("print")) await (await import("./print.js")).showEvening(wanted, only);
else await follow();
