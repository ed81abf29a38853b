"""The Air step (13.3)."""

from collections.abc import Iterator
from typing import TypeVar

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.errors import HiddenError
from engine.kernel.ids import Refusal, Rule
from engine.qmg import phrases
from engine.qmg.atlas import BIT
from engine.qmg.board_analysis import BoardAnalysis, board_analysis
from engine.qmg.ch09_cards import discard_hand
from engine.qmg.commands import Deploy, Done, Marshal, QmgCommand, Superiority
from engine.qmg.deck import CARD
from engine.qmg.events import AirMoved, PiecePlaced
from engine.qmg.frames import AirStepFrame, SuperiorityFrame
from engine.qmg.ids import AIR, AIR_POWER, HIDDEN, MINOR_FORCE
from engine.qmg.legal import deploy_options, has_piece_in_pool, marshal_options, superiority_options
from engine.qmg.run import CountryQuestion, ListedAction, PlainAction, Run, action_trigger
from engine.qmg.state import State

A = TypeVar("A", Deploy, Marshal, Superiority)


def open_placement_window(run: Run, force: str, space: str) -> None:
    """Open the response window after an Air Force has been deployed or marshaled (10.3)."""
    run.open_window(
        action_trigger("air_deployed_or_marshaled", force, space=space, piece=AIR, owner=force)
    )


def deploy_air_force(run: Run, command: Deploy) -> None:
    """Place an Air Force (13.3 a)."""
    run.add(PiecePlaced(force=command.force, piece=AIR, space=command.space, how="deploy"))
    open_placement_window(run, command.force, command.space)


def marshal_air_force(run: Run, command: Marshal) -> None:
    """Move an Air Force (13.3 b)."""
    force, space = command.force, command.space
    run.add(AirMoved(force=force, origin=command.origin, space=space, how="marshal"))
    open_placement_window(run, force, space)


def gain_superiority(run: Run, command: Superiority) -> None:
    """Gain Air Superiority over a space (13.3 c)."""
    run.push(
        SuperiorityFrame(
            force=command.force,
            origin=command.origin,
            space=command.space,
            target=command.target or "",
        )
    )


def air_power_card(state: State, country: str) -> str:
    """Return an Air Power card in hand, or an empty string if there is none.

    Raises:
        HiddenError: No Air Power card is known, but this copy does not know the whole hand.
    """
    hand = state.cards_of(country).hand
    air_power = next((card for card in hand if card != HIDDEN and CARD[card].type == AIR_POWER), "")
    if not air_power and HIDDEN in hand:
        raise HiddenError("this copy does not know which Air Power card pays the cost")
    return air_power


def _may_have_air_power(state: State, country: str) -> bool:
    """Return whether the hand contains an Air Power card. Hidden cards count as Air Power cards."""
    return HIDDEN in state.cards_of(country).hand or bool(air_power_card(state, country))


def _can_act(state: State, frame: AirStepFrame) -> bool:
    return not frame.action_done and _may_have_air_power(state, frame.country)


def _pay_air_power(run: Run, frame: AirStepFrame, role: str) -> None:
    card = air_power_card(run.state, role)
    run.move_card(role, card, "hand", "discard-top", is_shown=True, reason="air-power")
    run.replace_top(replace(frame, action_done=True))


class _AirAction(ListedAction[AirStepFrame, A]):
    """Base class of air actions (13.3)."""

    timing = Refusal(Rule("13.3"), "Air Forces are moved in your Air step")

    @override
    def refusals_if_unlisted(
        self, state: State, frame: AirStepFrame, role: str, command: A
    ) -> Iterator[Refusal]:
        """Yield the reasons why an air action is not possible."""
        force, is_marshal = command.force, isinstance(command, Marshal)
        if force != role and not (is_marshal and force == MINOR_FORCE.get(role)):
            yield Refusal(
                Rule("13.3"),
                f"{phrases.force_name(role)} cannot act with this Air Force in its Air step",
            )
            return
        if frame.action_done if force == role else frame.minor_done:
            yield Refusal(Rule("13.3"), "the air action of this step has already been taken")
        if not is_marshal and not _may_have_air_power(state, role):
            yield Refusal(Rule("13.3"), "this needs an Air Power card in hand")
        yield from air_action_refusals(board_analysis(state), command)


class DeployNow(_AirAction[Deploy]):
    """Place an Air Force by discarding an Air Power card (13.3 a, 16.14)."""

    kind = Deploy

    @override
    def candidates(self, state: State, frame: AirStepFrame, role: str) -> list[Deploy]:
        return deploy_options(board_analysis(state), role) if _can_act(state, frame) else []

    @override
    def apply(self, run: Run, frame: AirStepFrame, role: str, command: Deploy) -> None:
        """Pay for the Air Force and place it."""
        _pay_air_power(run, frame, role)
        deploy_air_force(run, command)


