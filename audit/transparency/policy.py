"""A policy (C2SP tlog-policy): whose logs and witnesses are trusted, and how many witnesses must have cosigned.

log feltwire/3f9c…+9c41d2aa+AQ…      the key of a log
witness a witness-a.example+…  https://witness-a.example/     a name here, its key, where it is reached
witness b witness-b.example+…
group both all a b                   any, all, or a number of those that follow
quorum both                          or none

It may name witnesses that sign with ML-DSA-44, which is not checked here: they never count as having cosigned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from audit.transparency.checkpoints import Checkpoint, cosigned_at, is_signed
from audit.transparency.notes import LOG_KEY, ML_DSA_KEY, WITNESS_KEY, NoteError, NoteKey, SignedNote

NONE: Final = "none"
"""The quorum that asks for no witness."""
_CONTROL: Final = re.compile("[\0-\x08\x0b-\x1f\x7f]")


class PolicyError(ValueError):
    """A policy that cannot be used; the message names the line, and what to do."""


class PolicyWitness(NamedTuple):
    """A witness, or a log, of a policy."""

    key: NoteKey
    url: str
    """Where it is reached, ending in a slash; empty where that is not stated."""


class _Group(NamedTuple):
    least: int
    members: tuple[str, ...]


class WitnessPolicy(NamedTuple):
    """Whom a verifier trusts."""

    logs: tuple[NoteKey, ...]
    """Empty: of which log a checkpoint is, the verifier knows otherwise."""
    witnesses: Mapping[str, PolicyWitness]
    groups: Mapping[str, _Group]
    quorum: str
    uncounted: Mapping[str, NoteKey]
    """Witnesses whose signatures are not checked here: they are never asked, and never count as having cosigned."""

    @classmethod
    def parse(cls, text: str) -> WitnessPolicy:
        """Reads a policy.

        Raises:
            PolicyError: a line is wrong, or the quorum is missing.
        """
        reader = _PolicyReader()
        for number, line in enumerate(text.split("\n"), 1):
            if found := _CONTROL.search(line):
                # Such as the end of a line elsewhere, behind which a person sees what is a comment here.
                raise PolicyError(
                    f"line {number}: it has the control character {found[0]!a}; a policy has no other than tabs and \\n"
                )
            words = line.replace("\t", " ").split(" ")
            words = [word for word in words if word]
            if not words or words[0].startswith("#"):
                continue
            try:
                reader.take(words)
            except (PolicyError, NoteError) as error:
                raise PolicyError(f"line {number}: {error}") from error
        if reader.quorum is None:
            raise PolicyError('it has no quorum; write "quorum NAME" of a witness or a group, or "quorum none"')
        return cls(tuple(reader.logs), reader.witnesses, reader.groups, reader.quorum, reader.uncounted)

    @property
    def asks_for_none(self) -> bool:
        """Whether the log's own signature is enough."""
        return self.quorum == NONE

    def is_met(self, cosigners: Collection[str]) -> bool:
        """Whether these witnesses are enough."""
        return self.asks_for_none or self._has(self.quorum, cosigners)

    def lacking(self, cosigners: Collection[str]) -> str:
        """How many of the witnesses these are, and which have not cosigned, in words."""
        names = [*self.witnesses, *self.uncounted]
        away = [name for name in names if name not in cosigners]
        return f"{len(names) - len(away)} of {len(names)} did; missing: {', '.join(away)}"

    def _has(self, name: str, cosigners: Collection[str]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return name in cosigners
        return sum(self._has(member, cosigners) for member in group.members) >= group.least

    def size_met(self, checkpoints: Collection[CheckedCheckpoint]) -> int:
        """How many first records enough witnesses cosigned, by checkpoints of one history; 0 for none."""

        def cosigners(size: int) -> set[str]:
            return {name for one in checkpoints if one.checkpoint.size >= size for name in one.cosigned}

        sizes = (one.checkpoint.size for one in checkpoints)
        return max((size for size in sizes if self.is_met(cosigners(size))), default=0)

    def check(self, note: SignedNote, log: NoteKey | None = None) -> CheckedCheckpoint:
        """Checks the signatures of a checkpoint. `log` is its log's key, where that is known without the policy.

        Raises:
            NoteError: it is not a checkpoint, no trusted log signed it, or a signature of a trusted key is not good.
        """
        checkpoint = Checkpoint.parse(note.text)
        trusted = self.logs if log is None else (log,)
        if not any(key.name == checkpoint.origin and is_signed(note, key) for key in trusted):
            raise NoteError(f"no trusted key of the log {checkpoint.origin[:80]!a} signed it")
        times: dict[str, int] = {}
        for name, witness in self.witnesses.items():
            for signature in note.signatures:
                if signature.is_by(witness.key):
                    time_s = cosigned_at(note.text, signature, witness.key)
                    if time_s is None:
                        raise NoteError(f"the cosignature of {witness.key.name} is not good")
                    times[name] = max(time_s, times.get(name, 0))
        return CheckedCheckpoint(checkpoint, times, self.is_met(times))


class CheckedCheckpoint(NamedTuple):
    """A checkpoint that a trusted log signed."""

    checkpoint: Checkpoint
    cosigned: Mapping[str, int]
    """By witness, when it cosigned, in seconds since 1970."""
    met: bool
    """Whether these are as many as the policy asks for."""


class _PolicyReader:
    def __init__(self) -> None:
        self.logs: list[NoteKey] = []
        self.witnesses: dict[str, PolicyWitness] = {}
        self.uncounted: dict[str, NoteKey] = {}
        self.groups: dict[str, _Group] = {}
        self.quorum: str | None = None
        self._used: set[str] = set()

    def take(self, words: list[str]) -> None:
        match words:
            case ["log", key] | ["log", key, _]:
                self.logs.append(self._new(key, self.logs, LOG_KEY))
            case ["witness", name, key, *rest] if len(rest) <= 1:
                known = (*(one.key for one in self.witnesses.values()), *self.uncounted.values())
                witness = PolicyWitness(self._new(key, known, WITNESS_KEY, ML_DSA_KEY), _url(rest))
                if witness.key.kind == WITNESS_KEY:
                    self.witnesses[self._name(name)] = witness
                else:
                    self.uncounted[self._name(name)] = witness.key
            case ["group", name, least, *members] if members:
                self.groups[self._name(name)] = _Group(_least(least, len(members)), tuple(map(self._member, members)))
            case ["quorum", name]:
                if self.quorum is not None:
                    raise PolicyError("it has a quorum already; keep one")
                if name != NONE and not self._is_known(name):
                    raise PolicyError(f"nothing before it is called {name!a}")
                self.quorum = name
            case _:
                expected = '"log KEY", "witness NAME KEY [URL]", "group NAME any|all|N NAME…" or "quorum NAME"'
                raise PolicyError(f"expected {expected}")

    def _is_known(self, name: str) -> bool:
        return name in self.witnesses or name in self.groups or name in self.uncounted

    def _name(self, name: str) -> str:
        if name == NONE or self._is_known(name):
            raise PolicyError(f"the name {name!a} is taken; choose another")
        return name

    def _member(self, name: str) -> str:
        if not self._is_known(name):
            raise PolicyError(f"nothing before it is called {name!a}")
        if name in self._used:
            raise PolicyError(f"{name!a} is in a group already: it would count twice")
        self._used.add(name)
        return name

    def _new(self, text: str, known: Iterable[NoteKey], *kinds: int) -> NoteKey:
        key = NoteKey.parse(text)
        if key.kind not in kinds:
            raise PolicyError(f"the key {key.name!a} is one of a {'log' if key.kind == LOG_KEY else 'witness'}")
        if any(one.public == key.public for one in known):
            raise PolicyError(f"the key of {key.name!a} is there twice")
        return key


def _least(text: str, members: int) -> int:
    if text in ("any", "all"):
        return 1 if text == "any" else members
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= members):
        raise PolicyError(f"a group of {members} asks for any, all, or 1 to {members} of them, not {text!a}")
    return int(text)


