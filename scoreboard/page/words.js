// The words of a page, as data: languages/*.json. A key without words in a language has those of English.

const LANGUAGES = ["en", "es"];
const FALLBACK = "en";

let language = FALLBACK;
let words = {};
let numbers = new Intl.NumberFormat(FALLBACK, { maximumFractionDigits: 1 });

// The language asked for, or that of the browser where there are words in it.
export function languageFor(asked, browsers) {
  for (const tag of [asked, ...browsers]) {
    const found = tag && LANGUAGES.find((one) => tag.toLowerCase().split("-")[0] === one);
    if (found) return found;
  }
  return FALLBACK;
}

export async function loadWords(chosen) {
  const load = async (name) => (await fetch(`languages/${name}.json`)).json();
  const [fallback, own] = await Promise.all([load(FALLBACK), chosen === FALLBACK ? {} : load(chosen)]);
  language = chosen;
  words = { ...fallback, ...own };
  numbers = new Intl.NumberFormat(chosen, { maximumFractionDigits: 1 });
  document.documentElement.lang = chosen;
}

export const languages = LANGUAGES;
export const currentLanguage = () => language;
export const number = (value) => numbers.format(value);

export function t(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

// A string of the feed may be of any length and have any characters: cut to what a board has room for.
export function short(value, most = 60) {
  const letters = [...String(value ?? "").replace(/\p{Cc}/gu, "")];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
}

// What the feed names in a word of its own: in this language where it is known, else as it stands.
export function named(kind, value) {
  return words[`${kind}.${value}`] ?? short(value).replaceAll("_", " ");
}

// What a game calls a value, by the words that it brings: {text, foreign}. Foreign is English in place of a language that
// its words lack.
export function worded(brought, value) {
  const key = String(value ?? "");
  const own = brought?.[language]?.[key];
  const fallback = brought?.[FALLBACK]?.[key];
  return own !== undefined || fallback === undefined ? { text: own ?? named("value", key), foreign: false } : { text: fallback, foreign: language !== FALLBACK };
}

// `brought` are the words of a game that brings its own.
export const reason = (code, brought) => (code ? (words[`reason.${code}`] ?? worded(brought, code).text) : "");