class GainSuperiority(_AirAction[Superiority]):
    """Gain Air Superiority by discarding an Air Power card (13.3 c, 16.14)."""

    kind = Superiority

    @override
    def candidates(self, state: State, frame: AirStepFrame, role: str) -> list[Superiority]:
        """Return a command for each possible pair of an Air Force and a space."""
        return superiority_options(board_analysis(state), role) if _can_act(state, frame) else []

    @override
    def apply(self, run: Run, frame: AirStepFrame, role: str, command: Superiority) -> None:
        _pay_air_power(run, frame, role)
        gain_superiority(run, command)


class MarshalNow(_AirAction[Marshal]):
    """Move an Air Force of the country or its minor force by discarding any card (13.3 b, 16.14)."""

    kind = Marshal

    @override
    def candidates(self, state: State, frame: AirStepFrame, role: str) -> list[Marshal]:
        """Return the country's moves, followed by the moves of its minor force."""
        analysis = board_analysis(state)
        options = [] if frame.action_done else marshal_options(analysis, role)
        if role in MINOR_FORCE and not frame.minor_done:
            options += marshal_options(analysis, MINOR_FORCE[role])
        return options

    @override
    def apply(self, run: Run, frame: AirStepFrame, role: str, command: Marshal) -> None:
        """Pay for the move. The step carries out the move after the discard."""
        is_minor = command.force != role
        run.replace_top(
            replace(
                frame,
                pending=(command.force, command.origin, command.space),
                minor_done=frame.minor_done or is_minor,
                action_done=frame.action_done or not is_minor,
            )
        )
        discard_hand(run, role, 1, reason="marshal")


class EndAirStep(PlainAction[AirStepFrame, Done]):
    """Take no more air actions."""

    @override
    def apply(self, run: Run, frame: AirStepFrame, role: str, command: Done) -> None:
        run.replace_top(replace(frame, action_done=True, minor_done=True))


class AirStepHandler(CountryQuestion[AirStepFrame]):
    """The Air step: one air action for the country, and one Marshal for its minor force (13.3)."""

    frame = AirStepFrame
    rule = Rule("13.3")
    question = "Air step: deploy, marshal or gain Air Superiority"
    actions = (DeployNow(), GainSuperiority(), MarshalNow(), EndAirStep(Done))

    @override
    def try_step(self, run: Run, frame: AirStepFrame) -> bool:
        """Carry out a Marshal that has been paid for. Otherwise, ask as long as an action is possible."""
        if frame.pending:
            force, origin, space = frame.pending
            run.replace_top(replace(frame, pending=()))
            marshal = Marshal(force=force, origin=origin, space=space)
            # A position read from a file may contain a pending move that the board does not allow.
            if marshal in marshal_options(board_analysis(run.state), force):
                marshal_air_force(run, marshal)
            return True
        if self._may_act(run.state, frame):
            return False
        run.pop()
        return True

    @override
    def automatic_answer(
        self, state: State, frame: AirStepFrame, role: str, options: tuple[QmgCommand, ...]
    ) -> QmgCommand | None:
        """Return the only option, so that it is chosen automatically. If there are several options, return None."""
        return options[0] if len(options) == 1 else None

    def _may_act(self, state: State, frame: AirStepFrame) -> bool:
        """Return whether any action is possible, based only on public information."""
        analysis = board_analysis(state)
        country = frame.country
        has_hand = bool(state.cards_of(country).hand)
        if not frame.action_done and (
            (has_hand and deploy_options(analysis, country))
            or state.board.spaces_with(country, AIR)
        ):
            return True
        minor = MINOR_FORCE.get(country, "")
        return bool(minor and not frame.minor_done and state.board.spaces_with(minor, AIR))


def air_action_refusals(
    analysis: BoardAnalysis, command: Deploy | Marshal | Superiority
) -> Iterator[Refusal]:
    """Yield the reasons why the board does not allow an air action (13.3, 13.4)."""
    force = command.force
    if isinstance(command, Deploy):
        if command in deploy_options(analysis, force):
            return
        if not has_piece_in_pool(analysis, force, AIR):
            yield Refusal(Rule("4.3"), "the pool is empty")
            return
    else:
        legal_options = marshal_options if isinstance(command, Marshal) else superiority_options
        if command in legal_options(analysis, force):
            return
        if not analysis.supplied_pieces(force, AIR) & BIT.get(command.origin, 0):
            yield Refusal(Rule("13.3"), "you have no supplied Air Force in that space")
            return
    if isinstance(command, Superiority):
        yield Refusal(
            Rule("13.3"),
            "Air Superiority must be gained next to the Air Force, over one enemy Air Force or none",
        )
    else:
        yield Refusal(
            Rule("13.4"),
            "an Air Force must go to a space with a supplied Army or Navy of yours but no Air Force of yours",
        )
