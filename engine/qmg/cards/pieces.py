"""Operations on pieces: build, recruit, battle, eliminate, Air Forces (A.2)."""

from collections.abc import Sequence

from msgspec.structs import replace

from engine.qmg import deck_steps as ds
from engine.qmg import sayings
from engine.qmg.atlas import BIT, LAND, SPACE_IDS, bits
from engine.qmg.cards.base import Asking, O, advance, context_of
from engine.qmg.ch07_actions import is_on_board, place, take_off
from engine.qmg.ch13_air import deploy, gain_superiority, marshal
from engine.qmg.commands import (
    Battle,
    Build,
    Deploy,
    Designate,
    Eliminate,
    Marshal,
    QmgCommand,
    Recruit,
    Remove,
    Superiority,
)
from engine.qmg.deck_terms import Ref
from engine.qmg.frames import BattleFrame, RemovalFrame, StepsFrame
from engine.qmg.ids import AIR, ARMY, DECIDER, KINDS, NAVY, TEAM_OF
from engine.qmg.legal import (
    battle_options,
    build_options,
    deploy_options,
    eliminate_options,
    marshal_options,
    recruit_options,
    superiority_options,
)
from engine.qmg.run import Run
from engine.qmg.terms import Context, decider_of, force_of, forces_of, spaces_of


class Repeated(Asking[O]):
    """A step that may be done several times, each a new choice (A.1.4)."""

    def returned(self, run: Run, frame: StepsFrame, op: O) -> None:
        """Choose anew, or go on."""
        done = frame.repeats + 1
        if done < op.count.most:  # type: ignore[attr-defined]  # every such step has a count
            run.replace(replace(frame, repeats=done, stage=""))
        else:
            advance(run, frame, frame.rest[0] if frame.rest else "")

    def decline(self, run: Run, frame: StepsFrame, op: O) -> None:
        """Go on; the space of an earlier repetition is remembered."""
        advance(run, frame, frame.rest[0] if frame.rest else "")

    def begin(self, run: Run, frame: StepsFrame, space: str) -> None:
        """Note the space used, before its windows open."""
        run.replace(replace(frame, stage="inside", rest=(space,)))


class BuildStep(Repeated[ds.Build]):
    """Build, designate, or recruit instead where a Status allows it (7.1, 7.2, 7.6)."""

    op = ds.Build

    def decider(self, at: Context, op: ds.Build) -> str:
        """Return the country named by the card, else its owner."""
        return decider_of(op.by, at)

    def options(self, at: Context, frame: StepsFrame, op: ds.Build) -> Sequence[QmgCommand]:
        """Return the builds."""
        force = force_of(op.force, at)
        by_card = frame.steps != "" and frame.source.by_build_card
        return build_options(
            at.field, force, op.piece, spaces_of(op.spaces, at), by_build_card=by_card
        )

    def prompt(self, at: Context, frame: StepsFrame, op: ds.Build) -> str:
        """Name the piece."""
        return f"build {sayings.a_piece(force_of(op.force, at), op.piece)}"

    def choose(self, run: Run, frame: StepsFrame, op: ds.Build, command: QmgCommand) -> None:
        """Place it."""
        assert isinstance(command, Build | Recruit | Designate), command
        self.begin(run, frame, command.space)
        place(run, command)


class RecruitStep(Repeated[ds.Recruit]):
    """Recruit a piece (7.3)."""

    op = ds.Recruit

    def decider(self, at: Context, op: ds.Recruit) -> str:
        """Return the country named by the card, else its owner."""
        return decider_of(op.by, at)

    def options(self, at: Context, frame: StepsFrame, op: ds.Recruit) -> Sequence[QmgCommand]:
        """Return the recruits."""
        return recruit_options(at.field, force_of(op.force, at), op.piece, spaces_of(op.spaces, at))

    def prompt(self, at: Context, frame: StepsFrame, op: ds.Recruit) -> str:
        """Name the piece."""
        return f"recruit {sayings.a_piece(force_of(op.force, at), op.piece)}"

    def choose(self, run: Run, frame: StepsFrame, op: ds.Recruit, command: QmgCommand) -> None:
        """Place it."""
        assert isinstance(command, Recruit), command
        self.begin(run, frame, command.space)
        place(run, command)


