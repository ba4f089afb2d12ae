// Wheels seen from above or before: angles are those of the drivers, growing in the positive direction, and 0 is at the
// top of the drawing.

import { h } from "/web/dom.js";
import { t } from "../words.js";
import { phrase, setText } from "../text.js";

const RED = new Set("1 3 5 7 9 12 14 16 18 19 21 23 25 27 30 32 34 36".split(" "));
const FACE_COLOURS = ["#2f6f55", "#3a5f8f", "#8a6a2a", "#7a3f6d", "#8f3d3d", "#2e7f86", "#5d5aa0", "#6b7a2c"];

/** A point on a circle; `turn` is +1 where the positive direction is clockwise. */
function at(deg, radius, turn = 1) {
  const angle = ((turn * deg - 90) * Math.PI) / 180;
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

function sector(fromDeg, toDeg, inner, outer, turn) {
  const [a, b, c, d] = [at(fromDeg, outer, turn), at(toDeg, outer, turn), at(toDeg, inner, turn), at(fromDeg, inner, turn)];
  const sweep = turn > 0 ? 1 : 0;
  return `M${a}A${outer} ${outer} 0 0 ${sweep} ${b}L${c}A${inner} ${inner} 0 0 ${1 - sweep} ${d}Z`;
}

function label(text, deg, radius, turn, size, upright = true) {
  const [x, y] = at(deg, radius, turn);
  return h("text", {
    x, y, "font-size": size, fill: "#f4f8fb", "text-anchor": "middle", "dominant-baseline": "central",
    transform: `rotate(${turn * deg + (upright ? 0 : 90)} ${x} ${y})`, "font-family": "system-ui, DejaVu Sans, sans-serif", "font-weight": 600,
  }, text);
}

function arrow(turn, radius, colour) {
  const [from, to, tip] = [at(-24, radius, turn), at(24, radius, turn), at(31, radius, turn)];
  const [inner, outer] = [at(22, radius - 6, turn), at(22, radius + 6, turn)];
  return h("g", { fill: colour, stroke: colour },
    h("path", { d: `M${from}A${radius} ${radius} 0 0 ${turn > 0 ? 1 : 0} ${to}`, fill: "none", "stroke-width": 2.5 }),
    h("path", { d: `M${tip}L${inner}L${outer}Z`, stroke: "none" }));
}

const turned = (group, deg) => group.setAttribute("transform", `rotate(${deg.toFixed(3)})`);

/** A speed with its doubt, where pegs are few. */
function speedOf({ motion, rpm, rpm_doubt: doubt }) {
  const span = doubt && motion !== "at rest" ? ` (${doubt[0].toFixed(1)}–${doubt[1].toFixed(1)})` : "";
  return t("draw.rpm", { n: `${rpm.toFixed(1)}` }) + span;
}

export function moneyWheel(first) {
  const turn = first.clockwise ? 1 : -1;
  const n = first.faces.length;
  const kinds = [...new Set(first.faces)];
  const wheel = h("g");
  first.faces.forEach((face, k) => {
    const width = 360 / n;
    const piece = h("path", {
      d: sector((k - 0.5) * width, (k + 0.5) * width, 92, 140, turn),
      fill: FACE_COLOURS[kinds.indexOf(face) % FACE_COLOURS.length], stroke: "#0b1015", "stroke-width": 0.8,
    });
    const [x, y] = at((k + 0.5) * width, 144, turn);
    wheel.append(piece, label(face, k * width, 117, turn, n > 30 ? 9.5 : 12, n <= 30), h("circle", { cx: x, cy: y, r: 2, fill: "#cfd8df" }));
  });
  wheel.append(h("circle", { r: 91, fill: "#131c25", stroke: "#31404f" }), h("path", { d: "M0 -90V-74", stroke: "#5cb8ff", "stroke-width": 3 }));
  const outline = h("path", { d: sector(-180 / n, 180 / n, 92, 140, turn), fill: "none", stroke: "#ffc145", "stroke-width": 3, visibility: "hidden" });
  wheel.append(outline);
  const [fx, fy] = at(0, 150, turn);
  const flapper = h("path", { d: `M${fx - 8} ${fy - 12}L${fx + 8} ${fy - 12}L${fx} ${fy + 14}Z`, fill: "#ffc145", stroke: "#0b1015" });
  const ways = { 1: arrow(turn, 62, "#3ddc97"), "-1": arrow(-turn, 62, "#3ddc97") };
  const turns = h("text", { y: -4, "text-anchor": "middle", fill: "#e8eef4", "font-size": 38, "font-weight": 700 });
  const words = h("text", { y: 22, "text-anchor": "middle", fill: "#9fb0c0", "font-size": 13 });
  const speed = h("text", { y: 40, "text-anchor": "middle", fill: "#9fb0c0", "font-size": 12 });
  const drawing = h("svg", { viewBox: "-172 -172 344 336", "aria-hidden": "true" }, wheel, flapper, ways[1], ways[-1], turns, words, speed);
  return {
    drawing,
    update(view) {
      if (view.angle_deg !== null) turned(wheel, turn * (view.angle_deg - view.indicator_deg));
      wheel.setAttribute("opacity", view.angle_deg === null ? 0.45 : 1);
      for (const way of [1, -1]) ways[way].setAttribute("visibility", view.motion !== "at rest" && view.direction === way ? "visible" : "hidden");
      setText(turns, view.turns.toFixed(2));
      setText(words, view.motion === "at rest" ? (view.space === null ? t("draw.at_rest") : t("draw.rest_on", { face: view.faces[view.space] })) : t("draw.motion", { motion: phrase(view.motion) }));
      setText(speed, speedOf(view));
      outline.setAttribute("visibility", view.space === null ? "hidden" : "visible");
      if (view.space !== null) outline.setAttribute("transform", `rotate(${(turn * view.space * 360) / n})`);
    },
  };
}

export function rouletteWheel(first) {
  const n = first.pockets.length;
  const rotor = h("g");
  const pieces = first.pockets.map((name, k) => {
    const width = 360 / n;
    const fill = /^0+$/.test(name) ? "#167a4a" : RED.has(name) ? "#a8282e" : "#1b2128";
    const piece = h("path", { d: sector((k - 0.5) * width, (k + 0.5) * width, 74, 104, 1), fill, stroke: "#c9a65a", "stroke-width": 0.5 });
    rotor.append(piece, label(name, k * width, 96, 1, 8.5));
    return piece;
  });
  rotor.append(h("circle", { r: 74, fill: "#1a130d", stroke: "#c9a65a" }), h("path", { d: "M0 -72V-60", stroke: "#5cb8ff", "stroke-width": 3 }));
  const pocketBall = h("circle", { r: 5, fill: "#fff", stroke: "#5b6670", visibility: "hidden" });
  rotor.append(pocketBall);
  const sensors = first.sensors_deg.map((deg, k) => {
    const [x, y] = at(deg, 153);
    const [tx, ty] = at(deg, 164);
    return h("g", {}, h("circle", { cx: x, cy: y, r: 5, fill: "#22303c", stroke: "#5cb8ff", "stroke-width": 1.5, class: "sensor" }),
      h("text", { x: tx, y: ty, fill: "#8fc8f5", "font-size": 10, "text-anchor": "middle", "dominant-baseline": "central" }, String(k + 1)));
  });
  const head = h("g", { transform: `rotate(${first.head_deg})` }, h("path", { d: "M-6 -122L6 -122L0 -107Z", fill: "#ffc145" }));
  const ball = h("circle", { r: 6.5, fill: "#fff", stroke: "#39434c", visibility: "hidden" });
  const trail = h("path", { fill: "none", stroke: "#fff", "stroke-opacity": 0.35, "stroke-width": 6, "stroke-linecap": "round" });
  const rotorWays = { 1: arrow(1, 58, "#c9a65a"), "-1": arrow(-1, 58, "#c9a65a") };
  const ballWays = { 1: arrow(1, 128, "#fff"), "-1": arrow(-1, 128, "#fff") };
  const laps = h("text", { y: -6, "text-anchor": "middle", fill: "#f4f8fb", "font-size": 30, "font-weight": 700 });
  const words = h("text", { y: 14, "text-anchor": "middle", fill: "#b9a88a", "font-size": 11 });
  const speed = h("text", { y: 30, "text-anchor": "middle", fill: "#b9a88a", "font-size": 11 });
  const object = h("g", { visibility: "hidden" }, h("rect", { x: -166, y: 122, width: 92, height: 20, rx: 4, fill: "#8f2f33" }),
    h("text", { x: -120, y: 133, fill: "#fff", "font-size": 11, "text-anchor": "middle", "dominant-baseline": "central" }, t("draw.object")));
  const bubble = h("circle", { cx: 148, cy: 142, r: 4, fill: "#3ddc97" });
  const vial = h("g", {}, h("circle", { cx: 148, cy: 142, r: 14, fill: "#0d1b16", stroke: "#31604c" }), h("circle", { cx: 148, cy: 142, r: 6, fill: "none", stroke: "#31604c" }), bubble);
  const tilt = h("text", { x: 128, y: 146, fill: "#9fb0c0", "font-size": 10, "text-anchor": "end" });
  const drawing = h("svg", { viewBox: "-174 -174 348 342", "aria-hidden": "true" },
    h("circle", { r: 145, fill: "#3a2415", stroke: "#6e4a2c", "stroke-width": 2 }), h("circle", { r: 122, fill: "#24160d", stroke: "#6e4a2c" }),
    trail, rotor, sensors, head, ballWays[1], ballWays[-1], rotorWays[1], rotorWays[-1], laps, words, speed, object, vial, tilt, ball);
  let marked = null;
  return {
    drawing,
    update(view) {
      if (view.rotor_deg !== null) turned(rotor, view.rotor_deg);
      rotor.setAttribute("opacity", view.rotor_deg === null ? 0.5 : 1);
      const [state, direction, lapsProven, lapsHigh, , , atDeg] = view.ball;
      const runs = state === "in the track" && atDeg !== null;
      ball.setAttribute("visibility", runs ? "visible" : "hidden");
      trail.setAttribute("visibility", runs && direction ? "visible" : "hidden");
      if (runs) {
        const [x, y] = at(atDeg, 134);
        ball.setAttribute("cx", x);
        ball.setAttribute("cy", y);
        const [tx, ty] = at(atDeg - direction * 26, 134);
        trail.setAttribute("d", `M${tx} ${ty}A134 134 0 0 ${direction > 0 ? 1 : 0} ${x} ${y}`);
      }
      for (const way of [1, -1]) {
        rotorWays[way].setAttribute("visibility", view.rotor_direction === way ? "visible" : "hidden");
        ballWays[way].setAttribute("visibility", runs && direction === way ? "visible" : "hidden");
      }
      setText(laps, state === "none" && !lapsProven ? "–" : lapsProven.toFixed(2) + (lapsHigh - lapsProven > 0.005 ? "+" : ""));
      setText(words, state === "none" ? (lapsProven ? t("draw.laps_last") : t("draw.no_ball")) : t("draw.laps", { state: phrase(state) }));
      setText(speed, t("draw.rpm", { n: view.rotor_rpm.toFixed(1) }));
      object.setAttribute("visibility", view.object ? "visible" : "hidden");
      setText(tilt, `${view.tilt_deg.toFixed(2)}°`);
      bubble.setAttribute("cy", 142 - Math.min(10, view.tilt_deg * 30));
      bubble.setAttribute("fill", view.level ? "#3ddc97" : "#ff6b6b");
      const pocket = view.pocket;
      if (marked !== pocket) {
        if (marked !== null) pieces[marked].setAttribute("stroke", "#c9a65a");
        if (pocket !== null) pieces[pocket].setAttribute("stroke", "#ffc145");
        marked = pocket;
      }
      pocketBall.setAttribute("visibility", pocket === null || runs ? "hidden" : "visible");
      if (pocket !== null) {
        const [x, y] = at((pocket * 360) / n, 81);
        pocketBall.setAttribute("cx", x);
        pocketBall.setAttribute("cy", y);
      }
    },
    lines(levels) {
      sensors.forEach((sensor, k) => sensor.querySelector(".sensor").setAttribute("fill", levels(`ball_${k + 1}`) ? "#5cb8ff" : "#22303c"));
    },
  };
}

export function starX() {
  const state = h("text", { x: 170, y: 40, "text-anchor": "middle", fill: "#e8eef4", "font-size": 22, "font-weight": 700 });
  const number = h("text", { x: 170, y: 88, "text-anchor": "middle", fill: "#ffc145", "font-size": 34, "font-weight": 700 });
  return {
    drawing: h("svg", { viewBox: "0 0 340 110", "aria-hidden": "true" }, state, number),
    update(view) {
      setText(state, view.linked ? phrase(view.state) : t("draw.no_status"));
      setText(number, view.pocket ?? "–");
    },
  };
}
