"""The suggestion for an unknown name: the known one that is nearest, or all of them."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that a person most likely meant, if any is near."""
    names = list(known)
    folded = {_folded(name): name for name in names}
    wanted = _folded(word[:100])
    begun = [name for name in folded if wanted and name.startswith(wanted)]
    if len(begun) == 1:
        return folded[begun[0]]
    # Loaded where a person made a mistake, and by nothing that runs.
    from difflib import get_close_matches

    found = get_close_matches(wanted, list(folded), n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


def suggestion(word: str, known: Iterable[str], noun: str) -> str:
    """The fix for an unknown name: the nearest known one, or the list of all."""
    names = list(known)
    near = nearest(word, names)
    if near is not None:
        return f'did you mean "{near}"?'
    if not names:
        return f"there is no {noun} here; remove it"
    listed = ", ".join(names)
    return f"the {noun}s here are {listed}" if len(names) > 1 else f"the only {noun} here is {listed}"
