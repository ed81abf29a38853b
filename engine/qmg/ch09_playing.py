"""Card play, including Economic Warfare (9.2, 10.7, 11.1)."""

from collections.abc import Iterator
from typing import Final, Literal, TypeVar

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.qmg.ch09_cards import shuffle_deck
from engine.qmg.commands import Done, Name, Yes
from engine.qmg.deck import CARD
from engine.qmg.deck_steps import CountryChoice, EwDiscard, ForEachCountry, Steps
from engine.qmg.events import CardPlayed, UseCancelled
from engine.qmg.frames import PlayFrame, Source, StepsFrame
from engine.qmg.ids import (
    AIR_POWER,
    BOLSTER,
    BUILD_ARMY,
    BUILD_NAVY,
    ECONOMIC_WARFARE,
    HIDDEN,
    RESPONSE,
    STATUS,
)
from engine.qmg.run import CountryQuestion, ListedAction, PlainAction, Run, action_trigger
from engine.qmg.state import State
from engine.qmg.terms import full_context, is_condition_met

P = TypeVar("P", Yes, Done)

UNPLAYABLE: Final = (AIR_POWER, BOLSTER)
"""Card types that can never be played (13.2)."""


def play_card(
    run: Run, country: str, card: str, source: str, step: Literal["", "play"] = ""
) -> None:
    """Play a card from the hand or the discard pile, with full effect. A Response is laid face down (10.7, 15.3)."""
    if CARD[card].type == RESPONSE:
        run.move_card(country, card, source, "responses", reason="play")
        # The trigger is public and must not name the face-down card (9.3).
        _open_played_window(run, country, HIDDEN, step)
        return
    run.move_card(country, card, source, "play", is_shown=True, reason="play")
    run.push(PlayFrame(country=country, card=card, step=step))


def _open_played_window(run: Run, country: str, card: str, step: Literal["", "play"]) -> None:
    run.open_window(replace(action_trigger("card_played", country, card=card), step=step))


def ew_discards(
    steps: Steps, targets: tuple[str, ...] = ()
) -> Iterator[tuple[EwDiscard, tuple[str, ...]]]:
    """Yield each Economic Warfare discard in a list of steps, with the countries for which it is repeated."""
    for step in steps:
        if isinstance(step, EwDiscard):
            yield step, targets
        for nested_steps in step.inner().values():
            countries = step.countries if isinstance(step, ForEachCountry) else targets
            yield from ew_discards(nested_steps, countries)


def _legal_targets(state: State, frame: PlayFrame) -> tuple[str, ...]:
    """Return the countries that the card's owner can choose as the target."""
    ability = CARD[frame.card].on_play()
    assert ability is not None
    for step, _ in ew_discards(ability.steps):
        choice = step.target
        if isinstance(choice, CountryChoice):
            context = full_context(state, frame.country)
            return tuple(
                country
                for country in choice.choose
                if is_condition_met(
                    choice.where, replace(context, binds=replace(context.binds, chosen=country))
                )
            )
    return ()


def _open_ew_window(run: Run, frame: PlayFrame) -> None:
    ability = CARD[frame.card].on_play()
    assert ability is not None
    targets: tuple[str, ...] = (frame.target,) if frame.target else ()
    if not targets:
        for step, discard in ew_discards(ability.steps):
            if not isinstance(step.target, CountryChoice):
                targets += discard if step.target == "each" else (step.target,)
    run.add(CardPlayed(country=frame.country, card=frame.card, target=frame.target))
    run.replace_top(replace(frame, stage="answered"))
    event = action_trigger("ew_played", frame.country, card=frame.card)
    run.open_window(replace(event, targets=tuple(dict.fromkeys(targets))))


def _steps_frame(frame: PlayFrame, steps: str) -> StepsFrame:
    """Return the frame for a list of steps. Only the text of a Build card allows a designation (7.6, 18.14)."""
    is_build = CARD[frame.card].type in {BUILD_ARMY, BUILD_NAVY}
    return StepsFrame(
        steps=steps,
        source=Source(owner=frame.country, card=frame.card, by_build_card=is_build),
    )


def _frame_rule(frame: PlayFrame) -> Rule:
    return Rule("11.1" if frame.stage == "target" else "9.5")


def _wrong_choice(frame: PlayFrame) -> Refusal:
    return Refusal(_frame_rule(frame), "this is not one of the choices in this step")


class NameTarget(ListedAction[PlayFrame, Name]):
    """Name the target of Economic Warfare (11.1)."""

    kind = Name

    @override
    def candidates(self, state: State, frame: PlayFrame, role: str) -> list[Name]:
        if frame.stage != "target":
            return []
        return [Name(force=country) for country in _legal_targets(state, frame)]

    @override
    def refusals_if_unlisted(
        self, state: State, frame: PlayFrame, role: str, command: Name
    ) -> Iterator[Refusal]:
        """Yield a refusal stating that this is not one of the choices."""
        yield _wrong_choice(frame)

    @override
    def apply(self, run: Run, frame: PlayFrame, role: str, command: Name) -> None:
        """Set the target and open the response window for the card."""
        named_frame = replace(frame, target=command.force)
        run.replace_top(named_frame)
        _open_ew_window(run, named_frame)


