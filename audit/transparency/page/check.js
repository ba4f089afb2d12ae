"use strict";
// Checks that an event is in a log, with nothing but what is in this file: it also runs saved, offline, and on a page that
// is not encrypted, where a browser gives no signatures of its own (WebCrypto).

// --- SHA-256 and SHA-512 (FIPS 180-4): their constants are the roots of the first primes -------------------------------

const primes = [];
for (let n = 2; primes.length < 80; n++) if (primes.every((p) => n % p)) primes.push(n);
// 64 bits behind the point of a root.
const fraction = (n, power) => {
  const wanted = BigInt(n) << (64n * BigInt(power));
  let low = 0n;
  for (let bit = 1n << 70n; bit; bit >>= 1n) if ((low + bit) ** BigInt(power) <= wanted) low += bit;
  return low & ((1n << 64n) - 1n);
};
const STARTS = primes.slice(0, 8).map((p) => fraction(p, 2));
const ROUNDS = primes.map((p) => fraction(p, 3));
const KINDS = {
  32: { rounds: 64, big: [[2n, 13n, 22n], [6n, 11n, 25n]], small: [[7n, 18n, 3n], [17n, 19n, 10n]] },
  64: { rounds: 80, big: [[28n, 34n, 39n], [14n, 18n, 41n]], small: [[1n, 8n, 7n], [19n, 61n, 6n]] },
};

function sha2(message, bits) {
  const { rounds, big, small } = KINDS[bits];
  const width = BigInt(bits);
  const mask = (1n << width) - 1n;
  const cut = (n) => n >> (64n - width);
  const turn = (x, by) => ((x >> by) | (x << (width - by))) & mask;
  const three = (x, [a, b, c]) => turn(x, a) ^ turn(x, b) ^ turn(x, c);
  const mixed = (x, [a, b, c]) => turn(x, a) ^ turn(x, b) ^ (x >> c);
  const word = bits / 8;
  const block = 16 * word;
  const padded = new Uint8Array(Math.ceil((message.length + 1 + 2 * word) / block) * block);
  padded.set(message);
  padded[message.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  let state = STARTS.map(cut);
  for (let at = 0; at < padded.length; at += block) {
    const w = [];
    for (let i = 0; i < 16; i++) w.push(number(padded.subarray(at + i * word, at + (i + 1) * word)));
    for (let i = 16; i < rounds; i++) w.push((mixed(w[i - 2], small[1]) + w[i - 7] + mixed(w[i - 15], small[0]) + w[i - 16]) & mask);
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < rounds; i++) {
      const one = h + three(e, big[1]) + ((e & f) ^ (~e & mask & g)) + cut(ROUNDS[i]) + w[i];
      const two = three(a, big[0]) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) & mask, c, b, a, (one + two) & mask];
    }
    state = [a, b, c, d, e, f, g, h].map((x, i) => (x + state[i]) & mask);
  }
  const out = new Uint8Array(8 * word);
  state.forEach((x, i) => out.set(bytesOf(x, word), i * word));
  return out;
}

const number = (bytes) => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
const bytesOf = (n, count) => Uint8Array.from({ length: count }, (_, i) => Number((n >> BigInt(8 * (count - 1 - i))) & 255n));
const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const same = (one, other) => one.length === other.length && one.every((byte, i) => byte === other[i]);
const utf8 = (text) => new TextEncoder().encode(text);
const sha256 = (...parts) => sha2(joined(...parts), 32);

// --- Ed25519 (RFC 8032): only the check of a signature -----------------------------------------------------------------

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const mod = (n, by = P) => ((n % by) + by) % by;
function power(base, exponent) {
  let found = 1n;
  for (; exponent; exponent >>= 1n, base = mod(base * base)) if (exponent & 1n) found = mod(found * base);
  return found;
}
const inverse = (n) => power(n, P - 2n);
const D = mod(-121665n * inverse(121666n));
const HALF = power(2n, (P - 1n) / 4n);