def _url(rest: list[str]) -> str:
    if not rest:
        return ""
    try:
        parts = urlsplit(rest[0])
        known = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        known = False
    if not known:
        raise PolicyError(f"{rest[0]!a} is not where a witness is reached: write http://… or https://…")
    return rest[0].rstrip("/") + "/"


# --- checkpoints of several witnesses ---------------------------------------------------------------------------------


GrowthCheck: TypeAlias = Callable[[Checkpoint, Checkpoint], str]
"""Asks the log for a consistency proof between two checkpoints; why there is no good one, or nothing."""


class HistoryFork(NamedTuple):
    """Two signed checkpoints of one log that cannot both be of one history."""

    first: Checkpoint
    second: Checkpoint
    why: str

    def __str__(self) -> str:
        one, other = self.first, self.second
        return f"the first {one.size} records and the first {other.size} are not of one history: {self.why}"


def forks_between(checkpoints: Iterable[Checkpoint], show_growth: GrowthCheck) -> list[HistoryFork]:
    """Where checkpoints of one log, that several witnesses cosigned, are not of one history: each is held against the
    next larger one. What is between one and the next but one follows from both.

    `show_growth` states why the log could not show that the larger continues the smaller; empty where it did.
    """
    found: list[HistoryFork] = []
    for one, other in pairwise(sorted(set(checkpoints), key=lambda each: (each.size, each.root))):
        if one.size == other.size:
            found.append(HistoryFork(one, other, "one size, and two roots"))
        elif why := show_growth(one, other):
            found.append(HistoryFork(one, other, why))
    return found
