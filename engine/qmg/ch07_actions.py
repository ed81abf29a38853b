"""Battles, removals, and the windows that builds and recruits open (7, 10.5, 13.4 - 13.6)."""

from collections.abc import Iterator

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.qmg import phrases
from engine.qmg.atlas import BIT, LAND, SPACE_IDS, bits
from engine.qmg.board import Board
from engine.qmg.board_analysis import board_analysis
from engine.qmg.commands import (
    AirAttack,
    Battle,
    Build,
    Designate,
    Done,
    QmgCommand,
    Recruit,
    Reposition,
)
from engine.qmg.events import (
    AirMoved,
    AirSuperiorityGained,
    BattleFought,
    PieceDesignated,
    PiecePlaced,
    PieceRemoved,
    ProtectionEnded,
)
from engine.qmg.frames import (
    BattleFrame,
    RemovalFrame,
    RepositionFrame,
    SuperiorityFrame,
    Trigger,
    Why,
)
from engine.qmg.ids import AIR, ARMY, DECIDER, NAVY, TEAM_BY_FORCE
from engine.qmg.legal import air_attackers, is_protected, reposition_options
from engine.qmg.run import DecisionHandler, Handler, ListedAction, PlainAction, Run, action_trigger
from engine.qmg.state import State


def place_piece(run: Run, command: Build | Recruit | Designate) -> None:
    """Carry out a build, recruit or designation, and open its response window (7.1, 7.3, 7.6)."""
    force, piece, space = command.force, command.piece, command.space
    is_recruit = isinstance(command, Recruit)
    if isinstance(command, Designate):
        run.add(PieceDesignated(force=force, piece=piece, space=space))
    else:
        action = "recruit" if is_recruit else "build"
        run.add(PiecePlaced(force=force, piece=piece, space=space, how=action))
    kind = "recruited" if is_recruit else "built"
    run.open_window(action_trigger(kind, force, space=space, piece=piece, owner=force))


def begin_battle(run: Run, command: Battle) -> None:
    """Begin a battle (7.4)."""
    piece, space = ARMY if BIT[command.space] & LAND else NAVY, command.space
    target = command.target or ""
    departed_count = run.state.departed_count(target, piece, space)
    run.push(
        BattleFrame(
            by=command.force, space=space, piece=piece, target=target, departed=departed_count
        )
    )


def is_on_board(board: Board, force: str, kind: str, space: str) -> bool:
    """Return whether a force's piece of this kind is in a space."""
    return bool(board.spaces_with(force, kind) & BIT[space])


def removal_frame(
    state: State, owner: str, kind: str, space: str, remover: str, reason: Why
) -> RemovalFrame:
    """Return the frame for the removal of a piece by a force. Windows open before and after the removal (10.5)."""
    return RemovalFrame(
        owner=owner,
        piece=kind,
        space=space,
        by=remover,
        cause=TEAM_BY_FORCE[remover],
        why=reason,
        departed=state.departed_count(owner, kind, space),
    )


def own_removal_frame(state: State, force: str, kind: str, space: str, reason: Why) -> RemovalFrame:
    """Return the frame for the removal of a force's own piece. A window opens only after the removal (10.5, 18.8).

    Protection does not prevent this removal (18.25).
    """
    return replace(removal_frame(state, force, kind, space, force, reason), stage="take")


class BattleHandler(Handler[BattleFrame]):
    """Runs a battle. Countries may respond to it even if its target is saved (7.4, 17.4)."""

    frame = BattleFrame

    @override
    def try_step(self, run: Run, frame: BattleFrame) -> bool:
        match frame.stage:
            case "":
                run.add(
                    BattleFought(
                        force=frame.by, space=frame.space, piece=frame.piece, target=frame.target
                    )
                )
                # The stage must change before the window becomes the innermost frame.
                run.replace_top(replace(frame, stage="battled" if frame.target else "over"))
                if frame.target:
                    run.open_window(self._trigger(frame, "battled", frame.target))
            case "battled":
                run.replace_top(replace(frame, stage="over"))
                target = (frame.target, frame.piece, frame.space)
                # A response may have removed the target (10.5).
                if run.state.is_still_there(target, frame.departed):
                    run.push(removal_frame(run.state, *target, frame.by, "battle"))
            case "over":
                self._end_protection(run, frame)
                run.replace_top(replace(frame, stage="end"))
                run.open_window(self._trigger(frame, "battle", ""))
            case _:
                run.pop()
        return True

    def _end_protection(self, run: Run, frame: BattleFrame) -> None:
        """End the target's protection for this battle before countries can respond to the battle (10.5)."""
        target = (frame.target, frame.piece, frame.space)
        for shield in run.state.turn.shields:
            if shield.battle and (shield.force, shield.piece, shield.space) == target:
                run.add(ProtectionEnded(force=frame.target, piece=frame.piece, space=frame.space))
                return

    def _trigger(self, frame: BattleFrame, kind: str, owner: str) -> Trigger:
        return action_trigger(kind, frame.by, space=frame.space, piece=frame.piece, owner=owner)


