"""Refusals of positions from outside: one sentence with the path to the field."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine.eots.frames import Phase, TurnFrame
from engine.eots.ids import Side
from engine.eots.position import Position, hide_cards
from engine.eots.position_checks import MAX_FILE_BYTES, check_position, decode_position
from engine.eots.position_rules import unit_problems
from engine.eots.setup import starting_position
from engine.kernel.errors import PositionError

Raw = dict[str, Any]
Change = Callable[[Raw], object]
START = msgspec.json.encode(starting_position("1943", {}))


def raw() -> Raw:
    """Return the start of 1943 as plain JSON values."""
    found: Raw = json.loads(START)
    return found


def unit(found: Raw, name: str) -> Raw:
    """Return the entry of a unit."""
    entry: Raw = next(entry for entry in found["units"] if entry["unit"] == name)
    return entry


def judge(found: Raw) -> None:
    """Read and check a position given as plain values."""
    check_position(decode_position(json.dumps(found).encode(), "game.json"))


def refusal(change: Change) -> PositionError:
    """Return the error that refuses a changed start."""
    found = raw()
    change(found)
    with pytest.raises(PositionError) as caught:
        judge(found)
    return caught.value


def put(**fields: object) -> Change:
    """Return a change of top-level fields."""
    return lambda found: found.update(fields)


def tracks(**fields: object) -> Change:
    """Return a change of markers."""
    return lambda found: found["tracks"].update(fields)


def of_unit(name: str, **fields: object) -> Change:
    """Return a change of one counter."""
    return lambda found: unit(found, name).update(fields)


def deck(side: str, **fields: object) -> Change:
    """Return a change of one side's cards."""
    return lambda found: found["decks"][side].update(fields)


def frames(*found: Raw) -> Change:
    """Return a change to another stack of frames."""
    return put(frames=list(found))


TURN: Raw = {"frame": "turn", "phase": "offensives", "entered": True}
PLAY: Raw = {"frame": "card-play", "side": "allied"}
STATUS: Raw = {"frame": "turn", "phase": "national-status", "entered": True}


def test_ships_at_sea_may_pass_soviet_territory() -> None:
    """Only ground and air units may not enter it (8.41C)."""
    found = raw()
    of_unit("jp-bb-yamato", at="3801")(found)
    position = decode_position(json.dumps(found).encode(), "game.json")
    assert not [*unit_problems(position)]


