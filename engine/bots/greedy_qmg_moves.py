"""Computes the board after a Quartermaster General command from the previous board and the command alone."""

from typing import Final

from engine.qmg import commands as orders
from engine.qmg.atlas import BIT, LAND
from engine.qmg.board import Board
from engine.qmg.ids import AIR, ARMY, NAVY

BOARD_COMMANDS: Final = (
    orders.Build,
    orders.Designate,
    orders.Recruit,
    orders.Battle,
    orders.Eliminate,
    orders.Remove,
    orders.Deploy,
    orders.Marshal,
    orders.Superiority,
    orders.Reposition,
)
"""Commands that :func:`board_after` can apply."""


def board_without(board: Board, force: str, kind: str, space: str) -> Board:
    """Return the board without a piece. An Air Force is removed along with the Army or Navy in its space."""
    bit = BIT[space]
    board = board.with_changes(force, kind, removed_count=bit)
    if kind != AIR and board.spaces_with(force, AIR) & bit:
        board = board.with_changes(force, AIR, removed_count=bit)
    return board


def battle_kind(space: str) -> str:
    """Return the kind of piece that is removed by a battle in a space (7.4)."""
    return ARMY if BIT[space] & LAND else NAVY


def board_after(board: Board, command: orders.QmgCommand) -> Board:
    """Return the board after a command. If the command does not affect a piece, the board is unchanged."""
    match command:
        case (
            orders.Build(force=force, piece=kind, space=space)
            | orders.Recruit(force=force, piece=kind, space=space)
        ):
            return board.with_changes(force, kind, added_count=BIT[space])
        case orders.Battle(space=space, target=str() as target):
            return board_without(board, target, battle_kind(space), space)
        case (
            orders.Eliminate(force=force, piece=kind, space=space)
            | orders.Remove(force=force, piece=kind, space=space)
        ):
            return board_without(board, force, kind, space)
        case orders.Deploy(force=force, space=space):
            return board.with_changes(force, AIR, added_count=BIT[space])
        case orders.Reposition(force=force, space=space):
            return board.with_changes(force, AIR, added_count=BIT[space])
        case orders.Marshal(force=force, origin=origin, space=space):
            return board.with_changes(force, AIR, removed_count=BIT[origin], added_count=BIT[space])
        case orders.Superiority(space=space, target=str() as target):
            return board_without(board, target, AIR, space)
        case _:
            return board
