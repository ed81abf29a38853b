"""The turn of a country: its steps and their actions (8)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from engine.kernel.ids import Refusal, Rule
from engine.qmg import sayings
from engine.qmg.atlas import SPACE_IDS, bits
from engine.qmg.ch07_actions import is_on_board, take_off
from engine.qmg.ch08_reallocate import can_reallocate, reallocate
from engine.qmg.ch09_cards import (
    UNPLAYABLE,
    copies_once,
    discard_deck,
    draw,
    play_card,
)
from engine.qmg.ch10_answers import Usable, any_time_answers, held, is_usable
from engine.qmg.ch10_windows import why_no_use
from engine.qmg.ch12_victory import end_round, score_spaces, scores, victory_trigger
from engine.qmg.commands import (
    Discard,
    DiscardTop,
    Done,
    Drop,
    LosePoint,
    Play,
    QmgCommand,
    Reallocate,
    Remove,
    Use,
)
from engine.qmg.deck import CARD
from engine.qmg.events import (
    CardsMoved,
    StepBegan,
    TurnBegan,
    VpChanged,
)
from engine.qmg.field import field
from engine.qmg.frames import (
    AirStepFrame,
    BonusFrame,
    DiscardStepFrame,
    Frame,
    PlayStepFrame,
    RemovalFrame,
    SupplyStepFrame,
    TurnFrame,
    UseFrame,
)
from engine.qmg.ids import (
    ARMY,
    COUNTRIES,
    FORCE_INDEX,
    HAND_SIZE,
    HIDDEN,
    MINOR,
    NAVY,
    STATUS,
    TEAM_OF,
)
from engine.qmg.run import Handler, QmgDecision, Run, question
from engine.qmg.state import State
from engine.qmg.terms import context


class TurnHandler(Handler[TurnFrame]):
    """The steps in their order, each with its windows (8.1, 10.7)."""

    frame = TurnFrame

    def go(self, run: Run, frame: TurnFrame) -> bool:
        """Go one stage on."""
        stage = STAGES[frame.stage]
        run.swap(replace(frame, stage=stage.next))
        stage.act(run, frame.country)
        return True


class Stage:
    """One stage of a turn: what happens, and which comes next."""

    def __init__(self, act: Callable[[Run, str], None], following: str) -> None:
        """Name the act and the stage behind it."""
        self.act = act
        self.next = following


def _begin(run: Run, country: str) -> None:
    number = run.state.round or 1
    run.add(TurnBegan(country=country, round=number))
    run.window(victory_trigger(run.state, "turn_begin"))


def _step(name: str) -> Callable[[Run, str], None]:
    def begin(run: Run, _country: str) -> None:
        run.add(StepBegan(step=name))
        run.window(victory_trigger(run.state, f"{name}_step_begin"))

    return begin


def _play(run: Run, country: str) -> None:
    run.push(PlayStepFrame(country=country))


def _air_begin(run: Run, country: str) -> None:
    if run.state.total_war:
        _step("air")(run, country)


def _air(run: Run, country: str) -> None:
    if run.state.total_war:
        run.push(AirStepFrame(country=country))


def unsupplied(state: State, country: str) -> tuple[str, ...]:
    """Return the pieces that the Supply step of a country removes, as ``force:piece:space`` (6.6)."""
    now = field(state)
    forces = (country, MINOR[country]) if state.total_war and country in MINOR else (country,)
    found: list[str] = []
    for force in forces:
        army, navy = now.supplied(force)
        for kind, good in ((ARMY, army), (NAVY, navy)):
            left = now.board.of(force, kind) & ~good
            found += [f"{force}:{kind}:{SPACE_IDS[at]}" for at in bits(left)]
    return tuple(sorted(found, key=lambda piece: piece.rsplit(":", 1)[1]))


def _supply(run: Run, country: str) -> None:
    pieces = unsupplied(run.state, country)
    if pieces:
        run.push(SupplyStepFrame(country=country, left=pieces))


def _victory_begin(run: Run, country: str) -> None:
    run.add(StepBegan(step="victory"))
    if scores(run.state, country):
        run.window(victory_trigger(run.state, "victory_step_begin"))
    else:
        frame = run.stack[-1]
        assert isinstance(frame, TurnFrame), frame
        run.swap(replace(frame, stage="minor"))


def _victory(run: Run, country: str) -> None:
    score_spaces(run, country)
    run.push(BonusFrame(country=country))


def _victory_end(run: Run, _country: str) -> None:
    run.window(victory_trigger(run.state, "victory_step"))


def _minor(run: Run, country: str) -> None:
    minor = MINOR.get(country)
    if run.state.total_war and minor is not None and scores(run.state, minor):
        score_spaces(run, minor)


def _discard(run: Run, country: str) -> None:
    run.push(DiscardStepFrame(country=country))


def _discard_end(run: Run, _country: str) -> None:
    run.window(victory_trigger(run.state, "discard_step"))


def _draw(run: Run, country: str) -> None:
    draw(run, country, HAND_SIZE - len(run.state.cards_of(country).hand))


def _end(run: Run, country: str) -> None:
    at = FORCE_INDEX[country]
    if at + 1 < len(COUNTRIES):
        run.swap(TurnFrame(country=COUNTRIES[at + 1], stage="begin"))
        return
    end_round(run)
    if run.state.outcome is None:
        run.swap(TurnFrame(country=COUNTRIES[0], stage="round"))


def _next_round(run: Run, country: str) -> None:
    run.add(TurnBegan(country=country, round=run.state.round + 1))
    run.window(victory_trigger(run.state, "turn_begin"))


STAGES: Final[Mapping[str, Stage]] = {
    "begin": Stage(_begin, "play-begin"),
    "round": Stage(_next_round, "play-begin"),
    "play-begin": Stage(_step("play"), "play"),
    "play": Stage(_play, "air-begin"),
    "air-begin": Stage(_air_begin, "air"),
    "air": Stage(_air, "supply-begin"),
    "supply-begin": Stage(_step("supply"), "supply"),
    "supply": Stage(_supply, "victory-begin"),
    "victory-begin": Stage(_victory_begin, "victory"),
    "victory": Stage(_victory, "victory-end"),
    "victory-end": Stage(_victory_end, "minor"),
    "minor": Stage(_minor, "discard-begin"),
    "discard-begin": Stage(_step("discard"), "discard"),
    "discard": Stage(_discard, "discard-end"),
    "discard-end": Stage(_discard_end, "draw-begin"),
    "draw-begin": Stage(_step("draw"), "draw"),
    "draw": Stage(_draw, "end"),
    "end": Stage(_end, "end"),
}
"""The skeleton of a turn (10.7)."""


# -- the Play step


def alternatives(state: State, country: str, barred: Sequence[str] = ()) -> Iterator[Usable]:
    """Yield the Statuses that may be used instead of playing a card (8.2 c)."""
    at = context(state, country)
    for card in state.statuses[FORCE_INDEX[country]]:
        if card in barred:
            continue
        for ability in CARD[card].abilities:
            if ability.kind == "play_alternative" and is_usable(ability, card, STATUS, at):
                yield Usable(card, ability)


class PlayStepHandler(Handler[PlayStepFrame]):
    """Exactly one action (8.2)."""

    frame = PlayStepFrame

    def go(self, run: Run, frame: PlayStepFrame) -> bool:
        """Leave when the action was taken; a cancelled alternative does not count (18.31)."""
        if not frame.using:
            return False
        if frame.using != HIDDEN and run.take().cancelled:
            run.swap(replace(frame, using="", barred=(*frame.barred, frame.using)))
            return True
        run.leave()
        return True

    def asked(self, state: State, frame: PlayStepFrame) -> tuple[str, ...]:
        """Return the active country."""
        return (frame.country,)

    def decision(
        self, state: State, stack: Sequence[Frame], frame: PlayStepFrame, role: str
    ) -> QmgDecision:
        """Ask for the action; the default is to discard the rightmost card."""
        cards = state.cards_of(role)
        hand = copies_once(cards.hand)
        options: list[QmgCommand] = [
            Play(card=card) for card in hand if CARD[card].type not in UNPLAYABLE
        ]
        options += [Use(card=each.card) for each in alternatives(state, role, frame.barred)]
        if can_reallocate(state, role):
            options.append(Reallocate())
        options += [Use(card=card) for card in any_time_cards(state, role)]
        options += [Drop(card=card) for card in hand]
        default: QmgCommand | None = None
        if not hand:
            default = DiscardTop() if cards.deck_size else LosePoint()
            options.append(default)
        return question(
            role, "8.2", "Play step: play a card, or take another action", options, default
        )

    def resolve(self, run: Run, frame: PlayStepFrame, role: str, command: QmgCommand) -> None:
        """Take the action."""
        used = replace(frame, using=HIDDEN)
        match command:
            case Play(card=card):
                run.swap(used)
                play_card(run, role, card, "hand", "play")
            case Use(card=card):
                self._use(run, frame, role, card)
            case Reallocate():
                reallocate(run, role)
            case Drop(card=card):
                run.swap(used)
                run.add(
                    CardsMoved(
                        country=role,
                        cards=(card,),
                        source="hand",
                        to="discard-bottom",
                        why="play-step",
                    )
                )
            case DiscardTop():
                run.swap(used)
                discard_deck(run, role, 1, "play-step")
            case _:
                run.swap(used)
                run.add(VpChanged(team=TEAM_OF[role], amount=-1, why="cards"))

    def _use(self, run: Run, frame: PlayStepFrame, role: str, card: str) -> None:
        for usable in alternatives(run.state, role, frame.barred):
            if usable.card == card:
                run.swap(replace(frame, using=card))
                run.push(UseFrame(country=role, card=card, ability=usable.ability.number))
                return
        use_any_time(run, role, card)

    def why_not(
        self,
        state: State,
        stack: Sequence[Frame],
        frame: PlayStepFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say why an action cannot be taken."""
        hand = state.cards_of(role).hand
        card = getattr(command, "card", "")
        if isinstance(command, Play | Drop) and card not in hand:
            yield Refusal(
                Rule("8.2"), f"{sayings.card(card) if card in CARD else card} is not in hand"
            )
        elif isinstance(command, Play) and CARD[card].type in UNPLAYABLE:
            yield Refusal(
                Rule("13.2"), "Air Power and Bolster cards are never the play of the Play step"
            )
        elif isinstance(command, Play | Drop):
            yield Refusal(Rule("9.1"), "another copy of the same card stands for this one")
        elif isinstance(command, Use):
            yield from why_no_use(state, role, card, None)
        elif isinstance(command, Reallocate):
            yield Refusal(
                Rule("8.3"),
                "resources were reallocated this turn"
                if state.turn.reallocated
                else "Reallocate Resources is not in use in this game",
            )
        elif isinstance(command, DiscardTop | LosePoint):
            yield Refusal(Rule("8.2"), "this is only for an empty hand")
        else:
            yield Refusal(Rule("8.2"), "the Play step asks for one of its actions")


