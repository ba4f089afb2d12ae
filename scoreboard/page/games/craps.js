// Craps: the dice, the puck on its point, the shooter's rolls, and the last twenty.

import { h } from "../web/dom.js";
import { dice, listed, strip } from "../parts.js";
import { t } from "../words.js";

const POINTS = [4, 5, 6, 8, 9, 10];

export const say = (result) => `${listed(result.dice).join("+")} = ${result.total}${decision(result) ? ` ${decision(result)}` : ""}`;

const decision = (result) => t(`decision.${result.decision}`).replace(/^decision\..*/, "");

export function hero(result) {
  return h(
    "div.rolled",
    { "data-key": listed(result.dice).join("") },
    dice(result.dice, "large"),
    h("span.rolled-total", {}, h("strong.giant.medium", {}, result.total), decision(result) ? h(`span.tag.${result.decision}`, {}, decision(result)) : null),
  );
}

export function moving(view) {
  const keyed = view.motion?.keyed ?? [];
  return h("div.motion.plain", { "data-key": "motion" }, h("span.tumbling", { "data-shake": "" }, dice(keyed.length ? keyed : [3, 4], `large${keyed.length ? "" : " unknown"}`)), h("span.motion-word", {}, t("rolling")));
}

export function panel(view) {
  const { on, point, shooter, rolls = [], count = 0 } = view.details;
  return [
    h(
      "div.craps-state",
      {},
      h(`span.puck.${on ? "on" : "off"}`, {}, t(on ? "on" : "off")),
      h("strong", {}, on ? t("point", { n: point }) : t("comeout")),
      shooter ? h("span.shooter", {}, `${t("shooter", { n: shooter })} · ${t(count === 1 ? "rolls.one" : "rolls", { n: count })}`) : null,
    ),
    h(
      "div.points",
      {},
      POINTS.map((value) => h(`span.point${on && point === value ? ".is-point" : ""}`, {}, h("b", {}, value), on && point === value ? h("span.puck.on.small", {}, t("on")) : null)),
    ),
    h(
      "ol.shooter-rolls",
      { "aria-label": t("shooter", { n: shooter ?? "" }) },
      rolls.slice(0, 14).map((result, at) => h("li", { "data-key": `s${count - at}` }, dice(result.dice, "mini"), h("b", {}, result.total), h("small", {}, decision(result)))),
    ),
  ];
}

export function history(view) {
  return strip(view, (result) => h("span.roll", { "aria-label": say(result), role: "img", class: result.decision }, h("b", {}, result.total), dice(result.dice, "mini")));
}

