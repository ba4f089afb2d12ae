// The page: follows the gateway, keeps the newest board of each table, and detects by itself that what it shows is old.
// Its addresses and its keys are in docs/scoreboard.md.

import { Age, STALE_MS } from "./age.js";
import { Channel } from "./web/channel.js";
import { h, morph } from "./web/dom.js";
import { board, byName, complete, isAsked, marksOf, parameters, placeOf, stateOf } from "./board.js";
import { columnsFor, HallPages, roomOf } from "./hall_pages.js";
import { LiveChanges } from "./live_changes.js";
import { Turn, turnMs } from "./turns.js";
import { clockFace, WallClock } from "./wall_clock.js";
import { currentLanguage, languageFor, languages, loadWords, t } from "./words.js";

const query = new URLSearchParams(location.search);
const wanted = query.get("table") ?? "";
const only = query.get("only");
let recall = query.get("recall") === "on";
const keyed = query.has("chroma");
const overlay = query.has("overlay") || keyed;
let codeWanted = query.get("qr") === "on"; // and not shown yet
let sound = null;
const changes = new LiveChanges();
const boards = new Map(); // key -> {revision, view, trueAt, stale}
const age = new Age();
const wallClock = new WallClock();
const views = new Turn(turnMs(query.get("turn")));
const pages = new HallPages(turnMs(query.get("turn")));
let shownTime = null; // of day
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
      if (codeWanted) showPhone(false);
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
      if (beat) wallClock.heard(beat);
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
    // A keyer would take a venue's accent for the ground, and the words in it with it.
    await showVenue(keyed ? {} : overlay ? { colors: venue.colors } : venue, still);
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
  const time = wallClock.read(age, now);
  if (time !== shownTime) [shownTime, dirty] = [time, true];
  // Both are asked, so that both keep their time.
  if ([views.tick(now), pages.tick(now)].includes(true)) dirty = true;
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

function redraw() {
  dirty = true;
  schedule();
}

function shownBoards() {
  return [...boards].filter(([key, { view }]) => isAsked(key, view, wanted, only)).sort(([key], [other]) => byName(key, other));
}

function render() {
  scheduled = false;
  dirty = false;
  counters.renders += 1;
  const shown = shownBoards();
  const single = shown.length === 1;
  const ambiguous = wanted && shown.length > 1;
  const room = roomOf(hall.clientWidth, hall.clientHeight);
  // An overlay has no pages: all of its tables are in the picture.
  const states = shown.map(([key, { view, stale }]) => [key, stateOf(view, stale)[0], view.round]);
  const here = single || overlay ? shown : onThisPage(shown, states, room);
  const { changed, celebrated } = changes.look(states, new Set(here.map(([key]) => key)));
  const fresh = h(
    "main",
    { id: "hall", class: single ? "single" : shown.length ? (room.phone && !overlay ? "many scrolled" : "many") : "none", "aria-label": single ? null : t("hall"), "data-size": `${innerWidth}x${innerHeight}`, "data-tables": shown.length },
    ambiguous ? h("h1.ambiguous", { dir: "auto" }, t("ambiguous", { n: shown.length, table: wanted.slice(0, 80) })) : single ? null : h("h1.spoken", {}, t("hall")),
    shown.length ? here.map(([key, { view, stale }]) => board(key, view, { stale, tile: !single, recall, turn: views, clock: shownTime, overlay, celebrated: celebrated.has(key) })) : nothing(),
    shown.length > 1 && !overlay ? pages.foot(inWords, clockFace(shownTime)) : null,
  );
  if (!single) {
    const columns = columnsFor(here.length, overlay ? { ...room, phone: false, columns: here.length, rows: here.length } : room);
    fresh.style.setProperty("--columns", columns);
    fresh.style.setProperty("--rows", Math.ceil(here.length / columns));
  }
  morph(hall, fresh);
  document.title = single ? placeOf(shown[0][1].view) : t("hall");
  turn();
  speak(shown);
  if (single && changed.has(shown[0][0])) sound?.make(states[0][1]);
}

