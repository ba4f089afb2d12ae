// Money wheel: the face under the indicator, how often each face came, and the last twenty.

import { h } from "../web/dom.js";
import { motion, shares, shareWindow, strip, windowOf } from "../parts.js";
import { number, short, t } from "../words.js";

const KINDS = { $1: "f1", $2: "f2", $5: "f5", $10: "f10", $20: "f20", flag: "special", joker: "special" };

const faceOf = (face) => (face === "flag" || face === "joker" ? t(`face.${face}`) : short(face, 7));
const OWN = ["f1", "f2", "f5", "f10", "f20", "special"];
// A house's own face has the color of its place among the faces, the commonest first.
function kindOf(face, view) {
  const place = (view.statistics.face ?? []).findIndex(([one]) => one === face);
  return KINDS[face] ?? OWN[Math.min(Math.max(place, 0), OWN.length - 1)];
}

export const say = (result) => faceOf(result.face);

export function hero(result, view) {
  const text = faceOf(result.face);
  return h(`div.plate.${kindOf(result.face, view)}`, { "data-key": `f${result.space}` }, h("strong.giant", { class: `long${Math.min(7, text.length)}` }, text));
}

export function moving(view) {
  const rpm = view.motion?.rpm;
  return motion(view, {
    count: view.motion?.revolutions ?? null,
    unit: rpm ? t("rpm", { n: number(rpm) }) : t("turns"),
    rate: rpm ? rpm / 60 : 0,
  });
}

export function panel(view) {
  const faces = view.statistics.face ?? [];
  return [
    h(
      "div.share-groups.one",
      {},
      shares("faces", faces.map(([face, count]) => [faceOf(face), count, kindOf(face, view)]), view.counted),
    ),
    windowOf(view, shareWindow(view)),
  ];
}

export function history(view) {
  return strip(view, (result) => h(`span.face.${kindOf(result.face, view)}`, {}, h("span.face-word", {}, faceOf(result.face))));
}
