"""Every card of a deck is in exactly one pile after every event, on every copy (9.1 and 5.0 of the games)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec
import pytest

from engine.eots.events.flow import GameStarted as EotsStarted
from engine.kernel.cards import OPEN_PILE, PileContents, PileKind
from engine.kernel.dice import CardPile, DerivedDice, Die, EventCountingDice
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.qmg.ch13_decks import deck_size
from engine.qmg.deck import deck_list
from engine.qmg.events import CardsMoved, DeckShuffled, FramesChanged
from engine.qmg.events import GameStarted as QmgStarted
from engine.qmg.frames import SearchFrame
from engine.registry import AnyRuleset, games, ruleset
from tests.engine.card_games import (
    CARD_GAMES,
    GOLDEN_CASES,
    QUICK,
    Moment,
    Walk,
    golden,
    random_cases,
    random_from,
    random_game,
    script,
    scripts,
)
from tests.engine.qmg.test_constructed import START as CONSTRUCTED
from tests.sizes import sampled, sized

SEGMENTS = ("draw", "beneath", "shuffled", "deck-top", "deck", "deck-bottom")
PICKED = {"eots": {"draw", "hand", "shuffled"}, "qmg": {"deck", "discard", "responses"}}
"""Piles from which cards are picked at random."""
SEARCHED = {"eots": {"take draw"}, "qmg": set[str]()}
"""Kinds of public commands that name a card of a deck: the card that the Allies may take (17.11, 17.25D)."""
CASES = random_cases("first", "second", "last")


Piles: TypeAlias = Mapping[str, PileContents]
EVERY = 50
"""Number of events between comparisons of all owners' piles, instead of only changed ones."""


def faults(walk: Walk, owner: Role, whole: Piles) -> Iterator[str]:
    """Yield the errors in an owner's piles on all copies."""
    if sorted(card for place in whole.values() for card in place.cards) != sorted(
        walk.rules.decks()[owner]
    ):
        yield f"{owner}: the cards are not in one pile each"
    yield from _order_faults(whole, owner)
    for viewer, state in walk.copies.items():
        copy = walk.rules.card_piles(state, owner)
        if list(copy) != list(whole):
            yield f"{owner} for {viewer}: other piles"
            continue
        for name, place in copy.items():
            what = f"{name} of {owner} for {viewer}"
            yield from _copy_faults(what, viewer == owner, place, whole[name])


def _order_faults(whole: Piles, owner: Role) -> Iterator[str]:
    kinds = [place.kind for place in whole.values()]
    segments = [kind.is_segment for kind in kinds]
    if segments != sorted(segments, reverse=True):
        yield f"{owner}: a segment of the deck is behind another pile"
    if list(whole)[-1] != OPEN_PILE or kinds.count(PileKind.OPEN) != 1:
        yield f"{owner}: the open pile is not the last one"


def _copy_faults(what: str, is_own: bool, place: PileContents, full: PileContents) -> Iterator[str]:
    if (place.kind, len(place.cards)) != (full.kind, len(full.cards)):
        yield f"{what}: {len(place.cards)} cards of {len(full.cards)}"
    known = [card for card in place.cards if card != HIDDEN]
    if len(set(known)) != len(known) or not set(known) <= set(full.cards):
        yield f"{what}: {known} of {full.cards}"
    if place.kind is PileKind.ORDERED and any(
        card not in {HIDDEN, other} for card, other in zip(place.cards, full.cards, strict=True)
    ):
        yield f"{what}: another order"
    if HIDDEN in place.cards and (is_own or place.kind is PileKind.OPEN):
        yield f"{what}: an unknown face"


class SegmentDice(EventCountingDice):
    """Dice that compare the pile of each pick with the piles of the state at that time."""

    def __init__(self, rules: AnyRuleset, moment: Moment) -> None:
        self._dice, self._rules, self._moment = moment.dice, rules, moment
        self.faults: list[str] = []
        self.picks: list[str] = []

    def roll(self, die: Die) -> int:
        return self._dice.roll(die)

    def pick(self, items: Sequence[str]) -> str:
        if isinstance(items, CardPile):
            self.picks.append(items.segment)
            self._compare(items)
        return self._dice.pick(items)

    def _compare(self, pile: CardPile) -> None:
        state = self._moment.whole
        for event in self._events:
            state = self._rules.evolve(state, event)
        place = self._rules.card_piles(state, Role(pile.owner))[pile.segment]
        due = msgspec.json.encode(self._moment.events[self.event_count]).decode()
        # The others were picked or named before, for the same event.
        if not set(pile) <= set(place.cards) or any(
            f'"{card}"' not in due for card in set(place.cards) - set(pile)
        ):
            self.faults.append(f"{pile.segment} of {pile.owner}: {pile} is not {place}")


