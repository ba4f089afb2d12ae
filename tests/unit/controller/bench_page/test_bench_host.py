"""The table behind the page: what it shows, what a person may do with it, and what not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from aiohttp import ClientSession

from controller.bench_page.actions import ActionError
from controller.bench_page.page import MOST_ACTION_BYTES, TOKEN
from controller.bench_page.rule_words import rule_words
from controller.captures.capture_store import render
from feed.codes import CODES
from feed.reasons import explained, meaning_of
from tests.fakes.bench import MONEY_WHEEL, ROULETTE, SteppedBench
from tests.fakes.bench_site import bench_site


def verdict_of(bench: SteppedBench) -> dict[str, Any]:
    found = [update["situation"]["verdict"] for update in bench.updates if update.get("situation")]
    assert found[-1] is not None
    return found[-1]  # type: ignore[no-any-return]


def test_a_refused_spin_is_shown_with_its_reason_its_meaning_and_the_words_of_its_rule() -> None:
    bench = SteppedBench(ROULETTE)
    bench.act("arm", fault="same_direction")
    bench.until(lambda: any("VOID" in words for words in bench.words))
    bench.advance(0.1)
    verdict = verdict_of(bench)
    assert verdict["reason"] == "ball_direction"
    assert "runs with the rotor" in verdict["meaning"]
    assert verdict["rule"] == "13:47-20.32(m)1"
    assert "remove the roulette ball" in verdict["rule_words"][0]["paragraphs"][-1]


def test_the_wheel_is_shown_by_its_driver_while_it_turns_and_where_it_rests() -> None:
    bench = SteppedBench(MONEY_WHEEL)
    bench.until(lambda: any("2 revolutions" in words for words in bench.words))
    views = bench.updates[-1]["views"]
    wheel = next(one["view"] for one in views if one["device"] == "wheel")
    assert wheel["kind"] == "money_wheel"
    assert wheel["motion"] == "spun"
    assert 1.9 < wheel["turns"] < 2.4
    assert wheel["rpm"] > 10
    bench.until(lambda: any("OUTCOME" in words for words in bench.words))
    wheel = next(one["view"] for one in bench.updates[-1]["views"] if one["device"] == "wheel")
    assert wheel["motion"] == "at rest"
    outcome = next(words for words in bench.words if "OUTCOME" in words)
    assert f"{wheel['faces'][wheel['space']]} (space {wheel['space']})" in outcome


def test_the_ball_is_followed_on_its_track() -> None:
    bench = SteppedBench(ROULETTE)
    bench.until(lambda: any("5 revolutions" in words for words in bench.words))
    wheel = next(one["view"] for one in bench.updates[-1]["views"] if one["device"] == "wheel")
    state, direction, laps, laps_high, *_ = wheel["ball"]
    assert (state, direction in (1, -1)) == ("in the track", True)
    assert 5 <= laps <= laps_high
    assert wheel["rotor_direction"] == -direction


def test_a_held_table_waits_and_plays_one_round_when_it_is_told_to() -> None:
    bench = SteppedBench(MONEY_WHEEL)
    bench.act("hold", on=True)
    bench.advance(60)
    assert not any("spin has begun" in words for words in bench.words)
    bench.act("play")
    bench.until(lambda: any("OUTCOME" in words for words in bench.words))
    before = len(bench.words)
    bench.advance(60)
    assert not any("spin has begun" in words for words in bench.words[before:])


def test_a_rotor_runs_on_while_its_table_waits_and_the_next_spin_is_an_outcome() -> None:
    bench = SteppedBench(ROULETTE)
    bench.until(lambda: any("OUTCOME" in words for words in bench.words))
    bench.act("hold", on=True)
    bench.advance(45)
    bench.act("play")
    before = len(bench.words)
    bench.until(lambda: any("OUTCOME" in words for words in bench.words[before:]))


def test_a_person_who_is_the_dealer_and_does_not_call_gets_the_spin_refused_and_one_who_calls_does_not() -> None:
    bench = SteppedBench(MONEY_WHEEL)
    bench.act("by_hand", on=True)
    bench.act("hold", on=True)
    bench.advance(10)
    before = len(bench.words)
    bench.act("play")
    bench.until(lambda: any("spun_before_no_more_bets" in words for words in bench.words[before:]))
    bench.advance(30)
    before = len(bench.words)
    bench.act("press", button="dealer_no_more_bets")
    bench.advance(1)
    assert any('"No more bets" (the dealer)' in words for words in bench.words[before:])
    bench.act("play")
    bench.until(lambda: any("OUTCOME" in words for words in bench.words[before:]))


def words_in(value: object) -> Iterator[str]:
    """Every text in what the page is sent."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from words_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from words_in(one)