def test_the_starting_position_is_accepted() -> None:
    judge(raw())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut"),
        pytest.param(START[:-1], id="cut-at-the-end"),
        pytest.param(START + b"x", id="trailing"),
        pytest.param(b"\xff\xfe", id="not-utf-8"),
        pytest.param(b'{"scenario": "\xff"}', id="not-utf-8-inside"),
        pytest.param(b"\xef\xbb\xbf" + START, id="byte-order-mark"),
        pytest.param(b"[]", id="list"),
        pytest.param(b"null", id="null"),
        pytest.param(b'"1943"', id="text"),
        pytest.param(b'{"scenario": ' + b"[" * 100_000, id="deep-in-a-field"),
        pytest.param(b'{"x": ' + b"[" * 100_000, id="deep-in-an-unknown-field"),
        pytest.param(b"{}", id="nothing-in-it"),
        pytest.param(b" " * (MAX_FILE_BYTES + 1), id="too-large"),
        pytest.param(START.replace(b'"turn":5', b'"turn":NaN', 1), id="not-a-number"),
        pytest.param(START.replace(b'"turn":5', b'"turn":5.5', 1), id="fraction"),
        pytest.param(START.replace(b'"turn":5', b'"turn":"5"', 1), id="text-for-a-number"),
        pytest.param(START.replace(b'"turn":5', b'"turn":true', 1), id="truth-for-a-number"),
        pytest.param(START.replace(b'"units":', b'"unit":', 1), id="unknown-field"),
        pytest.param(START.replace(b'"hump":', b'"hamp":', 1), id="unknown-field-inside"),
        pytest.param(START.replace(b'"deal"', b'"teal"', 1), id="unknown-word"),
        pytest.param(START.replace(b'"turn","phase"', b'"tern","phase"', 1), id="unknown-frame"),
        pytest.param(START.replace(b'"japan":{', b'"germany":{', 1), id="unknown-side"),
    ],
)
def test_text_that_is_not_a_position_is_refused(text: bytes) -> None:
    with pytest.raises(PositionError) as caught:
        decode_position(text, "game.json")
    error = caught.value
    assert error.file == "game.json"
    assert error.problem
    assert str(error).isprintable()
    assert error.exit_code == 3


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        pytest.param(put(format=2), "format", "format 2", id="format"),
        pytest.param(put(game="qmg"), "game", "another game", id="game"),
        pytest.param(put(scenario="1950"), "scenario", "no playable scenario", id="scenario"),
        pytest.param(put(options={"x": "y"}), "options.x", "no option", id="option"),
        pytest.param(
            put(options={"naval-stacking": "?"}), "options.naval-stacking", "'?'", id="option-value"
        ),
        pytest.param(put(turn=4), "turn", "outside 5 to 7", id="turn-before-the-scenario"),
        pytest.param(put(turn=8), "turn", "outside 5 to 7", id="turn-after-the-scenario"),
        pytest.param(put(last_turn=8), "last_turn", "outside 5 to 7", id="last-turn-too-late"),
        pytest.param(put(turn=6, last_turn=5), "last_turn", "outside 6 to 7", id="last-turn-over"),
        pytest.param(put(turn=10**30), "turn", "outside", id="absurd-turn"),
    ],
)
def test_invalid_header_is_refused(change: Change, path: str, words: str) -> None:
    error = refusal(change)
    assert (error.file, error.path) == ("position", path)
    assert words in error.problem


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        pytest.param(of_unit("us-corps-xi", unit="us-corps-xl"), ".unit", "no unit", id="unit"),
        pytest.param(of_unit("us-corps-xi", at="9999"), ".at", "no place '9999'", id="hex"),
        pytest.param(of_unit("us-corps-xi", at="moon"), ".at", "no place 'moon'", id="place"),
        pytest.param(put(japan_controls=["9999"]), "japan_controls[0]", "no playable", id="hexes"),
        pytest.param(deck("japan", hand=["J-99"]), "decks.japan.hand[0]", "no card", id="card"),
        pytest.param(deck("japan", hand=["?"]), "decks.japan.hand[0]", "hidden", id="hidden-card"),
        pytest.param(tracks(surrendered=["siam"]), "surrendered[0]", "no nation", id="nation"),
        pytest.param(tracks(cities_taken=["0000"]), "cities_taken[0]", "no playable", id="city"),
        pytest.param(tracks(tokyo_express="1"), "tokyo_express", "no playable", id="express"),
        pytest.param(put(rebuilt=["x"]), "rebuilt[0]", "no unit", id="rebuilt"),
        pytest.param(put(events_played=["A-0"]), "events_played[0]", "no card", id="event"),
        pytest.param(tracks(japan_asp=10**20), "japan_asp", "outside 1 to 7", id="absurd-number"),
        pytest.param(
            frames(TURN, PLAY, {"frame": "emergency", "waiting": ["x"]}),
            "frames[2].waiting[0]",
            "no unit",
            id="unit-in-a-frame",
        ),
        pytest.param(
            tracks(aleutians_held={"\x1b[2J": 1}), "aleutians_held", "no playable", id="hostile-key"
        ),
        pytest.param(
            of_unit("us-corps-xi", at="\x1b]0;x\x07\n" + "y" * 5000),
            ".at",
            "no place",
            id="hostile",
        ),
    ],
)
def test_unknown_names_are_refused(change: Change, path: str, words: str) -> None:
    error = refusal(change)
    assert path in error.path
    assert words in error.problem
    assert str(error).isprintable()
    assert len(str(error)) < 1000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(
            lambda found: found["units"].append(dict(found["units"][0])),
            "appears twice",
            id="twice",
        ),
        pytest.param(lambda found: found["units"].pop(), "is missing", id="missing"),
        pytest.param(of_unit("us-corps-xi", steps=3), "3 steps", id="too-many-steps"),
        pytest.param(of_unit("us-cv-enterprise", steps=0), "0 steps", id="no-steps"),
        pytest.param(of_unit("us-corps-nl", steps=1), "1 steps, not 0", id="steps-of-the-dead"),
        pytest.param(of_unit("jp-hq-south", steps=2), "2 steps", id="hq-has-one"),
        pytest.param(of_unit("us-cv-enterprise", turn=6), "no turn of arrival", id="turn-on-map"),
        pytest.param(
            of_unit("us-marine-6-division", turn=4), "cannot arrive in turn 4", id="late-arrival"
        ),
        pytest.param(
            lambda found: unit(found, "us-marine-6-division").pop("turn"),
            "needs a turn",
            id="no-arrival",
        ),
        pytest.param(of_unit("jp-hq-south", at="2105"), "in a port", id="6.11-hq-inland"),
        pytest.param(
            of_unit("jp-bb-yamato", at="2105"), "ships cannot enter", id="8.2-ship-inland"
        ),
        pytest.param(of_unit("jp-army-15", at="3302"), "no unit may enter", id="13.91-manchukuo"),
        pytest.param(of_unit("jp-army-15", at="3801"), "no ground or air unit", id="8.41C-soviet"),
        pytest.param(of_unit("jp-army-15", at="2407"), "Kunming", id="13.75-kunming"),
        pytest.param(of_unit("jp-army-15", at="china-box"), "China box", id="13.74-no-air-unit"),
        pytest.param(
            of_unit("jp-air-division-3", at="china-box"), "China box", id="13.74-japanese"
        ),
        pytest.param(
            lambda found: [
                unit(found, name).update(at="china-box", steps=1)
                for name in ("us-air-5af", "us-lrb-5af", "us-air-7af")
            ],
            "at most 2",
            id="13.74-three",
        ),
        pytest.param(put(japan_controls=["2407"]), "always Allied", id="13.75-control"),
        pytest.param(put(japan_controls=["5508"]), "ocean", id="6.5-ocean"),
        pytest.param(put(japan_controls=["3706", "3706"]), "twice", id="6.5-doubled"),
        pytest.param(of_unit("us-corps-xi", at="4021"), "both sides", id="both-sides-in-a-hex"),
        pytest.param(
            of_unit("us-air-avg", at="eliminated", steps=0), "never returns", id="11.1-pre-war"
        ),
    ],
)
def test_invalid_units_and_control_are_refused(change: Change, words: str) -> None:
    assert words in refusal(change).problem


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(lambda found: found["decks"].pop("japan"), "missing", id="deck-missing"),
        pytest.param(deck("japan", future=None), "J-26 is missing", id="card-lost"),
        pytest.param(deck("japan", future="J-3"), "J-3 is in two places", id="card-doubled"),
        pytest.param(
            lambda found: found["decks"]["japan"]["draw"].append("A-2"),
            "other side",
            id="card-of-the-other-side",
        ),
        pytest.param(deck("allied", locked=["A-2"]), "not in the hand", id="5.35-locked"),
        pytest.param(deck("allied", passes=-1), "outside 0", id="12.4-passes"),
        pytest.param(deck("allied", event_draws=4), "outside 0 to 3", id="5.35-draws"),
        pytest.param(deck("allied", future_turn=6), "outside 0 to 5", id="7.29-future-turn"),
    ],
)
def test_invalid_cards_are_refused(change: Change, words: str) -> None:
    error = refusal(change)
    assert words in error.problem
    assert error.path.startswith("decks")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(tracks(political_will=11), "outside 0 to 10", id="16.4-above"),
        pytest.param(tracks(political_will=-1), "outside 0 to 10", id="16.4-below"),
        pytest.param(tracks(war_in_europe=-8), "outside -7 to 3", id="15"),
        pytest.param(tracks(divisions_in_china=13), "outside 0 to 12", id="11.23"),
        pytest.param(tracks(japan_asp=0), "outside 1 to 7", id="10.32"),
        pytest.param(tracks(escorts=3), "is not 0, 2 or 4", id="12.22"),
        pytest.param(tracks(pt_boats=True), "barges are no longer available", id="10.33"),
        pytest.param(tracks(china_offensive_turn=6), "outside 0 to 5", id="13.72-future"),
        pytest.param(tracks(bombing_turns=[6]), "outside 1 to 5", id="16.2-future"),
        pytest.param(tracks(bombing_turns=[0]), "outside 1 to 5", id="16.2-never"),
        pytest.param(tracks(bombed_this_turn=["us-corps-xi"]), "not a B29", id="12.31"),
        pytest.param(tracks(surrendered=["malaya", "malaya"]), "twice", id="13.1-twice"),
        pytest.param(tracks(recaptured=["india"]), "has not surrendered", id="13.1-5"),
        pytest.param(
            tracks(recaptured=["malaya", "malaya"]), "recaptured twice", id="13.1-5-twice"
        ),
        pytest.param(tracks(china_front=0), "collapsed", id="13.73-collapsed-only"),
        pytest.param(tracks(surrendered=["china"]), "collapsed", id="13.73-surrendered-only"),
        pytest.param(tracks(surrendered=["india"]), "Revolts", id="13.62"),
        pytest.param(tracks(all_surrendered_penalty=True), "not every", id="16.41"),
        pytest.param(tracks(no_transport_route=["2008"]), "never has a marker", id="13.77"),
        pytest.param(tracks(no_transport_route=["2205", "2205"]), "twice", id="13.77-twice"),
        pytest.param(tracks(cities_taken=["4021"]), "no intrinsic", id="13.94"),
        pytest.param(tracks(tokyo_express="5508"), "ocean", id="6.23"),
        pytest.param(tracks(aleutians_held={"5108": 1}), "not a hex of 16.42", id="16.42-hex"),
        pytest.param(tracks(hawaii_held={"5108": 0}), "outside 1 to 12", id="16.42-number"),
        pytest.param(tracks(replacement_loss={"x": 1}), "not a turn", id="J-15-key"),
        pytest.param(tracks(replacement_loss={"0135": 1}), "not a turn", id="J-15-zero"),
        pytest.param(tracks(replacement_loss={"6": -1}), "outside 0", id="J-15-number"),
        pytest.param(tracks(blockade_turns=3), "outside 0 to 2", id="13.93-over"),
        pytest.param(tracks(allied_delay_turn=99), "outside 0 to 13", id="J-80"),
        pytest.param(tracks(china_front=6), "", id="13.72-no-such-box"),
        pytest.param(put(pools=dict.fromkeys(["us_naval"], 30)), "outside 0 to 20", id="11"),
    ],
)
def test_invalid_markers_are_refused(change: Change, words: str) -> None:
    error = refusal(change)
    assert words in error.problem
    assert error.path.startswith(("tracks", "pools"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(frames(), "there are no frames", id="no-frame"),
        pytest.param(frames(PLAY), "outermost frame", id="no-turn"),
        pytest.param(frames(TURN, TURN), "cannot be inside", id="turn-in-turn"),
        pytest.param(frames(TURN, PLAY, PLAY), "cannot be inside", id="play-in-play"),
        pytest.param(frames(STATUS, PLAY), "cannot be inside", id="play-in-another-segment"),
        pytest.param(
            frames({**TURN, "entered": False}, PLAY), "must have been entered", id="not-entered"
        ),
        pytest.param(
            frames(TURN, PLAY, {"frame": "offensive", "step": 2}),
            "there is none",
            id="offensive-without-record",
        ),
        pytest.param(
            frames(TURN, PLAY, {"frame": "offensive", "step": 16}), "outside 1 to 15", id="step-16"
        ),
        pytest.param(
            frames(TURN, {"frame": "card-play", "side": "japan", "played": -1}),
            "outside 0",
            id="negative-plays",
        ),
        pytest.param(
            frames(TURN, PLAY, {"frame": "battles"}), "cannot be inside", id="battles-in-play"
        ),
        pytest.param(
            frames(
                {"frame": "turn", "phase": "reinforcement", "entered": True},
                {"frame": "reinforcement", "side": "allied", "waiting": ["jp-army-15"]},
            ),
            "belongs to the other side",
            id="10.1-other-side",
        ),
        pytest.param(
            frames(
                {"frame": "turn", "phase": "reinforcement", "entered": True},
                {"frame": "reinforcement", "side": "japan", "waiting": ["jp-army-15"]},
            ),
            "is not waiting",
            id="10.1-on-the-map",
        ),
        pytest.param(
            frames(
                {"frame": "turn", "phase": "strategic-warfare", "entered": True},
                {"frame": "bombing", "waiting": ["us-corps-xi"]},
            ),
            "not a B29",
            id="12.3",
        ),
        pytest.param(
            frames(STATUS, {"frame": "emergency", "waiting": ["us-corps-nl"]}),
            "not on the map",
            id="8.22-off-the-map",
        ),
    ],
)
def test_invalid_frames_are_refused(change: Change, words: str) -> None:
    error = refusal(change)
    assert words in error.problem
    assert error.path.startswith(("frames", "offensive"))