# -- Supply and Discard steps


class SupplyStepHandler(Handler[SupplyStepFrame]):
    """Removes what was out of supply when the step began (6.6)."""

    frame = SupplyStepFrame

    def go(self, run: Run, frame: SupplyStepFrame) -> bool:
        """Remove the last piece without a question; ask for the order of several."""
        left = tuple(piece for piece in frame.left if self._is_there(run.state, piece))
        if not left:
            run.leave()
            return True
        if len(left) > 1:
            if left != frame.left:
                run.swap(replace(frame, left=left))
            return False
        self._remove(run, frame, left[0])
        return True

    def _is_there(self, state: State, piece: str) -> bool:
        force, kind, space = piece.split(":")
        return is_on_board(state.board, force, kind, space)

    def _remove(self, run: Run, frame: SupplyStepFrame, piece: str) -> None:
        force, kind, space = piece.split(":")
        run.swap(replace(frame, left=tuple(one for one in frame.left if one != piece)))
        run.push(
            RemovalFrame(
                owner=force,
                piece=kind,
                space=space,
                by=frame.country,
                cause=TEAM_OF[frame.country],
                why="supply",
            )
        )

    def asked(self, state: State, frame: SupplyStepFrame) -> tuple[str, ...]:
        """Return the active country."""
        return (frame.country,)

    def decision(
        self, state: State, stack: Sequence[Frame], frame: SupplyStepFrame, role: str
    ) -> QmgDecision:
        """Ask which piece goes next; the default is by space id."""
        options: list[QmgCommand] = []
        for piece in frame.left:
            force, kind, space = piece.split(":")
            options.append(Remove(force=force, piece=kind, space=space))
        return question(role, "6.6", "Out of supply: which piece goes next?", options, options[0])

    def resolve(self, run: Run, frame: SupplyStepFrame, role: str, command: QmgCommand) -> None:
        """Remove the piece."""
        assert isinstance(command, Remove), command
        self._remove(run, frame, f"{command.force}:{command.piece}:{command.space}")

    def why_not(
        self,
        state: State,
        stack: Sequence[Frame],
        frame: SupplyStepFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what the step removes."""
        yield Refusal(Rule("6.6"), "only the pieces that are out of supply are removed now")


class DiscardStepHandler(Handler[DiscardStepFrame]):
    """Any number of hand cards; with Total War at least one, or 1 VP (8.4, 18.13)."""

    frame = DiscardStepFrame

    def go(self, run: Run, frame: DiscardStepFrame) -> bool:
        """Ask while there are hand cards."""
        if run.state.cards_of(frame.country).hand and frame.count >= 0:
            return False
        must = run.state.total_war and not run.state.limits
        if must and not run.state.turn.discarded:
            run.add(VpChanged(team=TEAM_OF[frame.country], amount=-1, why="discard-step"))
        run.leave()
        return True

    def asked(self, state: State, frame: DiscardStepFrame) -> tuple[str, ...]:
        """Return the active country."""
        return (frame.country,)

    def decision(
        self, state: State, stack: Sequence[Frame], frame: DiscardStepFrame, role: str
    ) -> QmgDecision:
        """Ask for a card or the end; the default is none, with Total War the rightmost card."""
        hand = state.cards_of(role).hand
        options: list[QmgCommand] = [Discard(card=card) for card in copies_once(hand)]
        must = state.total_war and not state.limits and not frame.count
        price = " (none costs 1 VP)" if must else ""
        return question(
            role,
            "8.4",
            f"Discard step: discard cards from hand{price}",
            [*options, Done()],
            options[-1] if must else None,
        )

    def resolve(self, run: Run, frame: DiscardStepFrame, role: str, command: QmgCommand) -> None:
        """Discard the card, or end the step."""
        if isinstance(command, Done):
            run.swap(replace(frame, count=-1))
            return
        assert isinstance(command, Discard), command
        run.add(
            CardsMoved(
                country=role,
                cards=(command.card,),
                source="hand",
                to="discard-bottom",
                why="discard-step",
            )
        )
        run.swap(replace(frame, count=frame.count + 1))

    def why_not(
        self,
        state: State,
        stack: Sequence[Frame],
        frame: DiscardStepFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what the step is for."""
        yield Refusal(Rule("8.4"), "the Discard step takes cards of the own hand, one at a time")


# -- at any time


def any_time_cards(state: State, country: str) -> Iterator[str]:
    """Yield the cards that a country may use at any time (10.6)."""
    at = context(state, country)
    for answer in any_time_answers(total_war=state.total_war):
        if answer.country != country:
            continue
        trigger = answer.ability.trigger
        assert trigger is not None
        if trigger.event == "any_time_own_turn" and state.active != country:
            continue
        card = held(state, answer)
        if card and is_usable(answer.ability, card, answer.type, at):
            yield card


def use_any_time(run: Run, country: str, card: str) -> None:
    """Use a card as if by a reaction while the game waits (10.6)."""
    ability = next(
        each
        for each in CARD[card].abilities
        if each.trigger is not None and each.trigger.event.startswith("any_time")
    )
    run.push(UseFrame(country=country, card=card, ability=ability.number))


def withdraw(run: Run, force: str, piece: str, space: str) -> None:
    """Take an own piece off the board (4.2)."""
    take_off(run, force, piece, space, "own")