class BattleStep(Repeated[ds.Battle]):
    """Battle a space (7.4)."""

    op = ds.Battle

    def options(self, at: Context, frame: StepsFrame, op: ds.Battle) -> Sequence[QmgCommand]:
        """Return the battles."""
        force = force_of(op.force, at)
        return battle_options(at.field, force, op.kind, spaces_of(op.spaces, at), op.from_piece)

    def prompt(self, at: Context, frame: StepsFrame, op: ds.Battle) -> str:
        """Name the kind of space."""
        return f"battle a {'' if op.kind == 'any' else op.kind + ' '}space"

    def choose(self, run: Run, frame: StepsFrame, op: ds.Battle, command: QmgCommand) -> None:
        """Fight."""
        assert isinstance(command, Battle), command
        self.begin(run, frame, command.space)
        run.enter(
            BattleFrame(
                by=command.force,
                space=command.space,
                piece=ARMY if BIT[command.space] & LAND else NAVY,
                target=command.target or "",
            )
        )


class EliminateStep(Repeated[ds.Eliminate]):
    """Eliminate a piece (7.5)."""

    op = ds.Eliminate

    def options(self, at: Context, frame: StepsFrame, op: ds.Eliminate) -> Sequence[QmgCommand]:
        """Return the pieces."""
        if not isinstance(op.piece, Ref):
            return eliminate_options(
                at.field, forces_of(op.owners, at), op.piece, spaces_of(op.spaces, at)
            )
        event = at.trigger
        if event is None or not is_on_board(at.state.board, event.owner, event.piece, event.space):
            return ()
        return (Eliminate(force=event.owner, piece=event.piece, space=event.space),)

    def prompt(self, at: Context, frame: StepsFrame, op: ds.Eliminate) -> str:
        """Ask for the piece."""
        return "eliminate a piece"

    def choose(self, run: Run, frame: StepsFrame, op: ds.Eliminate, command: QmgCommand) -> None:
        """Try to remove it."""
        assert isinstance(command, Eliminate), command
        self.begin(run, frame, command.space)
        _eliminate(run, frame, command)


def _eliminate(run: Run, frame: StepsFrame, command: Eliminate) -> None:
    owner = frame.source.owner
    run.enter(
        RemovalFrame(
            owner=command.force,
            piece=command.piece,
            space=command.space,
            by=owner,
            cause=TEAM_OF[owner],
            why="eliminate",
        )
    )


class EliminateAirStep(Asking[ds.EliminateAir]):
    """Eliminate an Air Force (13.4)."""

    op = ds.EliminateAir

    def options(self, at: Context, frame: StepsFrame, op: ds.EliminateAir) -> Sequence[QmgCommand]:
        """Return the Air Forces."""
        if not op.air:
            return eliminate_options(
                at.field, forces_of(op.owners, at), AIR, spaces_of(op.spaces, at)
            )
        event = at.trigger
        if event is None or not is_on_board(at.state.board, event.by, AIR, event.origin):
            return ()
        return (Eliminate(force=event.by, piece=AIR, space=event.origin),)

    def prompt(self, at: Context, frame: StepsFrame, op: ds.EliminateAir) -> str:
        """Ask for the Air Force."""
        return "eliminate an Air Force"

    def choose(self, run: Run, frame: StepsFrame, op: ds.EliminateAir, command: QmgCommand) -> None:
        """Try to remove it."""
        assert isinstance(command, Eliminate), command
        run.replace(replace(frame, stage="inside", rest=(command.space,)))
        _eliminate(run, frame, command)


