"""Checks that a scenario contains no unknown references and lists every counter once (17, 18.0)."""

from collections.abc import Iterator
from functools import cache

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.data.reading import require, require_known
from engine.eots.data.scenarios_file import FILE, Entering, Numbers, Placement, Scenario
from engine.eots.deck import card_ids, cards
from engine.eots.ids import CHINA_BOX, AreaId, CardId, Face, HexId, Location, Side, UnitId
from engine.kernel.errors import DataError
from engine.kernel.vocabulary import ReferenceChecker, Vocabulary


def check(scenario: Scenario) -> None:
    """Check one scenario.

    Raises:
        DataError: The scenario violates a check, for example because a counter is missing or listed twice.
    """
    path = f"scenarios.{scenario.id}"
    require(
        FILE,
        path,
        holds=1 <= scenario.start_turn <= scenario.end_turn <= 12,  # noqa: PLR2004 - the last turn (4.0)
        problem="the turns do not follow each other",
    )
    require_known(FILE, scenario, path, _reference_checker())
    _check_units(scenario, path)
    _check_control(scenario, path)
    _check_cards(scenario, path)


@cache
def _reference_checker() -> ReferenceChecker:
    return ReferenceChecker(
        {
            AreaId: Vocabulary("area", board().areas),
            CardId: Vocabulary("card", cards()),
            HexId: Vocabulary("hex", board().hexes),
            Location: Vocabulary("place", {CHINA_BOX, *board().hexes}),
            UnitId: Vocabulary("unit", counters()),
        }
    )


def _named_units(scenario: Scenario) -> Iterator[UnitId]:
    """Yield the units that the scenario lists. A unit listed twice is yielded twice."""
    yield from (unit_setup.unit for unit_setup in scenario.setup)
    yield from (fixed_unit.unit for fixed_unit in scenario.fixed_units)
    yield from (delayed_unit.unit for delayed_unit in scenario.delay_box)
    for turn in scenario.reinforcements:
        yield from (delayed_unit.unit for delayed_unit in turn.units)
    yield from (waiting_unit.unit for waiting_unit in scenario.event_units)
    yield from scenario.eliminated
    yield from scenario.unused


def _check_units(scenario: Scenario, path: str) -> None:
    """Check that each counter is listed exactly once, with the face that it should show."""
    listed_units = tuple(_named_units(scenario))
    seen_units: set[UnitId] = set()
    for unit in listed_units:
        if unit in seen_units:
            raise DataError(FILE, path, f"{unit} is listed twice")
        seen_units.add(unit)
    missing_units = [unit for unit in counters() if unit not in seen_units]
    require(FILE, path, holds=not missing_units, problem=f"{missing_units} are not listed")
    entries: list[Placement | Entering] = [*scenario.setup, *scenario.delay_box]
    for turn in scenario.reinforcements:
        entries += turn.units
    for entry in entries:
        if entry.face is not Face.FULL and counters()[entry.unit].reduced is None:
            raise DataError(FILE, path, f"{entry.unit} has no reduced face")


def _check_control(scenario: Scenario, path: str) -> None:
    """Check that a control rule has an owner if it is about units, and none otherwise."""
    for rule in scenario.control.rules:
        needs_owner = rule.scope in ("hexes-with-units", "hexes-with-ground-units")
        require(
            FILE,
            f"{path}.control.rules[{rule.order}]",
            holds=needs_owner == (rule.of is not None),
            problem="`of` does not fit the scope",
        )


def _check_cards(scenario: Scenario, path: str) -> None:
    """Check that each card number exists, is in the deck, and is in at most one pile."""
    setup = scenario.cards
    for side in Side:
        card_path = f"{path}.cards.{side.value}"
        future_card = (
            setup.future_offensive.japan if side is Side.JAPAN else setup.future_offensive.allied
        )
        piles = [
            *_side_numbers(setup.removed, side),
            *_side_numbers(setup.discard, side),
            *([] if future_card is None else [future_card]),
        ]
        deck = piles if setup.decks is None else _side_numbers(setup.decks, side)
        numbers = range(1, len(card_ids(side)) + 1)
        for number in [*piles, *deck]:
            require(FILE, card_path, holds=number in numbers, problem=f"there is no card {number}")
        require(
            FILE, card_path, holds=len({*piles}) == len(piles), problem="a card is in two piles"
        )
        require(FILE, card_path, holds={*piles} <= {*deck}, problem="a card outside the deck")


def _side_numbers(numbers: Numbers, side: Side) -> tuple[int, ...]:
    """Return one side's card numbers from a list for both sides."""
    return numbers.japan if side is Side.JAPAN else numbers.allied
