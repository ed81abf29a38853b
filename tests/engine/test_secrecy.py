"""Games that can be played without a trusted dealer, the length of hidden entries, and the roles asked for cards."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from typing_extensions import override

from engine.eots.deck import cards
from engine.eots.deck_campaign import DiscardRandom
from engine.eots.events.cards import CardPlayed as EotsCardPlayed
from engine.eots.events.cards import CardsDealt, DeckReshuffled, DrawPileAdded
from engine.eots.ruleset import EmpireOfTheSun
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import Command, Event
from engine.kernel.secrecy import deck_problem, leaked_cards
from engine.qmg.events import CardsMoved
from engine.qmg.ids import CardType
from engine.registry import AnyRuleset, games, ruleset
from saves.codec import codec
from tests.engine.card_games import (
    CARD_GAMES,
    GOLDEN_CASES,
    QUICK,
    SCRIPTS,
    Moment,
    Walk,
    golden,
    random_cases,
    random_game,
    script,
    scripts,
)
from tests.sizes import sampled, sized
from tests.toy_game import TOY
from tests.toy_six import SIX
from tests.toy_solo import SOLO
from tests.toy_staff import TOY_STAFF, ToyStaff
from tools.dev.card_completion import LoggingDice

SHARED = (TOY, SIX, SOLO)
"""Toy games whose players draw from a common deck."""
CASES = random_cases("first", "last")


class Seen(Counter[str]):
    """Counts of what was checked."""


def check(rules: AnyRuleset, moments: Iterable[Moment]) -> Seen:
    """Check every event and command of a game, and what each copy knows after it."""
    seen, walk = Seen(), Walk(rules)
    for moment in moments:
        walk.whole, walk.copies = moment.whole, dict(moment.copies)
        roles = [role for role in walk.copies if role is not None]
        if moment.role is not None and moment.command is not None:
            seen["asks"] += _check_asks(rules, moment)
            _check_command(rules, moment.role, moment.command, roles, seen)
        for event in moment.events:
            assert not list(leaked_cards(rules, event, roles)), event
            walk.fold(event)
            if _is_set_up(event):
                continue
            seen["events"] += 1
            if any(rules.redact(event, role) != event for role in (*roles, None)):
                assert rules.redact(event, None) is not None
                _check_size(rules, event, seen)
        if moment.seq % 7 == 0:
            assert not list(known_of_others(walk)), (moment.seq, moment.command)
    return seen


def _is_set_up(event: Event) -> bool:
    return "position" in event.__struct_fields__


def _check_asks(rules: AnyRuleset, moment: Moment) -> int:
    heard = LoggingDice(moment.dice)
    rules.resolve(rules.ledger(moment.whole, heard), Role(str(moment.role)), moment.command)
    asks = [
        pick for pick in heard.card_picks if pick.pile.is_shown and pick.pile.owner != moment.role
    ]
    assert len(asks) <= rules.max_reveal_requests(moment.command), moment.command
    return len(asks)


def _check_command(
    rules: AnyRuleset, giver: Role, command: Command, roles: Iterable[Role], seen: Seen
) -> None:
    shown = rules.redact_command(command, giver, None)
    assert shown is not None
    for role in roles:
        if role != giver:
            assert rules.redact_command(command, giver, role) == shown
    if shown != command:
        _check_size(rules, command, seen)


def _check_size(rules: AnyRuleset, item: Command | Event, seen: Seen) -> None:
    """Accept an entry that is not longer than the size to which all hidden entries are padded."""
    assert len(codec(rules).pack(item).body) <= rules.hidden_entry_bytes, item
    seen["hidden"] += 1


def known_of_others(walk: Walk) -> Iterable[str]:
    """Yield other roles' cards that a role's copy knows in a pile in which a spectator's copy does not."""
    for owner in walk.rules.decks():
        public = walk.rules.card_piles(walk.copies[None], owner)
        for viewer, copy in walk.copies.items():
            if viewer not in {None, owner}:
                for name, place in walk.rules.card_piles(copy, owner).items():
                    if set(place.cards) - set(public[name].cards):
                        yield f"{viewer} knows more than a spectator of {name} of {owner}"