// A point as X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z; null where the bytes are none.
function point(bytes) {
  const encoded = number(Uint8Array.from(bytes).reverse());
  const y = encoded & ((1n << 255n) - 1n);
  if (y >= P) return null;
  const u = mod(y * y - 1n);
  const v = mod(D * y * y + 1n);
  let x = mod(u * power(v, 3n) * power(mod(u * power(v, 7n)), (P - 5n) / 8n));
  if (mod(v * x * x - u)) x = mod(x * HALF);
  if (mod(v * x * x - u) || (x === 0n && encoded >> 255n)) return null;
  if ((x & 1n) !== encoded >> 255n) x = P - x;
  return [x, y, 1n, mod(x * y)];
}
function plus([x, y, z, t], [u, v, w, s]) {
  const a = mod((y - x) * (v - u));
  const b = mod((y + x) * (v + u));
  const c = mod(2n * D * t * s);
  const d = mod(2n * z * w);
  return [mod((b - a) * (d - c)), mod((d + c) * (b + a)), mod((d - c) * (d + c)), mod((b - a) * (b + a))];
}
function times(n, of) {
  let found = [0n, 1n, 1n, 0n];
  for (; n; n >>= 1n, of = plus(of, of)) if (n & 1n) found = plus(found, of);
  return found;
}
// Of order 8 or less: such a key has a signature of every message. As libsodium, which refuses such an R as well.
function isSmall(of) {
  const [x, y, z] = times(8n, of);
  return x === 0n && y === z;
}
const BASE = point([0x58, ...new Array(31).fill(0x66)]);

function isSigned(key, message, signature) {
  const [r, s] = [signature.slice(0, 32), number(signature.slice(32).reverse())];
  const a = point(key);
  const started = point(r);
  if (signature.length !== 64 || s >= L || !a || !started || isSmall(a) || isSmall(started)) return false;
  const k = mod(number(sha2(joined(r, key, message), 64).reverse()), L);
  const [x, y, z] = plus(times(s, BASE), times(k, [P - a[0], a[1], 1n, P - a[3]]));
  const back = inverse(z);
  const encoded = mod(y * back) | ((mod(x * back) & 1n) << 255n);
  return same(bytesOf(encoded, 32).reverse(), r);
}

// --- notes, checkpoints and policies (C2SP) ----------------------------------------------------------------------------

