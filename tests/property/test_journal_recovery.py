"""What a start of the service reads of a long history is as much as it takes: the same as if it had read all of it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from audit.records import Head
from audit.witness import Witness, read_witness, witness_path
from controller.journal.history import JournalHistory
from feed.events import decode
from feed.state import TableState
from tests.powercut.load import TablePlayer
from tests.powercut.making import opened, written

HEADS = st.builds(
    Head,
    st.integers(0, 10**12),
    st.text("0123456789abcdef", min_size=1, max_size=16),
    st.integers(0, 2**256 - 1).map("{:064x}".format),
)
NOTES = st.lists(st.dictionaries(st.sampled_from(["a", "b-1", "b-10"]), HEADS, min_size=1), max_size=8)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(1, 300))
def test_a_table_is_recovered_as_if_all_its_events_were_read(seed: int, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite"
        journal = opened(path)
        one = TablePlayer("roulette-1", "e1", Random(seed), None)
        said = [entry for _ in range(count) for entry in one.act()]
        written(journal, said)
        journal.close()
        expected = TableState("roulette-1")
        for entry in said:
            expected.apply(decode(entry.body))
        again = opened(path)
        assert again.recovered["roulette-1"].state.snapshot() == expected.snapshot()
        history = JournalHistory(path)
        pages = [history.page("roulette-1", "", after, 50) for after in range(0, len(said), 50)]
        assert [body for page in pages for _, body in page.events] == [entry.body for entry in said]
        history.close()
        again.close()


@given(NOTES, st.data())
def test_a_witness_torn_anywhere_knows_nothing_that_it_did_not_note(
    notes: list[dict[str, Head]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite"
        witness = Witness(path, {})
        for heads in notes:
            witness.note(heads)
        witness.close()
        file = witness_path(path)
        content = bytearray(file.read_bytes())
        del content[data.draw(st.integers(0, len(content)), "cut") :]
        for at, value in data.draw(
            st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=6), "rubbish"
        ):
            if content:
                content[at % len(content)] = value
        file.write_bytes(content)
        for chain, head in read_witness(path).heads.items():
            assert head in [heads.get(chain) for heads in notes]


@given(st.binary(max_size=3000))
def test_a_witness_of_rubbish_knows_nothing(rubbish: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite"
        witness_path(path).write_bytes(rubbish)
        assert read_witness(path).heads == {}