@pytest.mark.parametrize("game", ["token_pusher", "skill_stop_reel", "skill_stop_video"])
def test_a_machine_has_no_dealer_and_none_of_a_dealers_buttons(game: str) -> None:
    bench = SteppedBench(f'[table]\nid = "machine-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n')
    answers = [bench.act("by_hand", on=True).key, bench.act("by_hand", on=False).key]
    assert answers == ["done.attendant.you", "done.attendant.simulated"]
    bench.until(lambda: any("OUTCOME" in words for words in bench.words))
    hello = json.loads(bench.host.hello())
    assert hello["session"]["machine"]
    assert hello["session"]["buttons"] == []
    # The device of the buttons is called as in a file: no word that is shown.
    texts = {one for one in words_in([hello["session"], hello["update"], bench.updates]) if one != "dealer"}
    assert [one for one in texts if "dealer" in one.lower()] == []


def test_the_button_of_a_void_play_is_the_attendants() -> None:
    wired = "[pins]\ndealer_void = { gpio = 5 }\n"
    text = f'[table]\nid = "machine-1"\ngame = "token_pusher"\n[lines]\nbackend = "sim"\n{wired}'
    bench = SteppedBench(text)
    bench.advance(0.1)
    (line,) = [one for one in bench.host.session.lines if one.name == "dealer_void"]
    assert line.purpose == "the attendant's button for a void play"
    (view,) = [one["view"] for one in bench.updates[-1]["views"] if one["device"] == "dealer"]
    assert view["buttons"] == ["dealer_void"]


def test_time_stands_still_runs_on_and_runs_faster() -> None:
    bench = SteppedBench(MONEY_WHEEL)
    bench.advance(1)
    bench.act("speed", speed=0)
    at = bench.updates[-1]["until_ns"]
    bench.advance(5)
    assert bench.updates[-1]["until_ns"] == at
    bench.act("speed", speed=10)
    bench.advance(1)
    assert 9.5e9 < bench.updates[-1]["until_ns"] - at < 10.5e9


def test_a_fault_that_shuts_the_table_stands_until_a_person_clears_it() -> None:
    bench = SteppedBench(ROULETTE)
    bench.act("arm", fault="tilt")
    bench.until(lambda: bench.host.live.state == "shut")
    bench.advance(1)
    situation = [update["situation"] for update in bench.updates if update.get("situation")][-1]
    assert situation["faults"][0]["fault"] == "not_level"
    assert situation["headline"] == "shut"
    assert "level the wheel" in situation["faults"][0]["to_do"]
    assert situation["faults"][0]["causes"]
    bench.until(lambda: not bench.host.live.table.faults.causes("wheel", "not_level"))
    assert bench.host.live.state == "shut"
    bench.act("order", verb="clear", given={"device": "wheel"})
    bench.until(lambda: bench.host.live.state == "open", most_s=10)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({}, "no such action"),
        ({"action": 4}, "no such action"),
        ({"action": "arm", "fault": "nonsense"}, "no fault is named"),
        ({"action": "arm", "fault": 3}, "fault: the name"),
        ({"action": "speed", "speed": 51}, "speed: a number"),
        ({"action": "speed", "speed": True}, "speed: a number"),
        ({"action": "speed", "speed": float("nan")}, "speed: a number"),
        ({"action": "hold", "on": "yes"}, "true or false"),
        ({"action": "play"}, "hold them first"),
        ({"action": "press", "button": "rotor_a"}, "no such button"),
        ({"action": "press", "button": "dealer_settled"}, "no such button"),
        ({"action": "order", "verb": "rm -rf"}, "this table takes"),
        ({"action": "order", "verb": "void", "given": {"why": 5}}, "both of them text"),
        ({"action": "order", "verb": "void", "given": {"why": "x" * 600}}, "characters"),
        ({"action": "order", "verb": "void", "given": {"a b": "x"}}, "is not a name"),
        ({"action": "test", "line": "lamp"}, "closed"),
    ],
)
def test_an_action_that_cannot_be_done_says_why(asked: dict[str, Any], why: str) -> None:
    bench = SteppedBench(ROULETTE)
    with pytest.raises(ActionError, match=why):
        bench.host.act(asked)


def test_an_order_that_the_table_refuses_is_answered_with_its_reason() -> None:
    bench = SteppedBench(ROULETTE)
    bench.act("order", verb="settle")
    bench.advance(1)
    answers = [answer for update in bench.updates for answer in update.get("answers", [])]
    assert [(answer["done"], "no verdict" in answer["words"]) for answer in answers] == [(False, True)]


def test_the_saved_minutes_are_a_capture_that_replays_to_the_same_verdict(tmp_path: Any) -> None:
    bench = SteppedBench(MONEY_WHEEL)
    bench.act("arm", fault="short_spin")
    bench.until(lambda: any("VOID" in words for words in bench.words))
    wanted = bench.host.wanted()
    assert wanted is not None
    from controller.bench_page.replayed import replay_capture

    path = tmp_path / "saved.vcd"
    path.write_bytes(render(wanted).data)
    replayed = replay_capture(bench.host.config, path, path.name)
    assert [one.verdict.reason for one in replayed.decisions] == ["wheel_revolutions"]


