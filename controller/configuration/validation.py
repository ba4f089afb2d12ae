"""Checks a table of TOML values against a struct, and finds every mistake, not just the first."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, time
from itertools import product
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec
from msgspec import inspect

from controller.configuration.declaration import (
    bounds_words,
    choices,
    fields_of,
    plural,
    type_words,
    unwrap,
    value_text,
)
from controller.configuration.problems import ConfigFinding, Path
from hal.known_names import nearest, suggestion
from hal.plain_text import is_plain

S = TypeVar("S", bound=msgspec.Struct)

_LISTS = (inspect.ListType, inspect.VarTupleType, inspect.SetType, inspect.FrozenSetType)


@runtime_checkable
class ChecksItself(Protocol):
    """A struct that checks its fields against each other."""

    def problems(self) -> list[tuple[str, str, str]]:
        """Each mistake as key, what is wrong, and the fix."""


@runtime_checkable
class ChecksRules(Protocol):
    """Options of a game that are checked against the rules."""

    def against(self, game: str, rules: str) -> list[tuple[str, str, str]]:
        """Each mistake as key, what is wrong, and the fix; `rules` is a profile that has a text for the game."""


def validate(values: object, struct: type[S], path: Path) -> tuple[S | None, list[ConfigFinding]]:
    """Checks `values`, and converts them to the struct.

    Returns:
        The struct, or None if a key is wrong by itself, and every mistake. The struct is returned whatever the checks
        between keys find. Of a section with a wrong key the conflicts are found that do not depend on it.
    """
    moments: Collection[str] = getattr(struct, "moments", ())
    if moments and isinstance(values, dict):
        # TOML has dates of its own; here they are text.
        written = {key: values[key].isoformat() for key in moments if isinstance(values.get(key), date)}
        values = {**values, **written}
    findings = _check_struct(values, struct, path)
    if findings:
        return None, findings + _conflicts_in_spite(values, struct, path, findings)
    try:
        made = msgspec.convert(values, struct)
    except (
        msgspec.ValidationError
    ) as error:  # from a struct's own __post_init__, or a type that the checks below do not know
        return None, [ConfigFinding(path, str(error), "see the description of this section")]
    if isinstance(made, ChecksItself):
        findings = [_conflict(path, one) for one in made.problems()]
    return made, findings


def _conflict(path: Path, conflict: tuple[str, str, str]) -> ConfigFinding:
    key, wrong, fix = conflict
    return ConfigFinding(_below(path, key), wrong, fix)


def _conflicts_in_spite(
    values: object, struct: type[msgspec.Struct], path: Path, findings: list[ConfigFinding]
) -> list[ConfigFinding]:
    """The conflicts between keys that are right: those found with every value tried in place of a wrong key.

    A conflict that a wrong key is part of changes with it, in whether it is found or in its words, and is left out.
    """
    if not isinstance(values, dict):
        return []
    doubtful = _doubtful(values, struct, path, findings)
    below = [one for field in doubtful for one in _conflicts_below(values, field, path)]
    return below + _own_conflicts_in_spite(values, struct, path, doubtful)


def _conflicts_below(values: dict[str, Any], field: inspect.Field, path: Path) -> Iterator[ConfigFinding]:
    """The conflicts in each section of a list in which one of them has a wrong key."""
    kind, listed = unwrap(field.type).type, values.get(field.encode_name)
    if not isinstance(kind, _LISTS) or not isinstance(listed, list):
        return
    item = unwrap(kind.item_type).type
    if isinstance(item, inspect.StructType) and issubclass(item.cls, ChecksItself):
        for number, one in enumerate(listed):
            place = (*path, field.encode_name, number)
            wrong = _check_struct(one, item.cls, place)
            yield from (found for found in validate(one, item.cls, place)[1] if found not in wrong)


def _own_conflicts_in_spite(
    values: dict[str, Any], struct: type[msgspec.Struct], path: Path, doubtful: list[inspect.Field]
) -> list[ConfigFinding]:
    if not issubclass(struct, ChecksItself):
        return []
    right = _right_values(values, struct, doubtful)
    # The other wrong keys have the first of their values meanwhile.
    for field in doubtful:
        right |= next(iter(_values_to_try(field)), {})
    found = [_conflicts(right, struct)]
    for field in doubtful:
        others = {key: value for key, value in right.items() if key != field.encode_name}
        tried = [one for value in _values_to_try(field) if (one := _conflicts(others | value, struct)) is not None]
        if len(tried) < _LEAST_TRIED:
            return []
        found += tried
    names = {field.encode_name for field in doubtful}
    everywhere = [one for one in found[0] or [] if all(one in others for others in found if others is not None)]
    return [_conflict(path, one) for one in everywhere if not names & set(_below((), one[0]))]


class OtherWord(NamedTuple):
    """What people write for a key that has another name: a struct lists them as `other_words`."""

    key: str
    fix: str
    """What to write, such as `inverted = true`."""


def as_section(path: Path, value: object) -> str:
    """How a section is written, where a value is in its place: `[[table]]` begins a list."""
    name = ".".join(map(str, path))
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"write [{name}] in single brackets: [[{name}]] begins a list of sections"
    return f"write it as a section, [{name}]"


class RightPart(NamedTuple, Generic[S]):
    """A section as far as it is right."""

    section: S
    """With the defaults of the keys that are wrong."""
    doubtful: frozenset[str]
    """The keys that are wrong, or may be meant by a key that is not known."""


def right_part(values: object, struct: type[S], path: Path) -> RightPart[S] | None:
    """What is right of a section, to be checked against others in spite of the rest; None where a key is wrong that
    has no default."""
    if not isinstance(values, dict):
        return None
    doubtful = _doubtful(values, struct, path, _check_struct(values, struct, path))
    try:
        made = msgspec.convert(_right_values(values, struct, doubtful), struct)
    except msgspec.ValidationError:
        return None
    return RightPart(made, frozenset(field.encode_name for field in doubtful))


_MOST_TRIED: Final = 256
"""Sections that are tried in place of one with wrong keys (ours): of more keys than two or three nothing is known."""


def possible_sections(values: object, struct: type[S], path: Path) -> list[S]:
    """What a section may be meant to be: its right part, with each wrong key left out or with some right values, and
    without conflicts. The first is the most likely. Empty where nothing is known."""
    if not isinstance(values, dict):
        return []
    doubtful = _doubtful(values, struct, path, _check_struct(values, struct, path))
    right = _right_values(values, struct, doubtful)
    tried = [_values_to_try(field) for field in doubtful]
    if math.prod(map(len, tried)) > _MOST_TRIED:
        return []
    sections = [{**right, **{key: one for given in more for key, one in given.items()}} for more in product(*tried)]
    return [made for one in sections if _conflicts(one, struct) == [] for made in [msgspec.convert(one, struct)]]


def _doubtful(
    values: dict[str, Any], struct: type[msgspec.Struct], path: Path, findings: list[ConfigFinding]
) -> list[inspect.Field]:
    """The fields whose values are wrong or missing, or are under a misspelt key: the nearest is meant by it."""
    fields = {field.encode_name: field for field in fields_of(struct)}
    keys = {str(found.path[len(path)]) for found in findings}
    other_words: Mapping[str, OtherWord] = getattr(struct, "other_words", {})
    meant = {nearest(key, [name for name in fields if name not in values]) for key in keys - fields.keys()}
    meant |= {other_words[key].key for key in keys & other_words.keys()}
    return [field for name, field in fields.items() if name in keys or name in meant]


def _right_values(
    values: dict[str, Any], struct: type[msgspec.Struct], doubtful: list[inspect.Field]
) -> dict[str, Any]:
    known = {field.encode_name for field in fields_of(struct)} - {field.encode_name for field in doubtful}
    return {key: value for key, value in values.items() if key in known}


_LEAST_TRIED: Final = 2
"""Values of a wrong key that must have been tried: with one alone no conflict is known not to depend on it."""


def _conflicts(values: dict[str, Any], struct: type[msgspec.Struct]) -> list[tuple[str, str, str]] | None:
    """The conflicts between these values; None where one of them is wrong."""
    try:
        made = msgspec.convert(values, struct)
    except msgspec.ValidationError:
        return None
    return made.problems() if isinstance(made, ChecksItself) else []


def _values_to_try(field: inspect.Field) -> list[dict[str, Any]]:
    """What may be in a section in place of a wrong key: nothing, where it has a default, and some right values."""
    nothing: list[dict[str, Any]] = [] if field.required else [{}]
    return nothing + [{field.encode_name: value} for value in _samples(field.type)]


def _samples(declared: inspect.Type) -> list[Any]:
    """Some values of a type: every choice, both bounds, a short list and a long one."""
    about = unwrap(declared)
    match about.type:
        case inspect.UnionType(types=types):
            return [value for member in types for value in _samples(member)]
        case inspect.LiteralType() | inspect.EnumType():
            return [*choices(about.type)]
        case inspect.BoolType():
            return [False, True]
        case inspect.IntType() | inspect.FloatType():
            bounds = [value for value in (about.type.ge, about.type.le) if value is not None]
            return [*about.examples, *bounds] or [1, 2]
        case inspect.StrType():
            return [*about.examples, "a", "b"]
        case inspect.StructType():
            needed = {field.encode_name: _samples(field.type) for field in fields_of(about.type.cls) if field.required}
            return [{key: tried[0] for key, tried in needed.items()}] if all(needed.values()) else []
        case _ if isinstance(about.type, _LISTS):
            items = _samples(about.type.item_type)
            if not items:
                return []
            least = about.type.min_length or 0
            most = min(about.type.max_length or least + 3, least + 3)
            return [[items[n % len(items)] for n in range(count)] for count in (least, most)]
        case _:
            return []


def _below(path: Path, key: str) -> Path:
    parts: Path = path
    for part in filter(None, re.split(r"[.\[\]]", key)):
        parts += (int(part) if part.isdecimal() else part,)
    return parts


def _check_struct(values: object, struct: type[msgspec.Struct], path: Path) -> list[ConfigFinding]:
    if not isinstance(values, dict):
        return [
            ConfigFinding(path, f"is {value_text(values)}, and a table of keys was expected", as_section(path, values))
        ]
    fields = {field.encode_name: field for field in fields_of(struct)}
    other_words: Mapping[str, OtherWord] = getattr(struct, "other_words", {})
    findings: list[ConfigFinding] = []
    meant: set[str] = set()
    for key, value in values.items():
        field = fields.get(key)
        if field is not None:
            findings += _check(value, field.type, (*path, key))
            continue
        free = [name for name in fields if name not in values]
        alias = other_words.get(key)
        if alias is not None:
            meant.add(alias.key)
            findings.append(ConfigFinding((*path, key), "unknown key", f"write {alias.fix}"))
            continue
        if isinstance(value, dict) and len(path) > 1:
            wrong = f"is below [{'.'.join(map(str, path))}], and was read as a key of it"
            fix = f"write {path[-1]} = {{ ... }} on one line of [{path[0]}], in place of a section of its own"
            findings.append(ConfigFinding((*path, key), wrong, fix))
            continue
        near = nearest(key, free)
        if near is not None:
            meant.add(near)
        findings.append(ConfigFinding((*path, key), "unknown key", suggestion(key, free if near else fields, "key")))
    for name, field in fields.items():
        if field.required and name not in values and name not in meant:
            findings.append(_missing(path, name, field.type))
    return findings


def _missing(path: Path, name: str, declared: inspect.Type) -> ConfigFinding:
    kind = unwrap(declared)
    fix = f"add {name} = {_example(declared)}"
    if kind.description:
        fix += f" ({kind.description})"
    return ConfigFinding((*path, name), "is missing", fix, missing=True)


def _check(value: object, declared: inspect.Type, path: Path) -> list[ConfigFinding]:
    kind = unwrap(declared).type
    match kind:
        case inspect.UnionType():
            return _check_union(value, kind, declared, path)
        case inspect.StructType():
            return _check_struct(value, kind.cls, path)
        case inspect.DictType():
            if not isinstance(value, dict):
                return [_expected(value, declared, path)]
            return [found for key, item in value.items() for found in _check(item, kind.value_type, (*path, key))]
        case inspect.TupleType():
            if not isinstance(value, list) or len(value) != len(kind.item_types):
                return [_expected(value, declared, path)]
            pairs = zip(value, kind.item_types, strict=True)
            return [found for i, (item, each) in enumerate(pairs) for found in _check(item, each, (*path, i))]
        case inspect.LiteralType() | inspect.EnumType():
            return check_choice(value, choices(kind), unwrap(declared).meant, path)
        case inspect.BoolType():
            return [] if isinstance(value, bool) else [_expected(value, declared, path)]
        case inspect.IntType():
            right = isinstance(value, int) and not isinstance(value, bool)
            return _check_bounds(value, declared, path) if right else [_expected(value, declared, path)]
        case inspect.FloatType():
            right = isinstance(value, (int, float)) and not isinstance(value, bool)
            return _check_bounds(value, declared, path) if right else [_expected(value, declared, path)]
        case inspect.StrType():
            return (
                _check_bounds(value, declared, path) if isinstance(value, str) else [_expected(value, declared, path)]
            )
        case _ if isinstance(kind, _LISTS):
            if not isinstance(value, list):
                return [_expected(value, declared, path)]
            findings = [f for i, item in enumerate(value) for f in _check(item, kind.item_type, (*path, i))]
            return findings + _check_length(value, declared, path)
        case _:
            return []  # no key has another type; the conversion to the struct would check it


def _check_union(value: object, kind: inspect.UnionType, declared: inspect.Type, path: Path) -> list[ConfigFinding]:
    members = [member for member in kind.types if not isinstance(member, inspect.NoneType)]
    if len(members) == 1 and isinstance(members[0], inspect.LiteralType | inspect.EnumType):
        return check_choice(value, choices(members[0]), unwrap(declared).meant, path)
    outcomes = [_check(value, member, path) for member in members]
    if not all(outcomes):
        return []
    if len(members) == 1:
        return outcomes[0]
    inside = [found for found in outcomes if all(len(finding.path) > len(path) for finding in found)]
    return inside[0] if inside else [_expected(value, declared, path)]


def check_choice(value: object, allowed: Sequence[Any], words: Mapping[str, str], path: Path) -> list[ConfigFinding]:
    """A value must be one of those that are allowed; `words` are other words for them."""
    if any(value == choice and type(value) is type(choice) for choice in allowed):
        return []
    listed = ", ".join(value_text(choice) for choice in allowed)
    meant = words.get(str(value).lower())
    if meant is not None:
        return [ConfigFinding(path, f"{value_text(value)} is not known", f'write "{meant}" for that (one of {listed})')]
    near = nearest(value, [c for c in allowed if isinstance(c, str)]) if isinstance(value, str) else None
    fix = f'did you mean "{near}"? (one of {listed})' if near else f"write one of {listed}"
    return [ConfigFinding(path, f"{value_text(value)} is not known", fix)]


def _check_bounds(value: Any, declared: inspect.Type, path: Path) -> list[ConfigFinding]:
    kind = unwrap(declared).type
    if isinstance(value, float) and not math.isfinite(value):
        return [ConfigFinding(path, f"{value_text(value)} is not a finite number", f"write {_a(declared)}")]
    if isinstance(kind, inspect.FloatType) and abs(value) > 1e300:
        return [ConfigFinding(path, "the number is too large", f"write {_a(declared)}")]
    if isinstance(kind, inspect.StrType):
        return _check_text(value, kind, declared, path)
    if not isinstance(kind, (inspect.IntType, inspect.FloatType)):
        return []
    outside = (
        (kind.ge is not None and value < kind.ge)
        or (kind.gt is not None and value <= kind.gt)
        or (kind.le is not None and value > kind.le)
        or (kind.lt is not None and value >= kind.lt)
        or (kind.multiple_of is not None and value % kind.multiple_of != 0)
    )
    if outside:
        return [ConfigFinding(path, f"{value_text(value)} is out of range", f"write {_a(declared)}")]
    return (
        [] if -(2**63) <= value < 2**64 else [ConfigFinding(path, "the number is too large", f"write {_a(declared)}")]
    )


def _check_text(value: str, kind: inspect.StrType, declared: inspect.Type, path: Path) -> list[ConfigFinding]:
    too_short = kind.min_length is not None and len(value) < kind.min_length
    too_long = kind.max_length is not None and len(value) > kind.max_length
    if too_short or too_long:
        return [
            ConfigFinding(path, f"{value_text(value)} has {len(value)} characters", f"write {bounds_words(declared)}")
        ]
    if not is_plain(value):
        wrong = f"{value_text(value)} has characters that cannot be printed"
        return [ConfigFinding(path, wrong, "write one line without them")]
    if kind.pattern is not None and re.search(kind.pattern, value) is None:
        about = unwrap(declared)
        example = f"write it as {value_text(about.examples[0])}" if about.examples else ""
        fix = about.description or example or f"write text that matches {kind.pattern}"
        return [ConfigFinding(path, f"{value_text(value)} has the wrong form", fix)]
    return []


def _check_length(value: list[Any], declared: inspect.Type, path: Path) -> list[ConfigFinding]:
    kind = unwrap(declared).type
    if not isinstance(kind, _LISTS):
        return []
    too_few = kind.min_length is not None and len(value) < kind.min_length
    too_many = kind.max_length is not None and len(value) > kind.max_length
    if too_few or too_many:
        return [ConfigFinding(path, f"the list has {len(value)}", f"write {_a(declared)}")]
    return []


def _expected(value: object, declared: inspect.Type, path: Path) -> ConfigFinding:
    """The finding for a value of the wrong type, with the right value where it is obvious."""
    kind = unwrap(declared).type
    fix = f"write {_a(declared)}"
    if isinstance(value, str) and isinstance(kind, (inspect.IntType, inspect.FloatType)):
        if re.fullmatch(r"[+-]?\d{1,15}(\.\d{1,15})?", value):
            fix = f"write {value} without quotes"
        elif (one := _one_number(value, whole=isinstance(kind, inspect.IntType))) is not None:
            fix = f"write the number alone, without quotes: {one}"
    elif isinstance(value, str) and isinstance(kind, inspect.BoolType):
        if value.lower() in {"true", "false"}:
            fix = f"write {value.lower()} without quotes"
    elif isinstance(kind, inspect.StrType) and isinstance(value, (bool, int, float)):
        fix = f'write it in quotes: "{value_text(value)}"'
    elif isinstance(kind, inspect.StrType) and isinstance(value, (date, time)):
        fix = f'write it in quotes: "{value}"'
    elif isinstance(kind, _LISTS) and isinstance(value, (bool, int, float, str)):
        items = _items(value, kind.item_type)
        if items:
            least = kind.min_length or 0
            more = f", ...], {bounds_words(declared)}" if len(items) < least else "]"
            fix = f"write it as a list: [{', '.join(items)}{more}"
    return ConfigFinding(path, f"{value_text(value)} is not {_a(declared)}", fix)


def _one_number(text: str, *, whole: bool) -> str | None:
    """The one number in a text such as `GPIO21` or `3.55 deg`; None where there is none, or several."""
    found = re.findall(r"-?\d{1,15}(?:\.\d{1,15})?", text[:100])
    return None if len(found) != 1 or (whole and "." in found[0]) else found[0]


def _items(value: object, item: inspect.Type) -> list[str]:
    """The elements of the list that a single value was meant as, as TOML writes them; none where it fits no list."""
    if isinstance(value, str) and isinstance(unwrap(item).type, (inspect.IntType, inspect.FloatType)):
        parts = re.split(r"[\s,;]+", value.strip("[] "))
        return parts if all(re.fullmatch(r"[+-]?\d{1,15}(\.\d{1,15})?", part) for part in parts) else []
    return [] if _check(value, item, ()) else [value_text(value)]


def _a(declared: inspect.Type) -> str:
    """The expected value as part of a sentence: `a whole number from 1 to 100`."""
    words = type_words(declared)
    bounds = bounds_words(declared)
    start = "" if words.startswith(("true", "one of")) else "a "
    if words == "text":
        start = ""
    return f"{start}{words}" + (f" {bounds}" if bounds.startswith("from ") else f" ({bounds})" if bounds else "")


def _example(declared: inspect.Type) -> str:
    kind = unwrap(declared)
    if kind.examples:
        return value_text(kind.examples[0])
    if isinstance(kind.type, (inspect.LiteralType, inspect.EnumType)):
        return " or ".join(value_text(choice) for choice in choices(kind.type))
    return f"<{plural(type_words(declared)) if isinstance(kind.type, _LISTS) else type_words(declared)}>"