def test_a_seat_copy_is_refused() -> None:
    """A position with hidden cards cannot be started."""
    shown = hide_cards(starting_position("1943", {}), Side.ALLIED)
    with pytest.raises(PositionError, match="hidden card"):
        check_position(shown)


def test_stacking_is_checked_between_plays() -> None:
    """8.34."""
    crowd = ("us-corps-xi", "us-corps-i", "us-corps-xiv", "us-marine-m-brigade")

    def gather(found: Raw) -> None:
        for name in crowd:
            unit(found, name).update(at="3727", steps=1)

    assert "(8.34)" in refusal(gather).problem


def test_single_frame_positions_are_accepted_in_every_segment() -> None:
    start = starting_position("1943", {})
    for phase in Phase:
        one: Position = msgspec.structs.replace(start, frames=(TurnFrame(phase=phase),))
        check_position(one)


# -- December 1941 (17.11)

DECEMBER = starting_position("campaign-1941", {})
OPENED: tuple[Raw, ...] = (
    {"frame": "turn", "phase": "offensives", "entered": True},
    {"frame": "card-play", "side": "japan"},
)


def december(change: Change, *, is_dealt: bool = True) -> Raw:
    """Return a changed start of December 1941 as plain values, with Japan to play if cards are dealt."""
    found: Raw = json.loads(msgspec.json.encode(DECEMBER))
    if is_dealt:
        deal_special("J-1", "J-2")(found)
        found["frames"] = [dict(frame) for frame in OPENED]
    change(found)
    return found


