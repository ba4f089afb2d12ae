// Which tables of a hall are on the screen: as many as can be read there, in the order of their names; the others follow in
// turn. A table on a hidden page is followed like any other: what is new there is named at the foot, and a fault, a refusal
// or a correction brings its page forward.
//
// On a phone all tables are below each other, and the page scrolls.

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
const MOST_NAMED = 3;

const URGENT = new Set(["fault", "halted", "unresolved", "void", "corrected"]);
const isNews = (code) => code === "result" || code === "stale" || URGENT.has(code);

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
  #seen = new Map(); // key -> what was shown of it last, while its page was on the screen
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
    this.#look();
    return this.#pages[this.#page].map(([key]) => key);
  }

  // What is on the screen was seen; what is new elsewhere is news until its page is shown, in the order in which it came.
  #look() {
    const found = new Map();
    this.#pages.forEach((tables, page) => {
      for (const [key, code, round] of tables) {
        const state = `${code} ${round}`;
        if (page === this.#page || !this.#seen.has(key)) this.#seen.set(key, state);
        else if (this.#seen.get(key) !== state && isNews(code)) found.set(key, { key, page, code, state });
      }
    });
    const known = this.#news.filter(({ key, state }) => found.get(key)?.state === state).map(({ key }) => key);
    this.#news = [...new Set([...known, ...found.keys()])].map((key) => found.get(key));
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
  }

  // The foot of a hall: what is new on other pages, and which page this is. `named` gives the name and the state of a key.
  foot(named, clock) {
    const newest = [...this.#news].reverse();
    const listed = [...newest.filter(({ code }) => URGENT.has(code)), ...newest.filter(({ code }) => !URGENT.has(code))];
    return h(
      "div.hall-foot",
      { "data-key": "hall-foot" },
      h(
        "ul.elsewhere",
        { "aria-label": t("elsewhere") },
        listed.slice(0, MOST_NAMED).map(({ key, page, code }) => {
          const [name, words] = named(key);
          return h(`li.${code}`, { "data-key": key }, h("b", { dir: "auto" }, short(name, 24)), " ", h("span", {}, words), " ", h("small", {}, page + 1));
        }),
        listed.length > MOST_NAMED ? h("li.more", { "data-key": "more" }, `+${listed.length - MOST_NAMED}`) : null,
      ),
      this.count > 1 ? h("span.page-mark", { role: "img", "aria-label": t("page", { n: this.#page + 1, all: this.count }), "data-held": this.#held ? "" : null }, `${this.#held ? "❚❚ " : ""}${this.#page + 1}/${this.count}`) : null,
      clock,
    );
  }
}
