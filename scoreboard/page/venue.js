// The venue's own: colors, and a strip with a logo, the charity's name, a message and the sponsors in turn.
//
// All of it is data: words are text, images come from this server, encoded by it, and a color is one of a list.

import { h } from "./web/dom.js";
import { place } from "./around.js";
import { t } from "./words.js";

const COLORS = new Set(["--felt-deep", "--felt", "--felt-raised", "--felt-top", "--line", "--brass", "--strip", "--strip-text"]);
const COLOR = /^#[0-9a-f]{6}$/;

let timer = null;

// Shows a venue in place of the one before it; `still` says whether nothing may change by itself.
export async function showVenue({ charity = "", message = "", logo = null, sponsors = [], colors = {} }, still) {
  clearTimeout(timer);
  const root = document.documentElement.style;
  for (const name of COLORS) {
    if (COLOR.test(colors[name] ?? "")) root.setProperty(name, colors[name]);
    else root.removeProperty(name);
  }
  if (!charity && !message && !logo && !sponsors.length) return place("strip", null);
  const shown = sponsors.map((one) => image(one, one.name));
  const places = h("div.sponsors", { "aria-label": t("sponsors"), role: "group" }, shown);
  const strip = h(
    "aside",
    { "aria-label": t("venue") },
    logo ? h("div.logo", {}, image(logo, charity || t("venue.logo"))) : null,
    h("div.venue-words", {}, charity ? h("strong.charity", { dir: "auto" }, charity) : null, message ? h("span.message", { dir: "auto" }, message) : null),
    shown.length ? places : null,
  );
  inTurn(places, shown, sponsors, 0, still);
  return place("strip", strip);
}

const image = ({ src, width, height, on_light: onLight }, words) => h("img", { src, width, height, alt: words, class: onLight ? "on-light" : null, decoding: "async" });

// One after the other, each for its time; from where nothing may move any more, all of them. Only what is shown is read to
// a person who cannot see it.
function inTurn(places, shown, sponsors, at, still) {
  const all = still();
  places.classList.toggle("all", all);
  shown.forEach((one, place) => {
    one.hidden = !all && place !== at;
  });
  if (!all && shown.length > 1) timer = setTimeout(inTurn, sponsors[at].seconds * 1000, places, shown, sponsors, (at + 1) % shown.length, still);
}
