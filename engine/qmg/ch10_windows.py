"""Response windows, and the use of cards (10.4)."""

from collections.abc import Iterator

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.kernel.windows import Poll, is_first_side, next_poll
from engine.qmg.board_analysis import ignored_status_team
from engine.qmg.ch08_reallocate import TIMING_REFUSAL, begin_reallocation, reallocation_problem
from engine.qmg.ch10_answers import can_air_defend, can_respond, is_cost_unpayable, usable_cards
from engine.qmg.commands import AirDefense, Pass, QmgCommand, Reallocate, Use
from engine.qmg.deck import CARD, Ability
from engine.qmg.events import AbilityUsed, PieceRemoved, UseCancelled, UseDeclared
from engine.qmg.frames import Binds, Source, StepsFrame, Trigger, UseFrame, WindowFrame
from engine.qmg.ids import (
    AIR,
    BOLSTER,
    DECIDER,
    PLAYERS,
    RESPONSE,
    STATUS,
    TEAM_BY_FORCE,
    other_team,
)
from engine.qmg.phrases import describe_event
from engine.qmg.run import (
    DecisionHandler,
    Handler,
    ListedAction,
    PlainAction,
    Result,
    Run,
    action_trigger,
    team_turn_order,
)
from engine.qmg.state import State


def _team_countries(state: State, frame: WindowFrame, turn: int) -> tuple[str, ...]:
    """Return the polled team's countries in the order in which they are asked.

    The team that did not cause the event is polled first.
    """
    team = frame.trigger.cause
    if is_first_side(turn):
        team = other_team(team)
    return team_turn_order(PLAYERS[team], state.active)


def _poll_from(frame: WindowFrame) -> Poll:
    return Poll(frame.turn, frame.polled, frame.passes)


def _with_poll(frame: WindowFrame, poll: Poll) -> WindowFrame:
    return replace(frame, turn=poll.turn, polled=poll.polled, passes=poll.passes)


def _window_open_refusal(frame: WindowFrame) -> Refusal:
    return Refusal(
        Rule("10.4"), f"a window is open on {describe_event(frame.trigger)}: use a card or pass"
    )


def _is_settled(frame: WindowFrame) -> bool:
    """Return whether the Economic Warfare discard cannot change, because it is 0 or the card was cancelled (10.4)."""
    return frame.cancelled or (
        frame.trigger.kind == "ew_targeted" and all(number <= 0 for _, number in frame.changes)
    )


class UseOnEvent(ListedAction[WindowFrame, Use]):
    """Use a card in response to the event. Each card can be used only once per event (10.4, 18.6)."""

    kind = Use

    @override
    def candidates(self, state: State, frame: WindowFrame, role: str) -> Iterator[Use]:
        is_settled = _is_settled(frame)
        for usable_card in usable_cards(
            state, role, frame.trigger, frame.done, is_settled=is_settled
        ):
            yield Use(card=usable_card.card)

    @override
    def refusals_if_unlisted(
        self, state: State, frame: WindowFrame, role: str, command: Use
    ) -> Iterator[Refusal]:
        """Yield the reasons why a card cannot be used for this event."""
        if command.card in frame.done:
            yield Refusal(Rule("10.1"), "a card can be used only once for the same event")
        else:
            yield from use_refusals(state, role, command.card, frame.trigger)

    @override
    def apply(self, run: Run, frame: WindowFrame, role: str, command: Use) -> None:
        ability = next(
            usable_card.ability
            for usable_card in usable_cards(run.state, role, frame.trigger, frame.done)
            if usable_card.card == command.card
        )
        next_frame = _with_poll(frame, _poll_from(frame).after_answer())
        run.replace_top(replace(next_frame, done=(*frame.done, command.card)))
        run.push(
            UseFrame(country=role, card=command.card, ability=ability.number, trigger=frame.trigger)
        )


class DefendFromAir(PlainAction[WindowFrame, AirDefense]):
    """Remove an Air Force to save the piece that is about to be removed (13.5)."""

    timing = Refusal(
        Rule("13.5"),
        "your Air Force can only replace an Army or Navy beside it that a battle is about to remove",
    )

    @override
    def refusals(
        self, state: State, frame: WindowFrame, role: str, command: AirDefense
    ) -> Iterator[Refusal]:
        """Yield the reasons why no Air Force can defend now, and a refusal that states when one can."""
        event = frame.trigger
        if not (
            event.kind == "about_to_be_removed"
            and DECIDER[event.owner] == role
            and event.kind not in frame.done
            and can_air_defend(state, event)
        ):
            yield _window_open_refusal(frame)
            yield self.timing

    @override
    def apply(self, run: Run, frame: WindowFrame, role: str, command: AirDefense) -> None:
        event = frame.trigger
        next_frame = _with_poll(frame, _poll_from(frame).after_answer())
        run.replace_top(replace(next_frame, done=(*frame.done, event.kind), air_defended=True))
        run.add(PieceRemoved(force=event.owner, piece=AIR, space=event.space, why="air-defense"))