class Checked(NamedTuple):
    """Counts of what was compared."""

    events: int
    picks: Counter[str]
    named: Counter[str]


def check_all(rules: AnyRuleset, moments: Iterator[Moment]) -> Checked:
    """Compare the piles after every event, the pile of each pick, and the cards that public commands name."""
    walk, count = Walk(rules), 0
    picks, named = Counter[str](), Counter[str]()
    for moment in moments:
        dice = SegmentDice(rules, moment)
        if moment.command is None:
            assert isinstance(moment.events[0], EotsStarted | QmgStarted)
            rules.open_game(moment.events[0].position, dice)
        elif moment.role is not None:
            rules.resolve(rules.ledger(moment.whole, dice), moment.role, moment.command)
            named.update(named_from(rules, moment))
        assert not dice.faults, (moment.seq, moment.command, dice.faults)
        picks.update(dice.picks)
        walk.whole, walk.copies = moment.whole, dict(moment.copies)
        before = dict(piles(walk))
        for at, event in enumerate(moment.events):
            walk.fold(event)
            count += 1
            after = dict(piles(walk))
            found = [
                each
                for owner, now in after.items()
                if now != before[owner] or count % EVERY == 0
                for each in faults(walk, owner, now)
            ]
            assert not found, (moment.seq, moment.command, at, event, found)
            before = after
    return Checked(count, picks, named)


def piles(walk: Walk) -> Iterator[tuple[Role, Piles]]:
    for owner in walk.rules.decks():
        yield owner, walk.rules.card_piles(walk.whole, owner)


def named_from(rules: AnyRuleset, moment: Moment) -> Iterator[str]:
    """Yield the pile of each card that a public command names, alike on the owner's copy and the full state."""
    assert moment.role is not None
    names = rules.named_cards(moment.role, moment.command)
    own = rules.card_piles(moment.copies[moment.role], moment.role)
    assert own == rules.card_piles(moment.whole, moment.role)
    for name in names:
        (place,) = [place for place, pile in own.items() if name in pile.cards]
        kind = str(type(moment.command).__struct_config__.tag)  # type: ignore[union-attr]  # it is one
        yield f"{kind} {place}"


@pytest.mark.parametrize("name", GOLDEN_CASES)
def test_golden_games_keep_each_card_in_one_pile(name: str) -> None:
    game = name.partition("-")[0]
    found = check_all(ruleset(game), golden(name))
    assert found.events > 300
    assert found.picks
    assert found.named
    allowed = SEARCHED[game]
    assert not [each for each in found.named if each.endswith(SEGMENTS) and each not in allowed]


@pytest.mark.parametrize(("game", "scenario", "values"), sampled(CASES, 4))
def test_random_games_keep_each_card_in_one_pile(game: str, scenario: str, values: str) -> None:
    for seed in range(sized(1, 3, 9)):
        moments = random_game(game, scenario, seed, sized(120, 400, 1_500), values)
        found = check_all(ruleset(game), moments)
        assert found.events > 20


def test_13_9_cards_left_out_of_constructed_decks_are_in_a_hidden_pile() -> None:
    rules = ruleset("qmg")
    moments = list(random_from(rules, CONSTRUCTED, 1, sized(300, 800, 1_500)))
    assert check_all(rules, iter(moments)).events > 500
    last = moments[-1]
    for country, deck in rules.decks().items():
        chosen = deck_size(country, CONSTRUCTED.limits)
        left = len(deck_list(country, is_total_war=True)) - chosen
        seen = [
            rules.card_piles(state, country)["out"].cards
            for state in (last.whole, last.copies[country], last.copies[None])
        ]
        assert [len(cards) for cards in seen] == [left] * 3
        assert seen[0] == seen[1]
        assert HIDDEN not in seen[0]
        assert set(seen[2]) == {HIDDEN}
        assert not set(seen[0]) & set(rules.card_piles(last.whole, country)["open"].cards)
        assert len(deck) > left


