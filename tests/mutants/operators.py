"""Mutants: the small changes of a module's code, each of which a test should notice.

A mutant is found again by its place: the function, the statement, the changed expression, and how many equal changes
of the function come before it. Line numbers are not part of it, so that a mutant survives a move of its code.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

COMPARED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
CALCULATED: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
CALLED: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
NEGATED_BY_THEIR_OWN_OPERATOR: Final = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
LEAST_DOUBLED: Final = 100
"""A greater number is doubled. One more would change no verdict: 1,000,000,001 ns are a second."""
NO_CODE: Final = frozenset({"annotation", "returns", "decorator_list", "type_params"})
"""Fields of a node in which nothing decides."""
COMPOUND: Final = ("body", "orelse", "finalbody", "handlers", "cases")


class Mutant(NamedTuple):
    """One change. Equal mutants of two versions of the code are the same change of the same code."""

    path: str
    """The module's file, from the root of the tree."""
    function: str
    """Qualified name of the innermost function or class; empty for the module itself."""
    statement: str
    """The innermost statement as code, without its blocks."""
    change: str
    """`before -> after`: the changed expression as code."""
    nth: int
    """How many equal changes of the same function come before it."""

    def __str__(self) -> str:
        return f"{self.path} {self.function or '(module)'}: {self.change}   in: {self.statement}"


class Slot(NamedTuple):
    """Where a node is in its parent."""

    owner: Any
    name: str
    at: int | None = None
    """The place in the list that the field holds; None for a field that holds one node."""

    def get(self) -> Any:
        """The node that is there now."""
        value = getattr(self.owner, self.name)
        return value if self.at is None else value[self.at]

    def put(self, node: ast.AST) -> None:
        """Puts another node in its place."""
        if self.at is None:
            setattr(self.owner, self.name, node)
        else:
            getattr(self.owner, self.name)[self.at] = node


class Site(NamedTuple):
    """A mutant in a parsed module."""

    mutant: Mutant
    in_function: bool
    """Whether a call evaluates it, rather than the import of its module."""
    slot: Slot
    changed: ast.expr | ast.stmt
    """What the mutant has in the slot."""


class _Place(NamedTuple):
    function: str
    statement: ast.stmt | None
    in_function: bool


class _Finder:
    """Goes through a module in the order of its text."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def module(self, tree: ast.Module) -> Iterator[Site]:
        yield from self._fields(tree, _Place("", None, in_function=False))

    def _fields(self, node: ast.AST, place: _Place) -> Iterator[Site]:
        for name, value in ast.iter_fields(node):
            if name in NO_CODE:
                continue
            if isinstance(value, list):
                for index, child in enumerate(value):
                    if isinstance(child, ast.AST):
                        yield from self._node(child, place, Slot(node, name, index))
            elif isinstance(value, ast.AST):
                yield from self._node(value, place, Slot(node, name))

    def _node(self, node: ast.AST, place: _Place, slot: Slot) -> Iterator[Site]:
        if isinstance(node, ast.JoinedStr | ast.MatchValue) or _is_for_types(node):
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from self._definition(node, f"{place.function}.{node.name}".lstrip("."), place)
            return
        if isinstance(node, ast.stmt):
            place = place._replace(statement=node)
            yield from self._statement(node, place, slot)
        elif isinstance(node, ast.expr):
            yield from self._expression(node, place, slot)
        yield from self._fields(node, place)

    def _definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, name: str, outside: _Place
    ) -> Iterator[Site]:
        inside = _Place(name, node, in_function=outside.in_function or not isinstance(node, ast.ClassDef))
        if not isinstance(node, ast.ClassDef):  # a class's bases and keywords decide nothing
            yield from self._node(node.args, inside._replace(in_function=outside.in_function), Slot(node, "args"))
        for index, statement in enumerate(node.body):
            yield from self._node(statement, inside, Slot(node, "body", index))

    def _statement(self, node: ast.stmt, place: _Place, slot: Slot) -> Iterator[Site]:
        if _is_effect(node):
            yield self._site(node, ast.Pass(), place, slot)
        elif isinstance(node, ast.Break):
            yield self._site(node, ast.Continue(), place, slot)
        elif isinstance(node, ast.Continue):
            yield self._site(node, ast.Break(), place, slot)
        if isinstance(node, ast.AugAssign) and type(node.op) in CALCULATED:
            other = ast.AugAssign(node.target, CALCULATED[type(node.op)](), node.value)
            yield self._site(node, other, place, slot)
        if isinstance(node, ast.If | ast.While) and _is_negated(node.test):
            yield self._site(node.test, ast.UnaryOp(ast.Not(), node.test), place, Slot(node, "test"))

    def _expression(self, node: ast.expr, place: _Place, slot: Slot) -> Iterator[Site]:
        for changed in _changed(node):
            yield self._site(node, changed, place, slot)
        if isinstance(node, ast.IfExp) and _is_negated(node.test):
            yield self._site(node.test, ast.UnaryOp(ast.Not(), node.test), place, Slot(node, "test"))

    def _site(self, node: ast.AST, changed: ast.expr | ast.stmt, place: _Place, slot: Slot) -> Site:
        assert place.statement is not None
        statement = _head(place.statement)
        change = f"{ast.unparse(node)} -> {ast.unparse(changed)}"
        counted = (place.function, statement, change)
        self._counts[counted] += 1
        mutant = Mutant(self._path, place.function, statement, change, self._counts[counted] - 1)
        ast.copy_location(changed, node)
        return Site(mutant, place.in_function, slot, changed)


def _changed(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                operators = [*node.ops[:index], COMPARED[type(operator)](), *node.ops[index + 1 :]]
                yield ast.Compare(node.left, operators, node.comparators)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.BinOp() if type(node.op) in CALCULATED and not _is_union(node):
            yield ast.BinOp(node.left, CALCULATED[type(node.op)](), node.right)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value * 2 if value > LEAST_DOUBLED else value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in CALLED:
            yield ast.Call(ast.Name(CALLED[name], ast.Load()), node.args, node.keywords)


def _is_effect(node: ast.stmt) -> bool:
    """Whether a statement can be left out: a call for its effect, or what is kept in an object."""
    match node:
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.AugAssign() | ast.Delete():
            return True
    return False


def _is_negated(test: ast.expr) -> bool:
    """Whether `not` before a condition is a change of its own, which no other operator makes."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return False
    return not (isinstance(test, ast.Compare) and isinstance(test.ops[-1], NEGATED_BY_THEIR_OWN_OPERATOR))