class ReallocateAtBeginning(PlainAction[WindowFrame, Reallocate]):
    """Reallocate Resources before or after other cards are used (8.3, 18.19)."""

    @override
    def refusals(
        self, state: State, frame: WindowFrame, role: str, command: Reallocate
    ) -> Iterator[Refusal]:
        """Yield the reasons why resources cannot be reallocated."""
        event = frame.trigger
        if event.kind != "play_step_begin" or event.by != role:
            yield _window_open_refusal(frame)
            yield TIMING_REFUSAL
        elif reason := reallocation_problem(state, role):
            yield _window_open_refusal(frame)
            yield Refusal(Rule("8.3"), reason)

    @override
    def apply(self, run: Run, frame: WindowFrame, role: str, command: Reallocate) -> None:
        run.replace_top(_with_poll(frame, _poll_from(frame).after_answer()))
        begin_reallocation(run, role)


class PassWindow(PlainAction[WindowFrame, Pass]):
    """Use no card for now. A pass is not final while the window is open (10.4, 18.7)."""

    @override
    def apply(self, run: Run, frame: WindowFrame, role: str, command: Pass) -> None:
        run.replace_top(_with_poll(frame, _poll_from(frame).after_pass()))


class WindowHandler(DecisionHandler[WindowFrame]):
    """Runs a response window. The teams alternate, and the team that did not cause the event starts (10.1, 10.4)."""

    frame = WindowFrame
    rule = Rule("10.4")
    actions = (
        UseOnEvent(),
        DefendFromAir(AirDefense),
        ReallocateAtBeginning(Reallocate),
        PassWindow(Pass),
    )

    @override
    def try_step(self, run: Run, frame: WindowFrame) -> bool:
        """Find the next country that could respond. When both teams have passed, close the window.

        Air Defense also closes the window, because the piece is no longer about to be removed (18.21).
        """
        state, poll_before, is_settled = run.state, _poll_from(frame), _is_settled(frame)
        poll = None
        if not frame.air_defended:
            poll = next_poll(
                poll_before,
                lambda turn: _team_countries(state, frame, turn),
                lambda country: can_respond(
                    state, country, frame.trigger, frame.done, is_settled=is_settled
                ),
            )
        if poll is None:
            run.pop(
                Result(
                    cancelled=frame.cancelled,
                    air_defended=frame.air_defended,
                    ew_discard_changes=frame.changes,
                )
            )
            return True
        if poll != poll_before:
            run.replace_top(_with_poll(frame, poll))
        return False

    @override
    def active_roles(self, state: State, frame: WindowFrame) -> tuple[str, ...]:
        return (_team_countries(state, frame, frame.turn)[frame.polled],)

    @override
    def prompt(self, state: State, frame: WindowFrame, role: str) -> str:
        """Return the prompt, which asks the country to use a card or pass."""
        return f"{describe_event(frame.trigger)}: use a card?"

    @override
    def is_window(self, state: State, frame: WindowFrame) -> bool:
        """Return True, because only public information determines which countries are asked."""
        return True

    @override
    def automatic_answer(
        self, state: State, frame: WindowFrame, role: str, options: tuple[QmgCommand, ...]
    ) -> QmgCommand | None:
        """Pass automatically if reallocating is the only other option. The Play step offers it again (8.3, 18.19)."""
        return options[-1] if options == (Reallocate(), Pass()) else None

    @override
    def wrong_kind(
        self, state: State, frame: WindowFrame, role: str, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield a refusal that names the event that opened the window."""
        yield _window_open_refusal(frame)


def use_refusals(state: State, role: str, card: str, event: Trigger | None) -> Iterator[Refusal]:
    """Yield the reasons why a country cannot use a card in the current window."""
    entry = CARD.get(card)
    if entry is None:
        yield Refusal(Rule("9.1"), f"there is no card {card}")
        return
    if entry.deck != role:
        yield Refusal(Rule("9.7"), f"{entry.name} belongs to the deck of another country")
        return
    cards = state.cards_of(role)
    if entry.type == STATUS and card in state.turn.blocked:
        yield Refusal(Rule("10.4"), f"{entry.name} cannot be used again this turn")
    elif entry.type == RESPONSE and card in cards.hand:
        yield Refusal(Rule("9.2"), f"{entry.name} must first be face down on the table")
    elif entry.type == STATUS and card in cards.hand:
        yield Refusal(Rule("9.2"), f"{entry.name} must first be face up on the table")
    elif any(f"{card}:{ability.number}" in state.turn.used for ability in entry.abilities):
        yield Refusal(Rule("10.1"), f"{entry.name} has already been used this turn")
    else:
        yield from _current_use_refusals(state, role, card, event)


def _current_use_refusals(
    state: State, role: str, card: str, event: Trigger | None
) -> Iterator[Refusal]:
    """Yield the reasons why a card that the country holds cannot be used now (8.2, 9.5, 10.4, 17.10)."""
    entry = CARD[card]
    if (
        entry.type == STATUS
        and ignored_status_team(state.statuses, state.active) == TEAM_BY_FORCE[role]
    ):
        yield Refusal(Rule("17.10"), f"{entry.name} is ignored this turn")
    elif any(ability.kind == "play_alternative" for ability in entry.abilities):
        yield Refusal(
            Rule("8.2"),
            f"{entry.name} replaces playing a card in your Play step, if its requirements are met",
        )
    if event is None:
        yield Refusal(Rule("10.4"), f"{entry.name} cannot be used at this moment")
    elif is_cost_unpayable(state, role, card, event):
        yield Refusal(Rule("9.5"), f"the cost of {entry.name} cannot be paid")
        yield Refusal(Rule("10.4"), "only cards whose cost you can pay can be used")
    else:
        yield Refusal(Rule("10.4"), f"{entry.name} does not respond to this event")


class UseHandler(Handler[UseFrame]):
    """Runs the use of a card: declaration, cost and text, with the responses to them (10.4)."""

    frame = UseFrame

    @override
    def try_step(self, run: Run, frame: UseFrame) -> bool:
        card = CARD[frame.card]
        ability = card.abilities[frame.ability]
        match frame.stage:
            case "":
                self._declare(run, frame, card.type)
            case "declared":
                self._after_declaration(run, frame, card.type, ability)
            case "paid":
                run.replace_top(replace(frame, stage="over"))
                if ability.steps:
                    run.push(self._steps_frame(frame, ability.name))
            case "over":
                run.replace_top(replace(frame, stage="end"))
                if card.type == STATUS:
                    run.open_window(action_trigger("status_used", frame.country, card=frame.card))
            case _:
                run.pop()
        return True

    def _declare(self, run: Run, frame: UseFrame, card_type: str) -> None:
        run.add(UseDeclared(country=frame.country, card=frame.card))
        run.replace_top(replace(frame, stage="declared"))
        if card_type != STATUS:
            zone = self._card_zone(run.state, frame)
            run.move_card(frame.country, frame.card, zone, "play", is_shown=True, reason="use")
        if card_type in {STATUS, BOLSTER}:
            run.open_window(
                action_trigger(f"{card_type}_use_declared", frame.country, card=frame.card)
            )

    def _after_declaration(
        self, run: Run, frame: UseFrame, card_type: str, ability: Ability
    ) -> None:
        """Continue to the cost. If the use was cancelled, end it without paying the cost (10.4, 18.9)."""
        is_cancelled = run.take_result().cancelled
        # The card is discarded before its cost is paid. It is also discarded if its use was
        # cancelled (10.4).
        if card_type != STATUS:
            run.move_card(
                frame.country, frame.card, "play", "discard-top", is_shown=True, reason="used"
            )
        if is_cancelled:
            run.add(UseCancelled(card=frame.card, blocked=card_type == STATUS))
            run.pop(Result(cancelled=True))
            return
        if ability.once_per_turn:
            run.add(AbilityUsed(card=frame.card, ability=ability.number))
        run.replace_top(replace(frame, stage="paid"))
        if ability.cost:
            run.push(replace(self._steps_frame(frame, ability.cost_list_name), is_cost=True))

    def _card_zone(self, state: State, frame: UseFrame) -> str:
        return "responses" if frame.card in state.cards_of(frame.country).responses else "hand"

    def _steps_frame(self, frame: UseFrame, steps: str) -> StepsFrame:
        source = Source(owner=frame.country, card=frame.card, trigger=frame.trigger)
        return StepsFrame(steps=steps, source=source, binds=Binds())