@pytest.mark.parametrize("name", GOLDEN_CASES)
def test_golden_games_show_hidden_cards_only_to_their_owner(name: str) -> None:
    seen = check(ruleset(name.partition("-")[0]), golden(name))
    assert seen["events"] > 300
    assert seen["hidden"]


@pytest.mark.parametrize(("game", "scenario", "values"), sampled(CASES, 4))
def test_random_games_show_hidden_cards_only_to_their_owner(
    game: str, scenario: str, values: str
) -> None:
    for seed in range(sized(1, 2, 6)):
        moments = random_game(game, scenario, seed, sized(60, 400, 1_500), values)
        assert check(ruleset(game), moments)["hidden"]


def test_scripts_show_hidden_cards_only_to_their_owner() -> None:
    for game in CARD_GAMES:
        found = [check(ruleset(game), script(path)) for path in sampled(scripts(game), 6, 200)]
        assert sum(seen["hidden"] for seen in found)


@pytest.mark.parametrize("name", ["card-a-60", "card-a-67", "card-a-72", "card-a-72-weather"])
def test_enemy_hand_cards_are_requested_within_the_declared_limit(name: str) -> None:
    asked = check(ruleset("eots"), script(SCRIPTS / "eots" / f"{name}.script"))["asks"]
    assert asked == int(name in {"card-a-60", "card-a-67"})  # J passes before A-72 acts


def test_only_cards_that_take_enemy_cards_request_them() -> None:
    rules: Any = ruleset("eots")
    play, other = rules.notation.parse("event A-60"), rules.notation.parse("event A-2")
    passing, operations = rules.notation.parse("pass"), rules.notation.parse("oc A-60")
    asks = [rules.max_reveal_requests(command) for command in (play, other, passing, operations)]
    assert asks == [1, 0, 1, 0]
    taking = {
        card.id
        for card in cards().values()
        for step in card.effects
        if isinstance(step, DiscardRandom)
    }
    assert taking == {"A-60", "A-67", "A-72"}
    assert ruleset("qmg").max_reveal_requests(ruleset("qmg").notation.parse("pass")) == 0


# -- sizes


def test_a_whole_deck_of_empire_of_the_sun_fits_into_one_entry() -> None:
    rules: Any = ruleset("eots")
    longest = 0
    for side, deck in rules.decks().items():
        rule = Rule("CP-46")
        for event in (
            CardsDealt(side=side, cards=deck, passes=99),
            DeckReshuffled(rule=rule, side=side, cards=deck),
            DrawPileAdded(rule=rule, side=side, cards=deck),
        ):
            longest = max(longest, len(codec(rules).pack(event).body))
    assert rules.hidden_entry_bytes - 64 < longest <= rules.hidden_entry_bytes


def test_a_whole_deck_of_quartermaster_general_fits_into_one_entry() -> None:
    rules: Any = ruleset("qmg")
    longest = 0
    for country, deck in rules.decks().items():
        event = CardsMoved(
            country=country,
            cards=deck,
            source="deck-below",
            to="discard-bottom",
            why="economic-warfare",
            card_type=max(CardType.__args__, key=len),  # type: ignore[attr-defined]  # a literal has them
            top=max(deck, key=len),
        )
        longest = max(longest, len(codec(rules).pack(event).body))
    assert rules.hidden_entry_bytes - 64 < longest <= rules.hidden_entry_bytes


# -- games that cannot be played that way


def test_the_games_can_be_played_without_a_trusted_dealer() -> None:
    for game in games():
        rules = ruleset(game)
        assert rules.secrecy_problem() == ""
        assert bool(rules.hidden_entry_bytes) == bool(rules.decks())


@pytest.mark.parametrize("rules", SHARED, ids=lambda rules: rules.game)
def test_a_game_with_a_shared_deck_is_refused(rules: AnyRuleset) -> None:
    assert rules.secrecy_problem() == "the hidden content is in no deck with a single owner"


