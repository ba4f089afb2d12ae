"""Whether what is on a page has its place on the screen, and whether axe finds anything."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

HD, FULL_HD, UHD, PORTRAIT, PHONE = (1280, 720), (1920, 1080), (3840, 2160), (1080, 1920), (360, 640)
LEAST_SHARE, LEAST_PX = 0.022, 12
"""The least height of text: of the shorter side of a screen, and on a phone."""

# What lies outside the frame of its board, covers the part below it, or leaves the part that it is in.
OVERFLOWS = """() => {
  const found = [];
  const named = one => `${one.tagName}.${one.getAttribute("class")}`;
  const isInside = (one, edge, slack) =>
    one.right <= edge.right + slack && one.left >= edge.left - slack &&
    one.bottom <= edge.bottom + slack && one.top >= edge.top - slack;
  for (const frame of document.querySelectorAll(".frame")) {
    const report = text => found.push(`${frame.parentElement.dataset.key.slice(0, 40)}: ${text}`);
    const edge = frame.getBoundingClientRect();
    for (const element of frame.querySelectorAll("*")) {
      if (element.closest(".watermark, .spoken")) continue;
      const box = element.getBoundingClientRect();
      if (box.width && !isInside(box, edge, 1)) report(`${named(element)} is outside`);
    }
    const parts = [...frame.children].filter(one => !one.matches(".watermark") && one.offsetHeight);
    parts.slice(1).forEach((next, at) => {
      if (parts[at].getBoundingClientRect().bottom > next.getBoundingClientRect().top + 1)
        report(`${named(parts[at])} covers ${named(next)}`);
    });
    for (const one of frame.querySelectorAll(".hero, .panel, .view, .road, .plate, .hands, .area")) {
      const box = one.getBoundingClientRect();
      for (const child of one.children) {
        const inner = child.getBoundingClientRect();
        const slack = box.height * 0.02 + 2;
        if (inner.height && (inner.bottom > box.bottom + slack || inner.top < box.top - slack))
          report(`${named(child)} leaves ${named(one)}`);
      }
    }
  }
  return found;
}"""


# What lies outside the page's width, is cut off without a sign of it, leaves its drawing, or covers another text.
PAGE_OVERFLOWS = """() => {
  const found = [];
  const named = one =>
    `${one.tagName}#${one.id}.${one.getAttribute("class") ?? ""} "${one.textContent.trim().slice(0, 30)}"`;
  const wide = document.documentElement.clientWidth;
  const scrolls = one => /auto|scroll/.test(getComputedStyle(one).overflow);
  const leaves = [];
  for (const one of document.body.querySelectorAll("*")) {
    if (!one.checkVisibility() || one.closest(".hidden-input, option")) continue;
    if (one.closest("svg") && !/^(svg|text)$/.test(one.tagName)) continue;
    const box = one.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    if (box.right > wide + 1 || box.left < -1) found.push(`${named(one)} is outside the page`);
    if (one.tagName === "text") {
      const frame = one.ownerSVGElement.getBoundingClientRect();
      const isInside = box.left > frame.left - 1 && box.right < frame.right + 1;
      if (!isInside || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        found.push(`${named(one)} leaves its drawing`);
      continue;
    }
    const style = getComputedStyle(one);
    const mayBeCut = scrolls(one) || style.textOverflow === "ellipsis" || one.tagName === "SELECT";
    if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth && !mayBeCut)
      found.push(`${named(one)} is wider than its place`);
    let scroller = one.parentElement;
    while (scroller && !scrolls(scroller)) scroller = scroller.parentElement;
    const port = scroller?.getBoundingClientRect();
    if (port && (box.bottom > port.bottom + 1 || box.top < port.top - 1)) continue;
    const speaks = [...one.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.textContent.trim());
    if (speaks || /BUTTON|SELECT|INPUT|CANVAS|svg/.test(one.tagName)) leaves.push([one, box]);
  }
  leaves.forEach(([one, box], at) => {
    for (const [other, next] of leaves.slice(at + 1)) {
      if (one.contains(other) || other.contains(one) || one.closest("label")?.control === other) continue;
      const across = Math.min(box.right, next.right) - Math.max(box.left, next.left);
      const down = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
      if (across > 2 && down > 2) found.push(`${named(one)} covers ${named(other)}`);
    }
  });
  return found;
}"""


def page_fits(page: Page, *sizes: tuple[int, int]) -> list[str]:
    """What of a page that scrolls leaves its place at these sizes of a screen."""
    found = []
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        found += [f"{width}x{height} {problem}" for problem in page.evaluate(PAGE_OVERFLOWS)]
    return found


# Text that is lower than `least` pixels, as it is drawn: what scales a drawing scales its text.
TOO_SMALL = """least => {
  const found = new Set();
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    const element = texts.currentNode.parentElement;
    if (!text || element.closest(".watermark, .spoken")) continue;
    if (!element.checkVisibility({visibilityProperty: true})) continue;
    let size = parseFloat(getComputedStyle(element).fontSize);
    if (element.ownerSVGElement) size *= Math.hypot(element.getScreenCTM().a, element.getScreenCTM().b);
    if (size < least - 0.05)
      found.add(`${element.tagName}.${element.getAttribute("class")} has text of ${size.toFixed(1)} px: ${text}`);
  }
  return [...found];
}"""

# What a spectator has to read whole, and is cut; parts of a board that hide what has no room in them.
CUT = """() => [
  ...[...document.querySelectorAll(".name, .words, .simulation, .house-rules, .page-mark, .clock")]
    .filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline"),
  ...[...document.querySelectorAll(".kinds, .panel, .view, .recall, footer")]
    .filter(one => one.checkVisibility()
      && one.scrollHeight > one.clientHeight + 2 + 0.2 * parseFloat(getComputedStyle(one).fontSize)),
].map(one => `${one.className || one.tagName} is cut: ${one.textContent.slice(0, 40)}`)"""


def least_text(size: tuple[int, int]) -> float:
    """The least height of text on a screen of this size, in pixels."""
    return max(LEAST_PX, LEAST_SHARE * min(size))


def resize(page: Page, size: tuple[int, int]) -> None:
    """Gives the screen this size; waits until the page is drawn for it."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    expect(page.locator(f'main[data-size="{size[0]}x{size[1]}"]')).to_be_attached()
    page.evaluate("() => document.fonts.ready.then(() => null)")


def reads(page: Page, *sizes: tuple[int, int]) -> list[str]:
    """What leaves its place at these sizes of a screen, is cut, or too small to read."""
    found = []
    for size in sizes:
        found += fits(page, size)
        wrong = [*page.evaluate(CUT), *page.evaluate(TOO_SMALL, least_text(size))]
        found += [f"{size[0]}x{size[1]} {problem}" for problem in wrong]
    return found


def fits(page: Page, *sizes: tuple[int, int]) -> list[str]:
    """What leaves its place at these sizes of a screen."""
    found = []
    for width, height in sizes:
        resize(page, (width, height))
        found += [f"{width}x{height} {problem}" for problem in page.evaluate(OVERFLOWS)]
    return found


AXE_TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental")


def axe_problems(page: Page, *, experimental: bool = False) -> list[str]:
    """What axe finds; by its experimental rules too, where asked for."""
    # What it passes would be named node by node, which is half of its time.
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if experimental:
        options["runOnly"] = {"type": "tag", "values": [*AXE_TAGS]}
    found: dict[str, Any] = Axe().run(page, options=options).response
    return [
        f"{problem['id']}: {problem['help']}: {node['html'][:200]}"
        for problem in found["violations"]
        for node in problem["nodes"]
    ]