@pytest.mark.parametrize("game", sampled(CARD_GAMES[::-1], 1))
def test_scripts_keep_each_card_in_one_pile(game: str) -> None:
    """Scripts try every card, and begin in positions that games rarely reach."""
    picks = Counter[str]()
    for path in sampled(scripts(game), 20, 200):
        picks += check_all(ruleset(game), script(path)).picks
    assert set(picks) <= PICKED[game]
    assert picks["draw"] or picks["deck"]


def test_games_without_hidden_cards_have_no_piles() -> None:
    for game in set(games()) - set(CARD_GAMES):
        rules = ruleset(game)
        assert not rules.decks(), (
            f"add {game} to CARD_GAMES in card_games.py, and here to PICKED, SEARCHED and check_all"
        )
        assert not rules.card_piles(rules.initial_state(), rules.all_roles()[0])


def test_all_cards_are_open_before_the_first_event() -> None:
    for game in CARD_GAMES:
        rules = ruleset(game)
        for role, deck in rules.decks().items():
            assert rules.card_piles(rules.initial_state(), role)[OPEN_PILE].cards == deck


def test_8_3_a_deck_searched_together_with_its_discards_is_one_pile() -> None:
    """Other copies do not know from which part of the deck the card is taken before the shuffle (A.3)."""
    rules: Any = ruleset("qmg")
    walk = Walk(rules)
    walk.seat(rules.all_roles())
    for event in rules.open_game(rules.position("total-war", {}), DerivedDice(bytes(32), 0)):
        walk.fold(event)
    usa = Role("usa")
    card = walk.whole.cards_of(usa).deck[-1]
    for _ in range(2):
        seen = walk.whole.cards_of(usa).deck[0]
        walk.fold(moved(seen, "deck-below", "deck-top-end"))
    assert len(rules.card_piles(walk.whole, usa)["deck-top"].cards) == 2
    search = SearchFrame(
        country=usa, zone="deck+discard", type="basic", left=1, to="hand", shown=True
    )
    for event in (
        FramesChanged(keep=0, frames=(search,)),
        moved(card, "deck", "hand", shown=True),
        DeckShuffled(country=usa),
    ):
        walk.fold(event)
        whole = rules.card_piles(walk.whole, usa)
        assert not whole["deck-top"].cards
        assert not list(faults(walk, usa, whole))
    alone = FramesChanged(keep=0, frames=(msgspec.structs.replace(search, zone="deck"),))
    walk.fold(moved(walk.whole.cards_of(usa).deck[0], "deck-below", "deck-top-end"))
    walk.fold(alone)
    assert len(rules.card_piles(walk.whole, usa)["deck-top"].cards) == 1


def moved(card: str, source: str, to: str, *, shown: bool = False) -> CardsMoved:
    return CardsMoved(country="usa", cards=(card,), source=source, to=to, shown=shown)


@pytest.mark.parametrize("name", QUICK)
def test_a_card_can_be_shown_to_a_copy(name: str) -> None:
    rules, shown = ruleset(name.partition("-")[0]), set[str]()
    for moment in golden(name):
        if moment.seq % 40:
            continue
        for owner in rules.decks():
            whole = rules.card_piles(moment.whole, owner)
            public = rules.card_piles(moment.copies[None], owner)
            for pile, place in whole.items():
                for card in sorted({*place.cards} - {*public[pile].cards})[:1]:
                    told = rules.with_hidden_card(moment.copies[None], owner, pile, card)
                    assert card in rules.card_piles(told, owner)[pile].cards
                    assert without(rules.card_piles(told, owner), pile) == without(public, pile)
                    assert rules.with_hidden_card(told, owner, pile, card) is told
                    assert rules.with_hidden_card(moment.whole, owner, pile, card) is moment.whole
                    shown.add(pile)
    assert shown >= {"hand"} | ({"draw"} if rules.game == "eots" else {"deck", "discard"})


def without(found: Piles, name: str) -> dict[str, PileContents]:
    return {pile: place for pile, place in found.items() if pile != name}