def _is_union(node: ast.BinOp) -> bool:
    """Whether `|` joins types: a name of a class on one side at least."""
    if not isinstance(node.op, ast.BitOr):
        return False
    names = [_last_name(side) for side in (node.left, node.right)]
    return any((name[:1].isupper() and not name.isupper()) or name in ("None", "int", "str", "float") for name in names)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Constant(value=None):
            return "None"
    return ""


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and _last_name(node.test) == "TYPE_CHECKING"


def _head(statement: ast.stmt) -> str:
    """The code of a statement without its blocks."""
    fields = {name: ([] if name in COMPOUND else value) for name, value in ast.iter_fields(statement)}
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return f"{'class' if isinstance(statement, ast.ClassDef) else 'def'} {statement.name}"
    if isinstance(statement, ast.Try | ast.TryStar):
        return "try"
    if isinstance(statement, ast.Match):
        return f"match {ast.unparse(statement.subject)}"
    if "body" not in fields:
        return ast.unparse(statement)
    fields["body"] = [ast.Pass()]
    bare = type(statement)(**fields)
    return ast.unparse(ast.fix_missing_locations(bare)).split("\n    pass")[0]


def sites(path: str, source: str) -> tuple[ast.Module, list[Site]]:
    """A parsed module, and its mutants in the order of the text."""
    tree = ast.parse(source, path)
    return tree, list(_Finder(path).module(tree))


def switched(path: str, source: str, numbered: Mapping[int, Mutant]) -> ast.Module:
    """The module with all of these mutants in it, each of which a call of `__mutant__` with its number switches on.

    What is evaluated while the module is imported is reached again by no test, so every function of the module calls
    `__mutant__` with the number of such a mutant, to record which tests depend on it.

    Raises:
        KeyError: the module has no such mutant.
    """
    tree, found = sites(path, source)
    by_mutant = {site.mutant: site for site in found}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    marked: list[int] = []
    for number, mutant in numbered.items():
        if mutant not in by_mutant:
            raise KeyError(str(mutant))
        _switch(by_mutant[mutant], number)
        if not by_mutant[mutant].in_function:
            marked.append(number)
    for function in functions:
        function.body[:0] = [ast.Expr(_is_on(number)) for number in marked]
    return ast.fix_missing_locations(tree)


def _switch(site: Site, number: int) -> None:
    present = site.slot.get()
    if isinstance(site.changed, ast.stmt):
        site.slot.put(ast.If(_is_on(number), [site.changed], [present]))
    else:
        site.slot.put(ast.IfExp(_is_on(number), site.changed, present))


def _is_on(number: int) -> ast.Call:
    return ast.Call(ast.Name("__mutant__", ast.Load()), [ast.Constant(number)], [])


def mutants(root: Path, folders: list[str]) -> list[Site]:
    """The mutants of all modules in these folders (or files) of a tree, in the order of paths and text."""
    files = sorted({file for folder in folders for file in _modules(root / folder)})
    found: list[Site] = []
    for file in files:
        path = file.relative_to(root).as_posix()
        found += sites(path, file.read_text(encoding="utf-8"))[1]
    return found


def _modules(folder: Path) -> list[Path]:
    return [folder] if folder.suffix == ".py" else list(folder.rglob("*.py"))