class RemoveOwnStep(Asking[ds.RemoveOwn]):
    """A country removes an own piece; without a decline (A.2)."""

    op = ds.RemoveOwn

    def decider(self, at: Context, op: ds.RemoveOwn) -> str:
        """Return the country."""
        return DECIDER[force_of(op.who, at)]

    def is_binding(self, frame: StepsFrame, op: ds.RemoveOwn) -> bool:
        """Return True: as a cost, and as an option taken, it must be done."""
        return True

    def options(self, at: Context, frame: StepsFrame, op: ds.RemoveOwn) -> Sequence[QmgCommand]:
        """Return the pieces."""
        who, allowed = force_of(op.who, at), spaces_of(op.spaces, at)
        return [
            Remove(force=who, piece=kind, space=SPACE_IDS[at_space])
            for kind in KINDS
            if kind in op.pieces
            for at_space in bits(at.field.board.of(who, kind) & allowed)
        ]

    def prompt(self, at: Context, frame: StepsFrame, op: ds.RemoveOwn) -> str:
        """Ask for the piece."""
        kinds = " or ".join(sayings.PIECES[kind] for kind in op.pieces)
        return f"remove an own {kinds}"

    def choose(self, run: Run, frame: StepsFrame, op: ds.RemoveOwn, command: QmgCommand) -> None:
        """Take it off."""
        assert isinstance(command, Remove), command
        run.replace(replace(frame, stage="inside", rest=(command.space,)))
        take_off(run, command.force, command.piece, command.space, "own")


class RebuildEachStep(Asking[ds.RebuildEach]):
    """Pieces are taken off one at a time, and each may be built again (16.13)."""

    op = ds.RebuildEach

    def is_possible(self, at: Context, op: ds.RebuildEach) -> bool:
        """Return whether a listed piece is on the board."""
        force = force_of(op.force, at)
        return any(at.field.board.of(force, kind) for kind in op.pieces)

    def go(self, run: Run, frame: StepsFrame, op: ds.RebuildEach) -> bool:
        """List the pieces first, then take off and build in turn."""
        at = context_of(run.state, frame)
        force = force_of(op.force, at)
        match frame.stage:
            case "":
                pieces = tuple(
                    f"{kind}:{SPACE_IDS[space]}"
                    for kind in op.pieces
                    for space in bits(at.field.board.of(force, kind))
                )
                run.replace(replace(frame, stage="pick", rest=pieces))
                return True
            case "built":
                run.replace(replace(frame, stage="pick"))
                return True
            case _:
                left = tuple(
                    piece
                    for piece in frame.rest
                    if is_on_board(at.state.board, force, *piece.split(":"))
                )
                if left != frame.rest:  # what comes to the same space later is another piece
                    frame = replace(frame, rest=left)
                    run.replace(frame)
                if self.options(at, frame, op):
                    return False
                if frame.stage.startswith("build"):
                    run.replace(replace(frame, stage="pick"))
                else:
                    advance(run, frame)
                return True

    def options(self, at: Context, frame: StepsFrame, op: ds.RebuildEach) -> Sequence[QmgCommand]:
        """Return the eligible pieces, or the builds of the one taken off."""
        force = force_of(op.force, at)
        if frame.stage.startswith("build:"):
            kind = frame.stage.partition(":")[2]
            return build_options(at.field, force, kind, -1, by_build_card=False)
        found: list[QmgCommand] = []
        for piece in frame.rest:
            kind, _, space = piece.partition(":")
            if is_on_board(at.state.board, force, kind, space):
                found.append(Remove(force=force, piece=kind, space=space))
        return found

    def prompt(self, at: Context, frame: StepsFrame, op: ds.RebuildEach) -> str:
        """Ask for the piece or its new place."""
        if frame.stage.startswith("build:"):
            return f"build the {sayings.PIECES[frame.stage.partition(':')[2]]} again"
        return "which piece is taken off to be built again?"

    def choose(self, run: Run, frame: StepsFrame, op: ds.RebuildEach, command: QmgCommand) -> None:
        """Take a piece off, or build it."""
        if isinstance(command, Remove):
            left = tuple(
                piece for piece in frame.rest if piece != f"{command.piece}:{command.space}"
            )
            run.replace(replace(frame, stage=f"build:{command.piece}", rest=left))
            take_off(run, command.force, command.piece, command.space, "own")
            return
        assert isinstance(command, Build | Recruit), command
        run.replace(replace(frame, stage="built"))
        place(run, command)

    def decline(self, run: Run, frame: StepsFrame, op: ds.RebuildEach) -> None:
        """Leave a piece in the pool, or end."""
        if frame.stage.startswith("build:"):
            run.replace(replace(frame, stage="pick"))
        else:
            advance(run, frame)


