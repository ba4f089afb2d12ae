"""How far the deliveries to a target are."""

from __future__ import annotations


class DeliveryProgress:
    """Numbers of one target; any thread may read them."""

    def __init__(self) -> None:
        self.delivered = 0
        self.failures = 0
        self.missing = 0
        """Events that the journal had archived before they were read: they are not delivered."""
        self.rewritten = 0
        """Times that the history of a table was rewritten: what waited and is no longer in it is not delivered."""
        self.passed = 0
        """Events that are never sent: later ones of their rounds, or of the table itself, were, or may have been, while
        they were held back."""
        self.full = False
        self.waiting = 0
        self.failing: dict[str, str] = {}
        """Why the last attempt failed, by table; a table of which it did not fail is not there."""