def test_a_browser_that_connects_late_gets_the_past_without_what_the_next_update_has() -> None:
    import msgspec

    bench = SteppedBench(MONEY_WHEEL)
    bench.advance(30)
    hello = msgspec.json.decode(bench.host.hello("token"))
    assert hello["token"] == "token"
    past = hello["update"]["events"]
    bench.advance(1)
    assert len(past) == len({(one["t_ns"], one["words"]) for one in past})
    assert hello["update"]["lines"]["wheel_a"]["edges"]
    assert len(msgspec.json.encode(hello)) < 400_000


def test_every_code_that_can_be_published_is_explained_on_the_page() -> None:
    assert set(CODES) <= set(explained())


def test_a_code_is_explained_for_its_game_and_its_event() -> None:
    meaning, to_do = meaning_of("ball_revolutions", "unresolved", "roulette")
    assert meaning
    assert to_do
    assert meaning_of("no_such_code", "void", "roulette") == ("", "")


def test_a_rule_of_the_house_has_no_words_and_a_cited_one_has_its_own() -> None:
    assert rule_words("ours") == ()
    (definition,) = rule_words("13:47-20.2", "skill_stop_reel")
    assert definition.paragraphs[-1].startswith('"Skill stop reel" means a mechanical game')
    assert "\n" not in definition.paragraphs[-1]
    assert "\n" in rule_words("13:47-20.2")[0].paragraphs[-1]
    (words,) = rule_words("13:47-20.29(b)3")
    assert "three" in words.paragraphs[-1]


@pytest.mark.parametrize("path", ["action", "compare"])
def test_a_body_that_does_not_say_its_length_is_refused_where_it_is_too_long(path: str) -> None:
    async def statuses(url: str) -> list[int]:
        headers = {"Origin": url.rstrip("/")}
        async with ClientSession(headers=headers) as session:
            async with session.ws_connect(f"{url}live") as live:
                headers[TOKEN] = (await live.receive_json())["token"]
            found = []
            for spaces in (0, MOST_ACTION_BYTES):

                async def pieces(spaces: int = spaces) -> AsyncIterator[bytes]:
                    yield b'{"action": "arm", "fault": "short_spin"}'
                    yield b" " * spaces

                async with session.post(url + path, data=pieces(), headers=headers) as answer:
                    found.append(answer.status)
            return found

    with bench_site(MONEY_WHEEL) as site:
        assert asyncio.run(statuses(site.url)) == [200, 413]


def test_the_saved_minutes_are_not_given_to_a_page_of_another_site() -> None:
    async def status(url: str, asked_by: str) -> int:
        async with (
            ClientSession() as session,
            session.get(f"{url}saved.vcd", headers={"Sec-Fetch-Site": asked_by}) as answer,
        ):
            return answer.status

    with bench_site(MONEY_WHEEL) as site:
        site.advance(1)
        assert [asyncio.run(status(site.url, one)) for one in ("none", "same-origin", "cross-site")] == [200, 200, 403]


def test_what_cannot_be_compared_is_refused_in_words_and_the_live_lines_are_a_capture() -> None:
    asked: list[tuple[dict[str, Any], str]] = [
        ({}, "missing required field `first`: first is the number of a capture"),
        ({"first": 1, "second": 2, "at": "noon"}, "at `$.at`: at is `beginning` or `first_change`"),
        ({"first": 1, "second": 9}, "capture 9 is not here any more"),
        ({"first": 1, "second": 2, "tolerance": {"time_ns": -1}}, "a time from 0 to 1000 ms"),
        ({"first": 1, "second": 2, "tolerance": {"value": 1e300}}, "a number from 0 to 1e+09"),
        ({"first": 1, "second": 2}, ""),
    ]

    async def answers(url: str) -> list[dict[str, Any]]:
        headers = {"Origin": url.rstrip("/")}
        async with ClientSession() as session:
            async with session.ws_connect(f"{url}live", headers=headers) as live:
                headers[TOKEN] = (await live.receive_json())["token"]
            found = []
            for path, body in [("captures?of=live", {})] * 2 + [("compare", body) for body, _ in asked]:
                async with session.post(url + path, json=body, headers=headers) as answer:
                    found.append(await answer.json())
            return found

    with bench_site(MONEY_WHEEL) as site:
        site.advance(14)
        first, second, *compared = asyncio.run(answers(site.url))
    assert (first["number"], second["number"]) == (1, 2)
    assert first["capture"]["values"] > 100
    assert first["capture"]["name"].startswith("wheel-1-")
    for (_, words), answer in zip(asked, compared, strict=True):
        assert answer["done"] == (words == "")
        assert words in answer.get("words", "")
    assert compared[-1]["comparison"]["total"] == 0