@pytest.mark.parametrize("is_declared", [True, False])
def test_a_game_that_hides_nothing_is_not_refused(
    monkeypatch: pytest.MonkeyPatch, is_declared: bool
) -> None:
    monkeypatch.setattr(ToyStaff, "is_open", is_declared)
    assert TOY_STAFF.secrecy_problem() == ""


class _SharedCup(EmpireOfTheSun):
    """Both sides draw from one common deck."""

    @override
    def decks(self) -> Any:
        cup = tuple(card for deck in super().decks().values() for card in deck)
        return dict.fromkeys(super().decks(), cup)


class _Peeking(EmpireOfTheSun):
    """The Allies see what Japan draws during the game, but not before it."""

    @override
    def redact(self, event: Any, role: Role | None) -> Any:
        if role == "allied" and isinstance(event, CardsDealt) and event.passes != 4:
            return event
        return super().redact(event, role)


class _PeekingAtOnce(EmpireOfTheSun):
    """The Allies see Japan's first hand."""

    @override
    def redact(self, event: Any, role: Role | None) -> Any:
        if role == "allied" and isinstance(event, CardsDealt):
            return event
        return super().redact(event, role)


def test_hidden_content_of_the_games_can_be_checked_by_every_copy() -> None:
    assert {game: ruleset(game).hiding_problem() for game in games()} == dict.fromkeys(games(), "")


class _NobodysCards(EmpireOfTheSun):
    """Does not name the owner of the cards that an event hides."""

    @override
    def secret_owner(self, event: Any) -> Role | None:
        del event
        return None


class _HiddenKinds(EmpireOfTheSun):
    """Hides the kind of the events that deal cards."""

    @override
    def redact(self, event: Any, role: Role | None) -> Any:
        return None if isinstance(event, CardsDealt) else super().redact(event, role)


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (_NobodysCards(), "Empire of the Sun does not say whose cards an event hides"),
        (_HiddenKinds(), "Empire of the Sun hides what kind of event has happened"),
        (TOY, f"{TOY.title} does not say whose cards an event hides"),
    ],
    ids=["nobody's cards", "hidden kinds", "other marks"],
)
def test_a_game_with_uncheckable_hidden_events_is_refused(rules: AnyRuleset, problem: str) -> None:
    assert rules.hiding_problem() == problem


def test_a_cup_shared_by_two_players_is_refused() -> None:
    problem = _SharedCup().secrecy_problem()
    assert problem.startswith("the card ")
    assert problem.endswith("a deck needs one owner")
    assert deck_problem({Role("a"): ("x", "y"), Role("b"): ("z",)}) == ""


def test_a_game_that_shows_the_first_hand_to_another_player_is_refused() -> None:
    problem = _PeekingAtOnce().secrecy_problem()
    assert problem.startswith("allied sees the hidden card J-")


def test_a_rule_showing_a_card_to_another_player_is_declared_or_detected() -> None:
    class Declared(EmpireOfTheSun):
        peek_rule = Rule("5.99")

    assert (
        Declared().secrecy_problem()
        == "under rule 5.99, a player sees another player's hidden card"
    )
    rules, found = _Peeking(), []
    for moment in golden(QUICK[0]):
        found += [
            one for event in moment.events for one in leaked_cards(rules, event, rules.all_roles())
        ]
    assert {role for role, _ in found} == {"allied"}


def test_a_copy_that_knows_another_players_card_is_detected() -> None:
    rules: Any = ruleset("eots")
    walk = Walk(rules)
    walk.seat(rules.all_roles())
    events = rules.open_game(rules.position("1943", {}), DerivedDice(bytes(32), 0))
    for event in events:
        walk.fold(event)
    assert not list(known_of_others(walk))
    held = walk.whole.decks["japan"].hand[0]
    walk.copies[Role("allied")] = rules.with_hidden_card(
        walk.copies[Role("allied")], Role("japan"), "hand", held
    )
    assert list(known_of_others(walk)) == ["allied knows more than a spectator of hand of japan"]
    shown = EotsCardPlayed(side="japan", card=held, use="oc", future=False)  # type: ignore[arg-type]  # an id
    walk.fold(shown)
    assert not list(known_of_others(walk))
    assert msgspec.structs.asdict(shown)["card"] == held