class AttackFromAir(ListedAction[RemovalFrame, AirAttack]):
    """Remove one of your Air Forces next to the battle. The target is then removed despite its defense (13.6, 16.12).

    An Air Attack is allowed in any step.
    """

    kind = AirAttack
    refusal = Refusal(
        Rule("13.6"),
        "only a supplied Air Force of yours next to the battled space can be given up",
    )

    @override
    def candidates(self, state: State, frame: RemovalFrame, role: str) -> Iterator[AirAttack]:
        """Yield a command for each space with an Air Force that can attack."""
        for space in bits(air_attackers(board_analysis(state), frame.by, frame.space)):
            yield AirAttack(space=SPACE_IDS[space])

    @override
    def apply(self, run: Run, frame: RemovalFrame, role: str, command: AirAttack) -> None:
        """Remove the Air Force and restart the removal of the target."""
        run.add(PieceRemoved(force=frame.by, piece=AIR, space=command.space, why="air-attack"))
        run.replace_top(replace(frame, stage=""))

    @override
    def timing_refusals(self, state: State, role: str, command: AirAttack) -> Iterator[Refusal]:
        """Yield a refusal that states when an Air Attack can be made. Yield nothing while one can be made."""
        if not isinstance(state.frames[-1], RemovalFrame):
            yield Refusal(
                Rule("13.6"), "an Air Attack can only answer Air Defense in your own battle"
            )


class RemovalHandler(DecisionHandler[RemovalFrame]):
    """Runs the removal of a piece. Countries may respond first, and a response can stop the removal (10.5, 17.13)."""

    frame = RemovalFrame
    rule = AttackFromAir.refusal.rule
    wrong_kind_text = AttackFromAir.refusal.text
    actions = (AttackFromAir(), PlainAction[RemovalFrame, Done](Done))

    @override
    def try_step(self, run: Run, frame: RemovalFrame) -> bool:
        state = run.state
        match frame.stage:
            case "":
                if self._is_over(state, frame):
                    run.pop()
                else:
                    run.replace_top(replace(frame, stage="asked"))
                    run.open_window(self._trigger(frame, "about_to_be_removed"))
            case "asked":
                is_defended = run.take_result().air_defended
                if self._is_over(run.state, frame):
                    run.pop()
                elif is_defended:
                    run.replace_top(replace(frame, stage="defended"))
                else:
                    run.replace_top(replace(frame, stage="take"))
            case "defended":
                has_air = bool(air_attackers(board_analysis(state), frame.by, frame.space))
                if has_air and not self._is_over(state, frame):
                    return False
                run.pop()
            case "take":
                self._remove_piece(run, frame)
            case "taken":
                run.replace_top(replace(frame, stage="end"))
                run.open_window(self._removed_trigger(run.state, frame))
            case _:
                run.pop()
        return True

    def _is_over(self, state: State, frame: RemovalFrame) -> bool:
        piece = (frame.owner, frame.piece, frame.space)
        return not state.is_still_there(piece, frame.departed) or is_protected(state, *piece)

    def _remove_piece(self, run: Run, frame: RemovalFrame) -> None:
        if not run.state.is_still_there((frame.owner, frame.piece, frame.space), frame.departed):
            run.pop()
            return
        # Responses to the removal may depend on whether the piece was in supply just before it
        # (A.4).
        supplied_hexes = (
            board_analysis(run.state).supplied_pieces(frame.owner, frame.piece) & BIT[frame.space]
        )
        run.add(
            PieceRemoved(force=frame.owner, piece=frame.piece, space=frame.space, why=frame.why)
        )
        run.replace_top(replace(frame, stage="taken", was_supplied=bool(supplied_hexes)))
        # The Air Force moves before the window opens, so its frame is pushed above the removal
        # (10.5).
        if frame.piece != AIR and is_on_board(run.state.board, frame.owner, AIR, frame.space):
            run.push(RepositionFrame(force=frame.owner, space=frame.space))

    def _trigger(self, frame: RemovalFrame, kind: str) -> Trigger:
        event = action_trigger(
            kind, frame.by, space=frame.space, piece=frame.piece, owner=frame.owner
        )
        return replace(event, cause=frame.cause, why=frame.why)

    def _removed_trigger(self, state: State, frame: RemovalFrame) -> Trigger:
        return replace(
            self._trigger(frame, "removed"),
            was_supplied=frame.was_supplied,
            last=not state.board.spaces_with(frame.owner, frame.piece),
        )

    @override
    def active_roles(self, state: State, frame: RemovalFrame) -> tuple[str, ...]:
        """Return the country that may respond to Air Defense with an Air Attack (13.6)."""
        return (DECIDER[frame.by],)

    @override
    def prompt(self, state: State, frame: RemovalFrame, role: str) -> str:
        space_text = phrases.space_with_article(frame.space)
        return f"Air Defense in {space_text}: give up an Air Force for an Air Attack?"


