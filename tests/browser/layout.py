"""Whether what is on a page has its place on the screen, and whether axe finds anything."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

HD, FULL_HD, UHD, PORTRAIT = (1280, 720), (1920, 1080), (3840, 2160), (1080, 1920)

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
    for (const one of frame.querySelectorAll(".hero, .panel, .plate, .hands, .area")) {
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


def fits(page: Page, *sizes: tuple[int, int]) -> list[str]:
    """What leaves its place at these sizes of a screen."""
    found = []
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => document.fonts.ready.then(() => null)")
        found += [f"{width}x{height} {problem}" for problem in page.evaluate(OVERFLOWS)]
    return found


def axe_problems(page: Page) -> list[str]:
    found: dict[str, Any] = Axe().run(page).response
    return [
        f"{problem['id']}: {problem['help']}: {node['html'][:200]}"
        for problem in found["violations"]
        for node in problem["nodes"]
    ]