// As it is written: padded, and one way to write each value.
function base64(text) {
  const data = atob(text);
  if (btoa(data) !== text) throw new Error(`base64: ${text}`);
  return Uint8Array.from(data, (one) => one.charCodeAt(0));
}
// Two that are cut elsewhere are the same bytes under another root: one root would have two trees.
function hashOf(text) {
  const data = base64(text);
  if (data.length !== 32) throw new Error(`hash: ${text}`);
  return data;
}
// A number of JavaScript ends at 2^53.
const MOST = 2n ** 63n - 1n;
function wholeNumber(text) {
  if (!/^(0|[1-9]\d{0,18})$/.test(text) || BigInt(text) > MOST) throw new Error(`number: ${text}`);
  return BigInt(text);
}
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const KEY_BYTES = { 1: 32, 4: 32, 6: 1312 };
function keyOf(text, ...kinds) {
  const [, name, id, encoded] = /^([^+\s\p{C}]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? [];
  const data = name ? base64(encoded) : [];
  if (!kinds.includes(data[0]) || data.length !== 1 + KEY_BYTES[data[0]] || hex(sha256(utf8(`${name}\n`), data).slice(0, 4)) !== id) throw new Error(`key: ${text}`);
  return { name, id, kind: data[0], public: data.slice(1) };
}

function isAddress(text) {
  try {
    return /^https?:\/\/[^/]/i.test(text) && Boolean(new URL(text));
  } catch {
    return false;
  }
}

// By the rules of `feltwire journal check`: what it refuses is refused here too, and no witness counts twice.
function policyOf(text) {
  const policy = { logs: [], witnesses: [], groups: new Map(), quorum: null };
  const used = new Set();
  const known = (name) => policy.groups.has(name) || policy.witnesses.some((one) => one.called === name);
  const free = (name) => name !== "none" && !known(name);
  const added = (keys, key) => !keys.some((one) => same(one.public, key.public)) && keys.push(key);
  const leastOf = (asked, members) => ({ any: 1, all: members.length })[asked] ?? (/^\d{1,4}$/.test(asked) ? Number(asked) : 0);
  const lines = {
    log: ([key, ...rest]) => key && rest.length < 2 && added(policy.logs, keyOf(key, 1)),
    witness: ([called, key, ...rest]) => key && rest.length < 2 && free(called) && rest.every(isAddress) && added(policy.witnesses, { called, ...keyOf(key, 4, 6) }),
    group: ([name, asked, ...members]) => {
      const least = leastOf(asked, members);
      const good = free(name) && least >= 1 && least <= members.length && members.every((one) => known(one) && !used.has(one) && used.add(one));
      return good && policy.groups.set(name, { least, members });
    },
    quorum: ([name, ...rest]) => {
      const good = policy.quorum === null && !rest.length && (name === "none" || known(name));
      policy.quorum = name;
      return good;
    },
  };
  text.split("\n").forEach((line, at) => {
    // Such as the end of a line elsewhere, behind which a person sees what is a comment here.
    if (/[\0-\x08\x0b-\x1f\x7f]/.test(line)) throw new Error(`policy, ${at + 1}: ${JSON.stringify(line)}`);
    const [what, ...words] = line.split(/[ \t]+/).filter(Boolean);
    if (!what || what.startsWith("#")) return;
    if (!Object.keys(lines).includes(what) || !lines[what](words)) throw new Error(`policy, ${at + 1}: ${line}`);
  });
  if (policy.quorum === null) throw new Error("policy: quorum");
  return policy;
}

const isMet = (policy, name, cosigned) => {
  const group = policy.groups.get(name);
  return group ? group.members.filter((one) => isMet(policy, one, cosigned)).length >= group.least : name === "none" || cosigned.has(name);
};

function noteOf(text) {
  const at = text.lastIndexOf("\n\n");
  const signed = text.slice(0, at + 1);
  const lines = signed.split("\n").slice(0, -1);
  const signatures = text.slice(at + 2).split("\n");
  if (at < 0 || /[\0-\t\v-\x1f\ufffd]/.test(text) || utf8(text).length > 128 * 1024 || lines.length < 3 || !lines.every(Boolean)) throw new Error("checkpoint");
  if (signatures.pop() !== "" || signatures.length > 64) throw new Error("signatures");
  return { text: signed, origin: lines[0], size: wholeNumber(lines[1]), root: hashOf(lines[2]), signatures: signatures.map(signatureOf) };
}

function signatureOf(line) {
  const [, name, encoded] = /^— ([^+\p{White_Space}]+) (\S+)$/u.exec(line) ?? [];
  const data = name ? base64(encoded) : [];
  if (data.length < 5) throw new Error(`signature: ${line}`);
  return { name, id: hex(data.slice(0, 4)), signature: data.slice(4) };
}

function proofOf(text) {
  const at = text.indexOf("\n\n");
  const [first, ...lines] = text.slice(0, at).split("\n");
  const extra = lines[0]?.startsWith("extra ") ? base64(lines.shift().slice(6)) : null;
  const [, leaf] = /^index (.*)$/.exec(lines.shift() ?? "") ?? [];
  if (at < 0 || first !== "c2sp.org/tlog-proof@v1" || leaf === undefined || lines.length > 63) throw new Error("proof");
  return { leaf: wholeNumber(leaf), hashes: lines.map(hashOf), note: noteOf(text.slice(at + 2)), extra };
}

// The mark of a record that was found without a seal after a crash, which the house puts to the proof: nobody signs it.
function markOf(proofText) {
  try {
    const { seal, time, made_at: made } = JSON.parse(new TextDecoder().decode(proofOf(proofText).extra)).late_seal;
    if (!Number.isInteger(seal) || typeof time !== "string" || typeof made !== "string") return null;
    return { seal, time: Number.isNaN(Date.parse(time)) ? time : when(Date.parse(time)), made: word(`made_at.${made}`) ?? made };
  } catch {
    return null;
  }
}

// The root to which a proof leads (RFC 9162, 2.1.3.2), or null.
function rootOf(found, leaf, size, hashes) {
  let [place, last] = [leaf, size - 1n];
  if (leaf >= size) return null;
  for (const beside of hashes) {
    if (!last) return null;
    if (place & 1n || place === last) {
      found = sha256([1], beside, found);
      while (place && !(place & 1n)) [place, last] = [place >> 1n, last >> 1n];
    } else found = sha256([1], found, beside);
    [place, last] = [place >> 1n, last >> 1n];
  }
  return last ? null : found;
}

// What is right and what is wrong, in order: [good, word, values].
function checks(event, proofText, policyText, expected) {
  const policy = policyOf(policyText);
  const { leaf, hashes, note } = proofOf(proofText);
  const own = sha256([0], utf8(event));
  const found = [];
  if (expected) found.push([expected.id === JSON.parse(event).id && expected.hash === printed(own), "paper", {}]);
  const root = rootOf(own, leaf, note.size, hashes);
  found.push([root !== null && same(root, note.root), "in_tree", { number: leaf + 1n, size: note.size }]);
  // A log has several keys after a change of its key. One bad signature that names a key makes the note none of that key's.
  const signed = (key) => {
    const own = note.signatures.filter((one) => one.name === key.name && one.id === key.id);
    return own.length > 0 && own.every((one) => isSigned(key.public, utf8(note.text), one.signature));
  };
  found.push([policy.logs.some((key) => key.name === note.origin && signed(key)), "log", { name: note.origin }]);
  const cosigned = new Set();
  for (const witness of policy.witnesses) {
    // ML-DSA-44 is not checked here: such a witness never counts.
    if (witness.kind === 6) found.push([null, "uncounted", { name: witness.name }]);
    else for (const { signature } of note.signatures.filter((one) => one.name === witness.name && one.id === witness.id)) {
      const time = number(signature.slice(0, 8));
      const signedThen = isSigned(witness.public, utf8(`cosignature/v1\ntime ${time}\n${note.text}`), signature.slice(8));
      const good = signedThen && 0n < time && time <= MOST;
      if (good) cosigned.add(witness.called);
      found.push([good, "witness", { name: witness.name, time: time < 2n ** 36n ? when(Number(time) * 1000) : `${time} s` }]);
    }
  }
  found.push([isMet(policy, policy.quorum, cosigned), policy.quorum === "none" ? "no_quorum" : "quorum", { count: cosigned.size }]);
  return found;
}

const printed = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// --- the page ------------------------------------------------------------------------------------------------------------

const json = (id) => JSON.parse(document.getElementById(id).textContent);
const languages = json("words");
const given = json("given") ?? {};
const asked = new URLSearchParams(location.search).get("lang");
const language = [asked, ...navigator.languages.map((one) => one.slice(0, 2)), "en"].find((one) => one in languages);
const t = (word, values = {}) => languages[language][word].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const when = (ms) => new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "long" }).format(new Date(ms));