class MoveStranded(ListedAction[RepositionFrame, Reposition]):
    """Move an Air Force that has no Army or Navy left in its space (13.4)."""

    kind = Reposition
    refusal = Refusal(Rule("13.4"), "this is not one of the choices in this step")
    timing = Refusal(Rule("13.4"), "only an Air Force that was left alone can be repositioned")

    @override
    def candidates(self, state: State, frame: RepositionFrame, role: str) -> list[Reposition]:
        """Return the moves to adjacent spaces where the Air Force can stay."""
        return reposition_options(board_analysis(state), frame.force, frame.space)

    @override
    def apply(self, run: Run, frame: RepositionFrame, role: str, command: Reposition) -> None:
        run.add(
            AirMoved(force=frame.force, origin=frame.space, space=command.space, how="reposition")
        )
        run.pop()


class RepositionHandler(DecisionHandler[RepositionFrame]):
    """An Air Force without an Army or Navy in its space moves to an adjacent space.

    If it cannot, it is removed (13.4).
    """

    frame = RepositionFrame
    rule = Rule("13.4")
    actions = (MoveStranded(),)

    @override
    def try_step(self, run: Run, frame: RepositionFrame) -> bool:
        """Move the Air Force automatically if there is only one option, and remove it if there is none."""
        options = reposition_options(board_analysis(run.state), frame.force, frame.space)
        if len(options) > 1:
            return False
        if options:
            self.resolve(run, frame, DECIDER[frame.force], options[0])
        else:
            run.replace_top(own_removal_frame(run.state, frame.force, AIR, frame.space, "stranded"))
        return True

    @override
    def active_roles(self, state: State, frame: RepositionFrame) -> tuple[str, ...]:
        """Return the country that decides for the force."""
        return (DECIDER[frame.force],)

    @override
    def prompt(self, state: State, frame: RepositionFrame, role: str) -> str:
        name = phrases.piece_name(frame.force, AIR)
        return (
            f"The {name} in {phrases.space_with_article(frame.space)} is alone: where does it go?"
        )

    @override
    def default(
        self, state: State, frame: RepositionFrame, role: str, options: tuple[QmgCommand, ...]
    ) -> QmgCommand:
        """Return the move to the space with the lowest id."""
        return min(
            options, key=lambda option: option.space if isinstance(option, Reposition) else ""
        )


class SuperiorityHandler(Handler[SuperiorityFrame]):
    """Gains Air Superiority: removes the enemy Air Force if no card saves it, then opens a window (13.3 c, 18.28)."""

    frame = SuperiorityFrame

    @override
    def try_step(self, run: Run, frame: SuperiorityFrame) -> bool:
        if not frame.stage:
            run.add(
                AirSuperiorityGained(
                    force=frame.force, origin=frame.origin, space=frame.space, target=frame.target
                )
            )
            target = (frame.target, AIR, frame.space)
            run.replace_top(
                replace(frame, stage="removed", departed=run.state.departed_count(*target))
            )
            if frame.target:
                run.push(removal_frame(run.state, *target, frame.force, "air"))
        elif frame.stage == "removed":
            target = (frame.target, AIR, frame.space)
            is_gone = frame.target and not run.state.is_still_there(target, frame.departed)
            run.replace_top(replace(frame, stage="end"))
            event = action_trigger("air_superiority_gained", frame.force, space=frame.space)
            target_space = frame.target if is_gone else ""
            run.open_window(replace(event, against=target_space, origin=frame.origin))
        else:
            run.pop()
        return True
