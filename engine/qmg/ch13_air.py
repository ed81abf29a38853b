"""The Air step (13.3)."""

from collections.abc import Iterator

from msgspec.structs import replace

from engine.kernel.ids import Refusal, Rule
from engine.qmg import sayings
from engine.qmg.atlas import BIT
from engine.qmg.ch09_cards import discard_hand
from engine.qmg.commands import Deploy, Done, Marshal, QmgCommand, Superiority
from engine.qmg.deck import CARD
from engine.qmg.events import AirMoved, PiecePlaced
from engine.qmg.field import Field, field
from engine.qmg.frames import AirStepFrame, SuperiorityFrame, Trigger
from engine.qmg.ids import AIR, AIR_POWER, HIDDEN, MINOR, TEAM_OF
from engine.qmg.legal import deploy_options, has_free, marshal_options, superiority_options
from engine.qmg.run import Handler, QmgDecision, Run, question
from engine.qmg.state import State


def open_placed(run: Run, force: str, space: str) -> None:
    """Open the window after an Air Force was deployed or marshaled (10.3)."""
    run.window(
        Trigger(
            kind="air_deployed_or_marshaled",
            cause=TEAM_OF[force],
            by=force,
            space=space,
            piece=AIR,
            owner=force,
        )
    )


def deploy(run: Run, command: Deploy) -> None:
    """Place an Air Force (13.3 a)."""
    run.add(PiecePlaced(force=command.force, piece=AIR, space=command.space, how="deploy"))
    open_placed(run, command.force, command.space)


def marshal(run: Run, force: str, origin: str, space: str) -> None:
    """Move an Air Force (13.3 b)."""
    run.add(AirMoved(force=force, origin=origin, space=space, how="marshal"))
    open_placed(run, force, space)


def gain_superiority(run: Run, command: Superiority) -> None:
    """Gain Air Superiority over a space (13.3 c)."""
    run.enter(
        SuperiorityFrame(
            force=command.force,
            origin=command.origin,
            space=command.space,
            target=command.target or "",
        )
    )


def air_power_card(state: State, country: str) -> str:
    """Return an Air Power card of the hand, empty when there is none."""
    hand = state.cards_of(country).hand
    return next((card for card in hand if card != HIDDEN and CARD[card].type == AIR_POWER), "")


class AirStepHandler(Handler[AirStepFrame]):
    """One air action of the country, and a Marshal for its minor force (13.3)."""

    frame = AirStepFrame

    def go(self, run: Run, frame: AirStepFrame) -> bool:
        """Carry out a Marshal that has been paid; ask while there is something to do."""
        if frame.pending:
            force, origin, space = frame.pending
            run.replace(replace(frame, pending=()))
            now = field(run.state)
            if Marshal(force=force, origin=origin, space=space) in marshal_options(now, force):
                marshal(run, force, origin, space)
            return True
        if self._may_act(run.state, frame):
            return False
        run.leave()
        return True

    def _may_act(self, state: State, frame: AirStepFrame) -> bool:
        """Return whether anything could be done, as far as the table knows."""
        now = field(state)
        country = frame.country
        has_hand = bool(state.cards_of(country).hand)
        if not frame.action_done and (
            (has_hand and deploy_options(now, country)) or state.board.of(country, AIR)
        ):
            return True
        minor = MINOR.get(country, "")
        return bool(minor and not frame.minor_done and state.board.of(minor, AIR))

    def _options(self, state: State, frame: AirStepFrame) -> list[QmgCommand]:
        now = field(state)
        found: list[QmgCommand] = []
        if not frame.action_done:
            if air_power_card(state, frame.country):
                found += deploy_options(now, frame.country)
                found += superiority_options(now, frame.country)
            found += marshal_options(now, frame.country)
        minor = MINOR.get(frame.country, "")
        if minor and not frame.minor_done:
            found += marshal_options(now, minor)
        return found

    def asked(self, state: State, frame: AirStepFrame) -> tuple[str, ...]:
        """Return the active country."""
        return (frame.country,)

    def decision(self, state: State, frame: AirStepFrame, role: str) -> QmgDecision:
        """Ask for an air action."""
        options = self._options(state, frame)
        return question(role, "13.3", "Air step: what do the Air Forces do?", [*options, Done()])

    def resolve(self, run: Run, frame: AirStepFrame, role: str, command: QmgCommand) -> None:
        """Pay for the action and carry it out."""
        if isinstance(command, Done):
            run.replace(replace(frame, action_done=True, minor_done=True))
            return
        if isinstance(command, Marshal):
            is_minor = command.force != role
            run.replace(
                replace(
                    frame,
                    pending=(command.force, command.origin, command.space),
                    minor_done=frame.minor_done or is_minor,
                    action_done=frame.action_done or not is_minor,
                )
            )
            discard_hand(run, role, 1, why="marshal")
            return
        run.move(
            role,
            air_power_card(run.state, role),
            "hand",
            "discard-top",
            shown=True,
            why="air-power",
        )
        run.replace(replace(frame, action_done=True))
        if isinstance(command, Deploy):
            deploy(run, command)
        else:
            assert isinstance(command, Superiority), command
            gain_superiority(run, command)

    def why_not(
        self,
        state: State,
        frame: AirStepFrame,
        role: str,
        command: QmgCommand,
    ) -> Iterator[Refusal]:
        """Say what stands against an air action."""
        if not isinstance(command, Deploy | Marshal | Superiority):
            return
        force, minor = command.force, MINOR.get(role, "")
        if force != role and not (force == minor and isinstance(command, Marshal)):
            yield Refusal(
                Rule("13.3"),
                f"this is no Air Force of {sayings.force(role)} to act in its Air step",
            )
            return
        if frame.action_done if force == role else frame.minor_done:
            yield Refusal(Rule("13.3"), "the air action of this step has been taken")
        if isinstance(command, Deploy | Superiority) and not air_power_card(state, role):
            yield Refusal(Rule("13.3"), "this needs an Air Power card in hand")
        yield from why_not_there(field(state), command)


def why_not_there(now: Field, command: Deploy | Marshal | Superiority) -> Iterator[Refusal]:
    """Yield what the board has against an air action of a force (13.3, 13.4)."""
    force = command.force
    if isinstance(command, Deploy):
        if command in deploy_options(now, force):
            return
        if not has_free(now, force, AIR):
            yield Refusal(Rule("4.3"), "the pool is empty")
            return
    else:
        legal = marshal_options if isinstance(command, Marshal) else superiority_options
        if command in legal(now, force):
            return
        if not now.supplied_of(force, AIR) & BIT.get(command.origin, 0):
            yield Refusal(Rule("13.3"), "there is no own supplied Air Force in that space")
            return
    if isinstance(command, Superiority):
        yield Refusal(
            Rule("13.3"),
            "Air Superiority is gained beside the Air Force, over one enemy Air Force or none",
        )
    else:
        yield Refusal(
            Rule("13.4"),
            "an Air Force goes to a space with an own supplied Army or Navy and no own Air Force",
        )