class AnswerCost(PlainAction[PlayFrame, P]):
    """Pay a card's cost, or skip the card's text (9.5)."""

    @override
    def refusals(self, state: State, frame: PlayFrame, role: str, command: P) -> Iterator[Refusal]:
        """Yield a refusal if the open decision is about the target instead of the cost."""
        if frame.stage == "target":
            yield _wrong_choice(frame)

    @override
    def apply(self, run: Run, frame: PlayFrame, role: str, command: P) -> None:
        """Pay the cost before the text is carried out, or skip the text."""
        if isinstance(command, Done):
            run.replace_top(replace(frame, stage="after"))
            return
        ability = CARD[frame.card].on_play()
        assert ability is not None
        run.replace_top(replace(frame, stage="paid"))
        run.push(replace(_steps_frame(frame, ability.cost_list_name), is_cost=True))


class PlayHandler(CountryQuestion[PlayFrame]):
    """Carries out a played card's text, including Economic Warfare (10.7, 11.1)."""

    frame = PlayFrame
    default_index = -1
    actions = (NameTarget(), AnswerCost(Yes), AnswerCost(Done))

    @override
    def try_step(self, run: Run, frame: PlayFrame) -> bool:
        card = CARD[frame.card]
        match frame.stage:
            case "":
                return self._begin_text(run, frame)
            case "target":
                if _legal_targets(run.state, frame):
                    return False
                _open_ew_window(run, frame)
            case "answered":
                self._after_ew_window(run, frame)
            case "cost":
                return self._offer_cost(run, frame)
            case "paid":
                run.replace_top(replace(frame, stage="after"))
                ability = card.on_play()
                if ability is not None and ability.steps:
                    run.push(_steps_frame(frame, ability.name))
            case "after":
                run.replace_top(replace(frame, stage="end"))
                _open_played_window(run, frame.country, frame.card, frame.step)
            case _:
                self._discard_played(run, frame)
                run.pop()
        return True

    def _begin_text(self, run: Run, frame: PlayFrame) -> bool:
        """Lay a Status on the table. For any other card, continue to its text (9.2; example 15.3)."""
        card = CARD[frame.card]
        if card.type == STATUS:
            run.move_card(
                frame.country, frame.card, "play", "statuses", is_shown=True, reason="play"
            )
            run.replace_top(replace(frame, stage="after"))
        elif card.type == ECONOMIC_WARFARE:
            if _legal_targets(run.state, frame):
                run.replace_top(replace(frame, stage="target"))
            else:
                _open_ew_window(run, frame)
        else:
            run.add(CardPlayed(country=frame.country, card=frame.card))
            run.replace_top(replace(frame, stage="cost"))
        return True

    def _after_ew_window(self, run: Run, frame: PlayFrame) -> None:
        """Continue to the card's text. If the card was cancelled, skip the text (11.1, 17.3)."""
        result = run.take_result()
        if result.cancelled:
            run.add(UseCancelled(card=frame.card))
            run.replace_top(replace(frame, stage="after", cancelled=True))
        else:
            run.replace_top(replace(frame, stage="cost", boosts=result.ew_discard_changes))

    def _offer_cost(self, run: Run, frame: PlayFrame) -> bool:
        """Offer to pay the card's cost.

        If its condition is not met, the card has no effect and gains no VP (18.24, A.1.1).
        """
        ability = CARD[frame.card].on_play()
        if ability is None or not is_condition_met(
            ability.condition, full_context(run.state, frame.country)
        ):
            run.replace_top(replace(frame, stage="after"))
            return True
        if not ability.cost:
            run.replace_top(replace(frame, stage="paid"))
            return True
        return False

    def _discard_played(self, run: Run, frame: PlayFrame) -> None:
        if CARD[frame.card].type == STATUS:
            return
        target_pile = frame.to or "discard-top"
        target = {"deck_top": "deck-top", "deck_shuffle": "deck-pool", "hand": "hand"}.get(
            target_pile, target_pile
        )
        run.move_card(frame.country, frame.card, "play", target, is_shown=True, reason="used")
        if target_pile == "deck_shuffle":
            shuffle_deck(run, frame.country)

    @override
    def decision_rule(self, state: State, frame: PlayFrame) -> Rule:
        return _frame_rule(frame)

    @override
    def prompt(self, state: State, frame: PlayFrame, role: str) -> str:
        """Return the prompt for the target of Economic Warfare, or for the cost."""
        name = CARD[frame.card].name
        if frame.stage == "target":
            return f"{name}: against which country?"
        return f"{name}: pay its cost?"
