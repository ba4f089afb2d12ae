// The words of a page, as data: languages/*.json of the page itself, languages/games/*.json of our games, those of its view
// for any other. A key without words in a language has those of English, marked.

import { LANGUAGES } from "./languages.js";
import { h } from "./web/dom.js";

const FALLBACK = "en";

let language = FALLBACK;
let words = {};
let english = {};
let numbers;
let hundredths;
let times;

// What writes numbers and times in a language. Times are given in milliseconds since midnight.
function speaks(tag) {
  numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 });
  hundredths = new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  times = new Intl.DateTimeFormat(tag, { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
}

speaks(FALLBACK);

// The language asked for, or that of the browser where there are words in it.
export function languageFor(asked, browsers) {
  for (const tag of [asked, ...browsers]) {
    const found = tag && LANGUAGES.find((one) => tag.toLowerCase().split("-")[0] === one);
    if (found) return found;
  }
  return FALLBACK;
}

export async function loadWords(chosen) {
  const load = async (path) => (await fetch(`languages/${path}.json`)).json();
  const both = async (tag) => Object.assign({}, ...(await Promise.all([load(tag), load(`games/${tag}`)])));
  [english, words] = await Promise.all([both(FALLBACK), chosen === FALLBACK ? {} : both(chosen)]);
  language = chosen;
  if (chosen === FALLBACK) words = english;
  speaks(chosen);
  document.documentElement.lang = chosen;
}

export const languages = LANGUAGES;
export const currentLanguage = () => language;
export const number = (value) => numbers.format(value);
export const timeOfDay = (ms) => times.format(new Date(ms));

// An amount in the unit that a table counts in: dollars with their sign, any other by its name.
const inUnit = (text, unit) => (unit === "USD" ? `$${text}` : `${text} ${short(unit, 10)}`.trim());
export const money = (value, unit) => inUnit(numbers.format(value), unit);
export const cents = (value, unit) => inUnit(hundredths.format(value / 100), unit);

// English in place of words that the language lacks: underlined, or with an asterisk within other text.
class Untranslated extends String {
  toString() {
    return `${this.valueOf()}*`;
  }

  element() {
    return h("span.untranslated", { lang: FALLBACK }, this.valueOf());
  }
}

// The text of a key among the words of a language, otherwise among those of English; undefined where neither has it.
function lookup(own, first, key) {
  return own?.[key] ?? (first?.[key] ? new Untranslated(first[key]) : first?.[key]);
}

// What is made of a text; of one that is not translated it is not translated either.
export const changed = (text, change) => (text instanceof Untranslated ? new Untranslated(change(text.valueOf())) : change(text));

export function t(key, values = {}) {
  return changed(lookup(words, english, key) ?? key, (text) => filled(text, values));
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

// A string of the feed may be of any length and have any characters: cut to what a board has room for.
export function short(value, most = 60) {
  return changed(value, (text) => {
    const letters = [...String(text ?? "").replace(/\p{Cc}/gu, "")];
    return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
  });
}

// What the feed names in a word of its own: in this language where it is known, otherwise unchanged.
export function named(kind, value) {
  return lookup(words, english, `${kind}.${value}`) ?? short(value).replaceAll("_", " ");
}

const broughtWord = (brought, key) => lookup(brought?.[language], brought?.[FALLBACK], key);

// What a game calls a value, by the words that it brings.
export function worded(brought, value) {
  const key = String(value ?? "");
  return broughtWord(brought, key) ?? named("value", key);
}

// A code in words. `brought` are those of a game that brings its own, which go before the page's.
export const reason = (code, brought) => (code ? (broughtWord(brought, code) ?? named("reason", code)) : "");
