// Builds elements from values, and makes a tree that is shown equal to a fresh one. Text is only ever text: the content
// policy of the site refuses every other way.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set("svg g path circle ellipse rect line polyline polygon text tspan defs linearGradient radialGradient stop clipPath use title".split(" "));

// h("p.name", {lang: "es"}, "text", child, [more]): an element with classes, attributes and children. null, false and
// undefined are left out; a String object may have an `element()` of its own, which SVG has no place for; `style` is an object of properties (also --custom ones), `on` one of event listeners.
export function h(spec, attributes = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const isSvg = SVG_TAGS.has(tag);
  const element = isSvg ? document.createElementNS(SVG, tag) : document.createElement(tag || "div");
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (name === "on") for (const [kind, listener] of Object.entries(value)) element.addEventListener(kind, listener);
    else if (name === "class") element.setAttribute("class", [...classes, value].join(" "));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  const shown = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => (!isSvg && child instanceof String && child.element ? child.element() : child)));
  return element;
}

// Makes `shown` equal to `fresh`, keeping every element that is in both: focus, animations and what a screen reader has
// read stay. Children with `data-key` are matched by it, others by their place. Listeners are not compared: put them on
// an element that stays. The children of an element with `data-own` are its own.
export function morph(shown, fresh) {
  for (const { name } of [...shown.attributes]) if (!fresh.hasAttribute(name)) shown.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (shown.getAttribute(name) !== value) {
      if (name === "style") copyStyle(shown, fresh);
      else shown.setAttribute(name, value);
    }
  if (fresh.hasAttribute("data-own")) return shown;
  const keyed = new Map();
  for (const child of shown.children) if (child.dataset?.key) keyed.set(child.dataset.key, child);
  let place = shown.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = child.dataset?.key;
    const known = key ? keyed.get(key) : place;
    if (known && isSame(known, child)) {
      if (known === place) place = place.nextSibling;
      else shown.insertBefore(known, place);
      if (known.nodeType === Node.ELEMENT_NODE) morph(known, child);
      else if (known.nodeValue !== child.nodeValue) known.nodeValue = child.nodeValue;
    } else shown.insertBefore(child, place);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
  return shown;
}

function isSame(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && one.dataset?.key === other.dataset?.key;
}

// The `style` attribute itself is refused by the content policy; its properties are not.
function copyStyle(shown, fresh) {
  for (const name of [...shown.style]) if (!fresh.style.getPropertyValue(name)) shown.style.removeProperty(name);
  for (const name of fresh.style) shown.style.setProperty(name, fresh.style.getPropertyValue(name));
}