def deal_special(*names: str, removed: tuple[str, ...] = ()) -> Change:
    """Return a change that gives Japan a hand of some cards and removes others from the game."""

    def change(found: Raw) -> None:
        japan = found["decks"]["japan"]
        rest = [
            card
            for card in (*japan["hand"], *japan["draw"], *japan["removed"])
            if card not in (*names, *removed)
        ]
        japan.update(hand=list(names), draw=rest, removed=list(removed))

    return change


def both(*changes: Change) -> Change:
    """Return a change that combines several."""
    return lambda found: [change(found) for change in changes]


def without_defenders(found: Raw) -> None:
    for entry in found["units"]:
        if entry["at"] == "5808":
            entry.update(at="removed", steps=0)


def without_headquarters(found: Raw) -> None:
    for entry in found["units"]:
        if entry["unit"].startswith("jp-hq"):
            entry.update(at="removed", steps=0)


@pytest.mark.parametrize("is_dealt", [True, False])
def test_december_opening_is_accepted(is_dealt: bool) -> None:
    judge(december(lambda found: None, is_dealt=is_dealt))


def test_december_position_after_operation_z_is_accepted() -> None:
    after = both(
        deal_special("J-2", removed=("J-1",)),
        lambda found: found["frames"][1].update(played=1),
        of_unit("jp-cv-akagi", at="4715"),
    )
    judge(december(after))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(deal_special("J-2", removed=("J-1",)), "1 cards are played", id="J-1-removed"),
        pytest.param(deal_special("J-2"), "J-1 is removed once", id="J-1-undrawn"),
        pytest.param(deal_special("J-1"), "J-2 alone after J-1", id="J-1-alone"),
        pytest.param(deal_special("J-1", "J-3"), "holds J-1 and J-2", id="another-event"),
        pytest.param(deal_special("J-1", "J-2", "J-3"), "holds J-1 and J-2", id="a-third-card"),
        pytest.param(deal_special("J-3"), "holds J-1 and J-2", id="another-card-alone"),
        pytest.param(of_unit("jp-cv-akagi", at="3706"), "not in 3705", id="ship-elsewhere"),
        pytest.param(of_unit("jp-bb-hiei", at="removed", steps=0), "not in 3705", id="ship-sunk"),
        pytest.param(without_defenders, "no Allied unit is in 5808", id="nobody-at-Oahu"),
        pytest.param(without_headquarters, "Japanese HQ in supply", id="no-headquarters"),
        pytest.param(deck("allied", passes=1), "passes", id="passes"),
        pytest.param(put(taken_back=["J-1"]), "not taken back", id="taken-back"),
        pytest.param(deck("japan", locked=["J-2"]), "drawn by an event", id="locked"),
        pytest.param(
            lambda found: found["frames"][1].update(played=1), "0 cards are played", id="played"
        ),
        pytest.param(
            frames({"frame": "turn", "phase": "reinforcement"}), "no Strategic Phase", id="phase"
        ),
        pytest.param(
            frames({"frame": "turn", "phase": "attrition"}), "before the Offensives", id="unplayed"
        ),
    ],
)
def test_impossible_december_position_is_refused(change: Change, words: str) -> None:
    with pytest.raises(PositionError) as caught:
        judge(december(change))
    assert words in caught.value.problem
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("pile", ["hand", "draw", "discard"])
@pytest.mark.parametrize("card", ["J-1", "J-2"])
def test_special_cards_in_play_after_december_are_refused(card: str, pile: str) -> None:
    def give(found: Raw) -> None:
        japan = found["decks"]["japan"]
        japan["removed"].remove(card)
        japan[pile].append(card)

    assert f"{card} is played in December 1941 only" in refusal(give).problem


# -- control, 6.5


@pytest.mark.parametrize(
    ("name", "at"),
    [
        pytest.param("us-air-5af", "4021", id="air-unit"),
        pytest.param("cw-hq-seac", "2212", id="hq"),
        pytest.param("us-corps-xi", "3018", id="ground-unit"),
        pytest.param("us-cv-wasp", "4021", id="8.22-carrier"),
        pytest.param("us-ca-northampton", "4021", id="8.22-cruiser"),
    ],
)
@pytest.mark.parametrize("stack", [(TURN, PLAY), ({"frame": "turn", "phase": "deal"},)])
def test_a_unit_in_an_enemy_controlled_hex_is_refused(
    name: str, at: str, stack: tuple[Raw, ...]
) -> None:
    def intrude(found: Raw) -> None:
        for entry in found["units"]:
            if entry["at"] == at:
                entry.update(at="removed", steps=0)
        found["japan_controls"] = sorted({*found["japan_controls"], at})
        unit(found, name).update(at=at, steps=1)
        frames(*stack)(found)

    assert f"{name} is in {at}, which the other side controls" in refusal(intrude).problem