function nothing() {
  const waiting = services.map(({ name, trouble }) => h("small", { "data-key": name }, t("waiting_for", { service: name }), trouble ? ` · ${trouble}` : ""));
  return h("div.empty", {}, h("strong", {}, t("no_tables")), channel.state === "open" ? (wanted ? h("small", {}, t("no_such", { table: wanted })) : waiting) : h("small", {}, t("no_gateway")));
}

function onThisPage(shown, states, room) {
  const keys = new Set(pages.lay(states, room));
  return shown.filter(([key]) => keys.has(key));
}

// The name of a table, what is marked of it, its state or its result, and the number of its last event.
function inWords(key) {
  const { view, stale } = boards.get(key);
  const [code, words, because] = stateOf(view, stale);
  return [placeOf(view), marksOf(view), code === "result" && because ? because : words, view.sequence ?? 0];
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
    const text = [placeOf(view), ...marksOf(view), words, because].filter(Boolean).join(". ");
    if (said.get(key) !== text) lines.push(text);
    said.set(key, text);
  }
  if (lines.length && lines.length <= 3) spoken.textContent = lines.join(" ");
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const tiles = [...hall.querySelectorAll("a.tile-link")];
  const at = tiles.indexOf(document.activeElement);
  const columns = Number(getComputedStyle(hall).getPropertyValue("--columns")) || 1;
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
  const turned = { PageDown: 1, PageUp: -1 }[event.key];
  if (event.key in steps && tiles.length) goTo(tiles, at, steps[event.key]);
  else if (turned) {
    (tiles.length ? pages : views).step(turned, performance.now());
    redraw();
  } else if (event.key.toLowerCase() === "p" && tiles.length) {
    pages.hold();
    redraw();
  } else if (event.key === "Escape" && wanted) location.search = parameters({ table: "" });
  else if (event.key.toLowerCase() === "f") {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  } else if (event.key.toLowerCase() === "l") location.search = parameters({ lang: languages[(languages.indexOf(currentLanguage()) + 1) % languages.length] });
  else if (event.key.toLowerCase() === "r") {
    recall = !recall;
    redraw();
  } else if (event.key.toLowerCase() === "q") showPhone(true);
  else return;
  event.preventDefault();
}

// Focuses the tile that many tiles on, over pages too.
function goTo(tiles, at, step) {
  const now = performance.now();
  pages.keep(now);
  const next = at < 0 ? 0 : at + step;
  if (pages.count === 1 || (next >= 0 && next < tiles.length)) return tiles[Math.min(tiles.length - 1, Math.max(0, next))].focus();
  pages.step(Math.sign(step), now);
  render();
  const turned = [...hall.querySelectorAll("a.tile-link")];
  turned.at(step > 0 ? 0 : -1).focus();
}

// The address of what is shown, for phones; `toggle` takes it away again. Boards do not wait for it.
async function showPhone(toggle) {
  try {
    const { phone } = await import("./phone.js");
    await phone(wanted, toggle);
    codeWanted = false;
  } catch (error) {
    console.warn("the address for phones is not shown:", error);
  }
}

// Follows the gateway. What only some addresses need is loaded for them alone.
async function follow() {
  if (overlay) await (await import("./overlay.js")).startOverlay(query.get("chroma"));
  if (query.get("sound") === "on") sound = new (await import("./sound.js")).Sound();
  channel = new Channel("live", { hello, message: receive, state: redraw, tick: judge });
  addEventListener("keydown", onKey);
  addEventListener("resize", redraw);
  // A venue's strip takes room of the hall.
  new ResizeObserver(redraw).observe(hall);
  schedule();
}

await loadWords(languageFor(query.get("lang"), navigator.languages));
if (query.has("print")) await (await import("./print.js")).showEvening(wanted, only);
else await follow();
