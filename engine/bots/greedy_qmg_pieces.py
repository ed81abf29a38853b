"""What steps on the board would bring: builds, recruits, battles, eliminations, Air Forces."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.bots.greedy_qmg_moves import after
from engine.bots.greedy_qmg_text import Result, Text
from engine.qmg import deck_steps as ds
from engine.qmg import legal
from engine.qmg.atlas import EVERYWHERE, SPACE_IDS, bits
from engine.qmg.board import Board
from engine.qmg.commands import Eliminate, QmgCommand, Remove
from engine.qmg.deck_terms import Ref
from engine.qmg.ids import AIR, TEAM_OF
from engine.qmg.terms import Scene, force_of, forces_of, spaces_of


def _build(text: Text, step: ds.Build, board: Board, at: Scene) -> Result:
    force = force_of(step.force, at)

    def options(here: Scene) -> list[QmgCommand]:
        allowed = spaces_of(step.spaces, here)
        return legal.build_options(here.field, force, step.piece, allowed, by_build_card=False)

    return text.repeated(board, at, step.count.most, options) if force else Result(board)


def _recruit(text: Text, step: ds.Recruit, board: Board, at: Scene) -> Result:
    force = force_of(step.force, at)

    def options(here: Scene) -> list[QmgCommand]:
        return legal.recruit_options(here.field, force, step.piece, spaces_of(step.spaces, here))

    return text.repeated(board, at, step.count.most, options) if force else Result(board)


def _battle(text: Text, step: ds.Battle, board: Board, at: Scene) -> Result:
    force = force_of(step.force, at)

    def options(here: Scene) -> list[QmgCommand]:
        allowed = spaces_of(step.spaces, here)
        return legal.battle_options(here.field, force, step.kind, allowed, step.from_piece)

    return text.repeated(board, at, step.count.most, options) if force else Result(board)


def _eliminate(text: Text, step: ds.Eliminate, board: Board, at: Scene) -> Result:
    event, piece = at.trigger, step.piece
    if isinstance(piece, Ref):
        if event is None or not event.piece:
            return Result(board)
        there = legal.eliminate_options(at.field, (event.owner,), event.piece, EVERYWHERE)
        return text.best(
            board, TEAM_OF[at.owner], [one for one in there if _space(one) == event.space]
        )

    def options(here: Scene) -> list[QmgCommand]:
        allowed = spaces_of(step.spaces, here)
        owners = forces_of(step.owners, here)
        return legal.eliminate_options(here.field, owners, piece, allowed)

    return text.repeated(board, at, step.count.most, options)


def _eliminate_air(text: Text, step: ds.EliminateAir, board: Board, at: Scene) -> Result:
    owners = forces_of(step.owners, at)
    allowed = spaces_of(step.spaces, at)
    if step.air:
        origin = at.trigger.origin if at.trigger is not None else ""
        owners = (at.trigger.by,) if at.trigger is not None and origin else ()
    found = legal.eliminate_options(at.field, owners, AIR, allowed)
    return text.best(board, TEAM_OF[at.owner], found)


def _remove_own(text: Text, step: ds.RemoveOwn, board: Board, at: Scene) -> Result:
    """Give up the least piece; a cost, so one must go."""
    who, judge = force_of(step.who, at), text.judge
    if not who:
        return Result(board)
    allowed = spaces_of(step.spaces, at)
    options = [
        Remove(force=who, piece=kind, space=SPACE_IDS[space])
        for kind in step.pieces
        for space in bits(board.of(who, kind) & allowed)
    ]
    boards = [after(board, option) for option in options]
    return Result(max(boards, key=lambda one: judge.worth(one, TEAM_OF[who]), default=board))


def _deploy(text: Text, step: ds.DeployAir, board: Board, at: Scene) -> Result:
    force = force_of(step.force, at)
    options = legal.deploy_options(at.field, force, spaces_of(step.spaces, at)) if force else []
    return text.best(board, TEAM_OF[at.owner], options)


def _marshal(text: Text, step: ds.MarshalAir, board: Board, at: Scene) -> Result:
    options = legal.marshal_options(at.field, at.owner, spaces_of(step.spaces, at))
    return text.best(board, TEAM_OF[at.owner], options)


def _superiority(text: Text, step: ds.AirSuperiority, board: Board, at: Scene) -> Result:
    force = force_of(step.force, at)
    found = legal.superiority_options(at.field, force, spaces_of(step.spaces, at))
    hits = [one for one in found if one.target]
    return text.best(board, TEAM_OF[at.owner], hits)


def _space(command: QmgCommand) -> str:
    return command.space if isinstance(command, Eliminate) else ""


PIECE_STEPS: Final[Mapping[type[ds.Step], Callable[[Text, Any, Board, Scene], Result]]] = {
    ds.Build: _build,
    ds.Recruit: _recruit,
    ds.Battle: _battle,
    ds.Eliminate: _eliminate,
    ds.EliminateAir: _eliminate_air,
    ds.RemoveOwn: _remove_own,
    ds.DeployAir: _deploy,
    ds.MarshalAir: _marshal,
    ds.AirSuperiority: _superiority,
}
"""What each operation on the board brings."""
