// Which tables of a hall are on the screen: as many as can be read there, by name; the others follow in turn. What is new
// on a hidden page is named at the foot, and a fault, a refusal or a correction brings its page forward. A phone scrolls.

import { h } from "./web/dom.js";
import { isPhone, leastText } from "./screen_size.js";
import { short, t } from "./words.js";

// The least tile, in heights of the least text (ours): in it a tile's parts fit.
const TILE = { width: 22, height: 14 };
const PHONE_TILE_WIDTH = 24;
// The widest tile, as a multiple of its height.
const TILE_ASPECT = 1.6;
// The height of the foot, in heights of the least text.
const FOOT = 2;
// A page that is brought forward waits until the one before it was shown for this long (ours).
const GLANCE_MS = 4000;
// A person who uses the keys keeps the page for this long after the last one (ours).
const HELD_MS = 30_000;
// At the foot as many tables are named as have room, each this wide, and no more than these.
const NAMED_WIDTH = 22;
const MOST_NAMED = 3;

const URGENT = new Set(["fault", "halted", "unresolved", "void", "corrected"]);
const isWrong = (code) => code === "stale" || URGENT.has(code);
const isNews = (code) => code === "result" || isWrong(code);

// How many columns and rows of tiles there is room for where a hall has this size, and whether the screen is a phone.
export function roomOf(width, height) {
  const least = leastText();
  if (isPhone()) return { width, height, phone: true, columns: Math.max(1, Math.floor(width / (PHONE_TILE_WIDTH * least))), rows: Infinity };
  return {
    width,
    height,
    phone: false,
    columns: Math.max(1, Math.floor(width / (TILE.width * least))),
    rows: Math.max(1, Math.floor((height - FOOT * least) / (TILE.height * least))),
  };
}

// As many columns as make the tiles of a page largest.
export function columnsFor(count, { width, height, columns, rows, phone }) {
  if (phone) return Math.min(columns, count);
  let best = Math.min(columns, count);
  let size = 0;
  for (let tried = 1; tried <= Math.min(columns, count); tried++) {
    const lines = Math.ceil(count / tried);
    if (lines > rows) continue;
    const fits = Math.min(width / tried, (height / lines) * TILE_ASPECT);
    if (fits > size) [best, size] = [tried, fits];
  }
  return best;
}

export class HallPages {
  #turn;
  #page = 0;
  #regular = 0;
  #forward = false;
  #since = null;
  #heldUntil = -Infinity;
  #held = false;
  #pages = [[]];
  #shown = new Set(); // the keys of the page as it was laid last
  #turned = false; // since then
  #seen = new Map(); // key -> {state, stale}: what is known to have been seen of it
  #named = MOST_NAMED;
  #news = []; // {key, page, code, state}, the newest last

  // `turn` is how long a page is shown, in milliseconds.
  constructor(turn) {
    this.#turn = turn;
  }

  get count() {
    return this.#pages.length;
  }

  get page() {
    return this.#page;
  }

  get held() {
    return this.#held;
  }

  // Distributes tables, given as [key, code, round], over pages; gives the keys that are on the screen.
  lay(tables, room) {
    const most = room.phone ? Infinity : room.columns * room.rows;
    const count = Math.max(1, Math.ceil(tables.length / most));
    const each = Math.ceil(tables.length / count);
    this.#pages = Array.from({ length: count }, (_, at) => tables.slice(at * each, (at + 1) * each));
    this.#page = Math.min(this.#page, count - 1);
    this.#regular = Math.min(this.#regular, count - 1);
    this.#named = Math.min(MOST_NAMED, Math.max(1, Math.floor(room.width / (NAMED_WIDTH * leastText()))));
    this.#look();
    const shown = this.#pages[this.#page].map(([key]) => key);
    this.#shown = new Set(shown);
    this.#turned = false;
    return shown;
  }