function el(name, attributes = {}, ...children) {
  const made = document.createElementNS(name === "svg" || name === "path" || name === "rect" ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", name);
  for (const [key, value] of Object.entries(attributes)) key === "click" ? made.addEventListener("click", value) : made.setAttribute(key, value);
  made.append(...children.flat().filter((one) => one !== null));
  return made;
}

const texts = { event: "", proof: "", policy: "", ...given };
let expected = null;
let trouble = "";
let pending = "";

function show() {
  document.documentElement.lang = language;
  document.title = t("title");
  const whole = texts.event && texts.proof && texts.policy;
  let found = [];
  let wrong = trouble;
  if (whole) {
    try {
      found = checks(texts.event, texts.proof, texts.policy, expected);
    } catch (error) {
      wrong = t("unreadable", { what: error.message });
    }
  }
  const good = found.length > 0 && found.every(([right]) => right || right === null);
  const mark = whole ? markOf(texts.proof) : null;
  const state = wrong || (whole && !good) ? ["bad", t("not_verified")] : good ? (mark ? ["late", t("verified_late")] : ["good", t("verified")]) : ["open", pending || t("nothing")];
  document.getElementById("main").replaceChildren(
    el("h1", {}, t("title")),
    el("p", { class: `state ${state[0]}`, role: "status" }, state[1]),
    wrong ? el("p", {}, wrong) : "",
    mark ? el("p", { class: "mark" }, t("late", mark)) : "",
    event(),
    found.length ? el("ul", {}, found.map(([right, word, values]) => el("li", { class: right ? "good" : right === null ? "open" : "bad" }, t(right || right === null ? word : `${word}.not`, values)))) : "",
    texts.link ? el("div", {}, code(texts.rows), el("p", { class: "small" }, texts.link)) : "",
    el("p", { class: "small" }, t("keys")),
    el("p", { class: "small" }, t("corrections")),
    el("button", { type: "button", click: save }, t("save")),
    el("button", { type: "button", click: () => print() }, t("print")),
    el("details", whole ? {} : { open: "" }, el("summary", {}, t("details")), ["event", "proof", "policy"].map(field), el("button", { type: "button", click: again }, t("check"))),
  );
}

// What of a result says where in a machine it is, and is nothing that a player sees.
const UNSEEN = new Set(["index", "stops"]);
const isShown = ([name, value]) => !UNSEEN.has(name) && value !== null && !(Array.isArray(value) && !value.length);

const word = (key) => languages[language][key];
const reason = (code) => code && (word(`reason.${code}`) ?? String(code).replaceAll("_", " "));
const before = (verdict) => [word(`round.${verdict?.verdict}`) ?? verdict?.verdict, verdict?.result ? told(verdict.result) : reason(verdict?.reason)].filter(Boolean).join("; ");

// A result in words; of a game that has none here, by the names that the event has.
function told(value, name = "") {
  if (Array.isArray(value)) return value.map((one) => told(one, "one")).join(name.endsWith("dice") ? "-" : " ");
  if (value === null || typeof value !== "object") return word(`is.${name}.${value}`) ?? word(`is.${value}`) ?? String(value);
  const parts = Object.entries(value).filter(isShown).map(([key, one]) => [word(`is.${key}`) ?? key.replaceAll("_", " "), told(one, key)].filter(Boolean).join(" "));
  return name ? `(${parts.join(", ")})` : parts.join(", ");
}

function event() {
  let read;
  try {
    read = JSON.parse(texts.event);
  } catch {
    return "";
  }
  const data = read?.data ?? {};
  const row = (word, value, attributes = {}) => (value === undefined || value === null || value === "" ? [] : [el("dt", {}, t(word)), el("dd", attributes, String(value))]);
  const kind = String(read.type ?? "").replace(/^.*?(round\.[a-z_]+).*$/, "$1");
  const corrected = kind === "round.corrected";
  const stands = (corrected ? data.to : data) ?? {};
  const named = corrected ? `round.${stands.verdict}` : kind;
  return el(
    "section",
    {},
    el("p", { class: "marks" }, data.simulated ? el("strong", {}, t("simulation")) : null, data.house_rules ? el("strong", {}, t("house_rules")) : null),
    el("dl", {}, row("table", data.table), row("round", data.round), row("time", Number.isNaN(Date.parse(read.time)) ? read.time : when(Date.parse(read.time))), row("kind", word(named) ?? read.type), row("result", stands.result ? told(stands.result) : undefined, { class: "result" }), row("reason", reason(stands.reason)), row("made_by", corrected ? t(data.confirmed ? "round.confirmed" : "round.corrected") : ""), row("before", corrected ? before(data.from) : ""), row("event", read.id)),
  );
}

const field = (name) => el("div", {}, el("label", { for: name }, t(`field.${name}`)), filled(name));
function filled(name) {
  const area = el("textarea", { id: name, spellcheck: "false" });
  area.value = texts[name];
  return area;
}

function again() {
  for (const name of ["event", "proof", "policy"]) texts[name] = document.getElementById(name).value.replaceAll("\r", "").trim();
  if (texts.proof) texts.proof += "\n";
  trouble = pending = texts.link = "";
  show();
}

// A code's dark modules, with four light ones around it (ISO/IEC 18004).
function code(rows = []) {
  if (!rows.length) return "";
  const size = rows.length + 8;
  const path = rows.flatMap((row, y) => [...row].map((dark, x) => (dark === "1" ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  return el("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": texts.link, "shape-rendering": "crispEdges" }, el("rect", { width: size, height: size, fill: "#fff" }), el("path", { d: path, fill: "#000" }));
}

// This very page with what it shows, in one file.
function save() {
  const copy = document.documentElement.cloneNode(true);
  copy.querySelector("#main").replaceChildren();
  // As text: the content policy lets no script set the text of another.
  const data = JSON.stringify({ ...texts, expected }).replaceAll("<", "\\u003c");
  const html = copy.outerHTML.replace(/(id="given">)[^<]*/, (_, mark) => mark + data);
  const url = URL.createObjectURL(new Blob([`<!doctype html>\n${html}`], { type: "text/html" }));
  const link = el("a", { href: url, download: "result.html" });
  link.click();
}

async function start() {
  expected = given.expected ?? null;
  const [, id, hash] = /^#(.+)\/([\w-]{43})$/.exec(location.hash) ?? [];
  const round = /^#round\/([^/]+)\/(\d+)$/.exec(location.hash);
  if (id) expected = { id: decodeURIComponent(id), hash };
  const where = round ? `round/${round[1]}/${round[2]}` : id ? `proof/${id}` : "";
  if (where && location.protocol.startsWith("http")) {
    try {
      const answer = await fetch(where);
      if (answer.ok) Object.assign(texts, await answer.json());
      else {
        const why = (await answer.text()).trim().slice(0, 300);
        const known = { 404: "not_found", 409: "changed", 500: round && "not_known", 503: "not_yet" }[answer.status];
        if (answer.status === 425) pending = t("being_compared");
        else trouble = t(known || "offline", { what: why ? `${answer.status}: ${why}` : answer.status });
      }
    } catch (error) {
      trouble = t("offline", { what: error.message });
    }
  }
  show();
}

addEventListener("hashchange", () => location.reload());
start();
