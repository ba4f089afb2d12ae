"""The problems that the check of a document reports, without the name of its file."""

from __future__ import annotations

from controller.games.load import CheckResult, check_text


def problem_lines(report: CheckResult) -> list[str]:
    """The problems, one a line."""
    return [str(problem).removeprefix("table.toml:") for problem in report.problems]


def only_problem(text: str) -> str:
    """The one problem of a document."""
    problems = problem_lines(check_text(text))
    assert len(problems) == 1, problems
    return problems[0]