  // What is new on a hidden page is news until that page is shown, in the order in which it came.
  #look() {
    const found = new Map();
    this.#pages.forEach((tables, page) => {
      for (const [key, code, round] of tables) {
        const state = `${code} ${round}`;
        if (page === this.#page) this.#see(key, code, state);
        else if (this.#isNew(key, code, state)) found.set(key, { key, page, code, state });
      }
    });
    const known = this.#news.filter(({ key, state }) => found.get(key)?.state === state).map(({ key }) => key);
    this.#news = [...new Set([...known, ...found.keys()])].map((key) => found.get(key));
  }

  // `state` is the last one other than a loss of the signal; a result is only ever compared with that. `stale`: the loss of
  // the signal was seen too.
  #see(key, code, state) {
    if (code === "stale") this.#seen.set(key, { state: this.#seen.get(key)?.state ?? null, stale: true });
    else this.#seen.set(key, { state, stale: false });
  }

  // Whether the state of a table on a hidden page is news.
  #isNew(key, code, state) {
    // Other tables, or another size of the screen, took it from the page that is shown: nobody may have seen what is wrong.
    if (!this.#turned && this.#shown.has(key) && isWrong(code)) this.#seen.delete(key);
    const known = this.#seen.get(key) ?? { state: null, stale: false };
    this.#seen.set(key, known);
    if (code === "stale") return !known.stale;
    known.stale = false;
    // The first state that is known of a table is no news, unless it is wrong.
    if (known.state === null && !URGENT.has(code)) known.state = state;
    return known.state !== state && isNews(code);
  }

  // Whether another page is to be shown now.
  tick(now) {
    this.#since ??= now;
    if (this.count < 2 || this.#turn === Infinity || this.#held || now < this.#heldUntil) return false;
    const shown = now - this.#since;
    const urgent = this.#news.find(({ code }) => URGENT.has(code));
    if (urgent && !this.#forward && shown >= GLANCE_MS) {
      this.#show(urgent.page, now);
      this.#forward = true;
      return true;
    }
    if (shown < this.#turn) return false;
    // The page after the last regular one, whatever was brought forward between.
    this.#regular = (this.#regular + 1) % this.count;
    this.#show(this.#regular, now);
    return true;
  }

  // A person turns the page.
  step(by, now) {
    this.#regular = (this.#page + by + this.count) % this.count;
    this.#show(this.#regular, now);
    this.keep(now);
  }

  // A person uses the keys: the page stays for a while.
  keep(now) {
    this.#heldUntil = now + HELD_MS;
  }

  // A person stops the turning, and starts it again.
  hold() {
    this.#held = !this.#held;
    this.#heldUntil = -Infinity;
  }

  #show(page, now) {
    this.#page = page;
    this.#since = now;
    this.#forward = false;
    this.#turned = true;
  }

  // The foot of a hall: what is new on other pages, and which page this is. `named` gives the name
  // of a key, its marks and its state.
  foot(named, clock) {
    const newest = [...this.#news].reverse();
    const listed = [...newest.filter(({ code }) => URGENT.has(code)), ...newest.filter(({ code }) => !URGENT.has(code))];
    return h(
      "div.hall-foot",
      { "data-key": "hall-foot" },
      h(
        "ul.elsewhere",
        { "aria-label": t("elsewhere") },
        listed.slice(0, this.#named).map(({ key, page, code }) => {
          const [name, marks, words, sequence] = named(key);
          return h(
            `li.${code}`,
            { "data-key": key, "data-status": code, "data-sequence": sequence },
            h("b", { dir: "auto" }, short(name, 24)),
            " ",
            h("span.marks", {}, marks.map((mark) => [mark, " · "])),
            h("span", {}, words),
            " ",
            h("small", {}, page + 1),
          );
        }),
        listed.length > this.#named ? h("li.more", { "data-key": "more" }, `+${listed.length - this.#named}`) : null,
      ),
      this.count > 1 ? h("span.page-mark", { role: "img", "aria-label": t("page", { n: this.#page + 1, all: this.count }), "data-held": this.#held ? "" : null }, `${this.#held ? "❚❚ " : ""}${this.#page + 1}/${this.count}`) : null,
      clock,
    );
  }
}