class DeployAirStep(Asking[ds.DeployAir]):
    """Deploy an Air Force without an Air Power card (13.3 a)."""

    op = ds.DeployAir

    def decider(self, at: Context, op: ds.DeployAir) -> str:
        """Return the country named by the card, else its owner."""
        return decider_of(op.by, at)

    def options(self, at: Context, frame: StepsFrame, op: ds.DeployAir) -> Sequence[QmgCommand]:
        """Return the spaces."""
        return deploy_options(at.field, force_of(op.force, at), spaces_of(op.spaces, at))

    def prompt(self, at: Context, frame: StepsFrame, op: ds.DeployAir) -> str:
        """Name the piece."""
        return f"deploy {sayings.a_piece(force_of(op.force, at), AIR)}"

    def choose(self, run: Run, frame: StepsFrame, op: ds.DeployAir, command: QmgCommand) -> None:
        """Place it."""
        assert isinstance(command, Deploy), command
        run.replace(replace(frame, stage="inside", rest=(command.space,)))
        deploy(run, command)


class MarshalAirStep(Asking[ds.MarshalAir]):
    """Marshal an Air Force without the discard (13.3 b)."""

    op = ds.MarshalAir

    def options(self, at: Context, frame: StepsFrame, op: ds.MarshalAir) -> Sequence[QmgCommand]:
        """Return the moves."""
        return marshal_options(at.field, at.owner, spaces_of(op.spaces, at))

    def prompt(self, at: Context, frame: StepsFrame, op: ds.MarshalAir) -> str:
        """Ask for the move."""
        return "marshal an Air Force"

    def choose(self, run: Run, frame: StepsFrame, op: ds.MarshalAir, command: QmgCommand) -> None:
        """Move it."""
        assert isinstance(command, Marshal), command
        run.replace(replace(frame, stage="inside", rest=(command.space,)))
        marshal(run, command.force, command.origin, command.space)


class AirSuperiorityStep(Asking[ds.AirSuperiority]):
    """Gain Air Superiority without an Air Power card (13.3 c)."""

    op = ds.AirSuperiority

    def options(
        self, at: Context, frame: StepsFrame, op: ds.AirSuperiority
    ) -> Sequence[QmgCommand]:
        """Return the spaces."""
        return superiority_options(at.field, force_of(op.force, at), spaces_of(op.spaces, at))

    def prompt(self, at: Context, frame: StepsFrame, op: ds.AirSuperiority) -> str:
        """Ask for the space."""
        return "gain Air Superiority over a space"

    def choose(
        self, run: Run, frame: StepsFrame, op: ds.AirSuperiority, command: QmgCommand
    ) -> None:
        """Gain it."""
        assert isinstance(command, Superiority), command
        run.replace(replace(frame, stage="inside", rest=(command.space,)))
        gain_superiority(run, command)


OPERATIONS = (
    BuildStep(),
    RecruitStep(),
    BattleStep(),
    EliminateStep(),
    EliminateAirStep(),
    RemoveOwnStep(),
    RebuildEachStep(),
    DeployAirStep(),
    MarshalAirStep(),
    AirSuperiorityStep(),
)
