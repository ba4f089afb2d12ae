"""The names of entities, in each language. What a table publishes is data, and is not translated."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Language = Literal["en", "es", "de"]


class EntityNames(NamedTuple):
    """The names of one language."""

    signal: str
    """Whether what is shown is current, and why it is not."""
    connectivity: str
    """Whether what is shown is current, as yes or no."""
    table: str
    """Open, shut or closed."""
    round: str
    phase: str
    result: str
    fault: str
    simulation: str
    """Before the name of a simulated table."""
    house_rules: str
    """Beside the game of a table that is played by the house's own rules."""


WORDS: Final[dict[Language, EntityNames]] = {
    "en": EntityNames(
        "Signal",
        "Connectivity",
        *("Table", "Round", "Phase", "Last result", "Fault"),
        *("SIMULATION", "HOUSE RULES"),
    ),
    "es": EntityNames(
        "Señal",
        "Conectividad",
        *("Mesa", "Ronda", "Fase", "Último resultado", "Avería"),
        *("SIMULACIÓN", "REGLAS DE LA CASA"),
    ),
    "de": EntityNames(
        "Signal",
        "Verbindung",
        *("Tisch", "Runde", "Phase", "Letztes Ergebnis", "Störung"),
        *("SIMULATION", "HAUSREGELN"),
    ),
}
