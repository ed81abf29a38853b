"""Legal actions on the board: builds, recruits, battles, eliminations, Air Forces (7, 13)."""

from typing import TypeVar

from engine.qmg.atlas import BIT, EVERYWHERE, LAND, SEA, SPACE_IDS, bits, names
from engine.qmg.board_analysis import BoardAnalysis
from engine.qmg.commands import (
    Battle,
    Build,
    Deploy,
    Designate,
    Eliminate,
    Marshal,
    OfPiece,
    QmgCommand,
    Recruit,
    Reposition,
    Superiority,
)
from engine.qmg.deck import POOLS
from engine.qmg.deck_steps import STEP_LISTS, PreventRemoval
from engine.qmg.ids import AIR, ARMY, FORCE_INDEX, NAVY, TEAM_BY_FORCE, UK, other_team
from engine.qmg.state import State
from engine.qmg.terms import enemy_forces, full_context, matching_pieces

P = TypeVar("P", bound=OfPiece)


def has_piece_in_pool(field: BoardAnalysis, force: str, kind: str) -> bool:
    """Return whether a piece of this kind is left in the pool (4.3)."""
    return field.board.spaces_with(force, kind).bit_count() < POOLS[force][kind]


def free_spaces(field: BoardAnalysis, force: str, kind: str) -> int:
    """Return the spaces where a force's Army or Navy could be placed at all (4.1, 16.2)."""
    at = FORCE_INDEX[force]
    enemy = other_team(TEAM_BY_FORCE[force])
    if kind == ARMY:
        return LAND & ~field.board.army[at] & ~field.team_army[enemy]
    return SEA & ~field.board.navy[at] & ~field.team_navy[enemy]


def build_spaces(field: BoardAnalysis, force: str, kind: str, allowed: int = EVERYWHERE) -> int:
    """Return the spaces where a force may build now (7.1, 7.2).

    A piece that was withdrawn to refill the pool no longer supports a build (16.9).
    """
    if not has_piece_in_pool(field, force, kind):
        return 0
    allowed &= free_spaces(field, force, kind)
    if not allowed:
        return 0
    army, navy = field.supplied(force)
    near = field.adjacent_to_any(TEAM_BY_FORCE[force], army | navy)
    if kind == ARMY:
        near |= field.home_spaces(force)
    allowed &= near
    return allowed & field.would_supply(force, kind) if allowed else 0


def recruit_spaces(field: BoardAnalysis, force: str, kind: str, allowed: int) -> int:
    """Return the spaces where a force may recruit (7.3)."""
    return allowed & free_spaces(field, force, kind) if has_piece_in_pool(field, force, kind) else 0


def piece_commands(make_command: type[P], force: str, kind: str, spaces: int) -> list[P]:
    """Return one command per space for a force's piece there."""
    return [make_command(force=force, piece=kind, space=space) for space in names(spaces)]


def build_options(
    field: BoardAnalysis, force: str, kind: str, allowed: int, *, by_build_card: bool
) -> list[QmgCommand]:
    """Return the builds, the recruits allowed instead, and the designations (7.1, 7.2, 7.6, 9.8, 17.9, A.3)."""
    options: list[QmgCommand] = []
    options += piece_commands(Build, force, kind, build_spaces(field, force, kind, allowed))
    if force == UK and kind == ARMY:
        extra = 0
        for modifier in field.changes.get("build_may_recruit", ()):
            extra |= modifier.spaces
        options += recruit_options(field, force, kind, extra)
    if by_build_card:
        options += piece_commands(
            Designate, force, kind, field.supplied_pieces(force, kind) & allowed
        )
    return options


def recruit_options(field: BoardAnalysis, force: str, kind: str, allowed: int) -> list[Recruit]:
    """Return the possible recruits (7.3)."""
    return piece_commands(Recruit, force, kind, recruit_spaces(field, force, kind, allowed))


def battle_options(
    field: BoardAnalysis, force: str, kind: str, allowed: int, from_piece: str = ""
) -> list[Battle]:
    """Return the possible battles (7.4).

    Args:
        field: The board.
        force: The force that battles.
        kind: Kind of space: ``land``, ``sea`` or ``any``.
        allowed: The spaces that the card allows.
        from_piece: Kind of the supporting piece, or empty for any.
    """
    army, navy = field.supplied(force)
    support = {ARMY: army, NAVY: navy}.get(from_piece, army | navy)
    team = TEAM_BY_FORCE[force]
    near = field.adjacent_to_any(team, support) & allowed
    land = near & LAND & ~field.team_army[team] if kind != "sea" else 0
    sea = near & SEA & ~field.team_navy[team] if kind != "land" else 0
    return [
        Battle(force=force, space=SPACE_IDS[at], target=target)
        for spaces, piece in ((land, ARMY), (sea, NAVY))
        for at in bits(spaces)
        for target in _target_owners(field, force, piece, at)
    ]


def _target_owners(field: BoardAnalysis, force: str, kind: str, at: int) -> list[str | None]:
    """Return the owners of possible target pieces in a space, or a single None if there is no enemy (7.4, 16.11)."""
    sets = field.board.spaces_by_force(kind)
    owners = [foe for foe in enemy_forces(force) if sets[FORCE_INDEX[foe]] >> at & 1]
    return [*owners] or [None]


def eliminate_options(
    field: BoardAnalysis, forces: tuple[str, ...], kind: str, allowed: int
) -> list[Eliminate]:
    """Return the pieces of a kind that an elimination may name (7.5)."""
    return [
        order
        for force in forces
        for order in piece_commands(
            Eliminate, force, kind, field.board.spaces_with(force, kind) & allowed
        )
    ]


# -- Air Forces


def deploy_spaces(field: BoardAnalysis, force: str, allowed: int = EVERYWHERE) -> int:
    """Return the spaces where an Air Force may be placed (13.3 a)."""
    if not has_piece_in_pool(field, force, AIR):
        return 0
    army, navy = field.supplied(force)
    return (army | navy) & allowed & ~field.board.spaces_with(force, AIR)


def deploy_options(field: BoardAnalysis, force: str, allowed: int = EVERYWHERE) -> list[Deploy]:
    """Return the possible deployments (13.3 a)."""
    spaces = names(deploy_spaces(field, force, allowed))
    return [Deploy(force=force, space=space) for space in spaces]


def marshal_options(field: BoardAnalysis, force: str, allowed: int = EVERYWHERE) -> list[Marshal]:
    """Return the moves of Air Forces over any distance, including staying in a qualifying space (13.3 b, 16.14)."""
    army, navy = field.supplied(force)
    air = field.board.spaces_with(force, AIR)
    return [
        Marshal(force=force, origin=SPACE_IDS[at], space=goal)
        for at in bits(field.supplied_pieces(force, AIR))
        for goal in names((army | navy) & allowed & ~(air & ~(1 << at)))
    ]


def superiority_options(
    field: BoardAnalysis, force: str, allowed: int = EVERYWHERE
) -> list[Superiority]:
    """Return the ways to gain Air Superiority over a space (13.3 c)."""
    near = field.adjacent(TEAM_BY_FORCE[force])
    return [
        Superiority(force=force, origin=SPACE_IDS[at], space=SPACE_IDS[goal], target=target)
        for at in bits(field.supplied_pieces(force, AIR))
        for goal in bits(near[at] & allowed)
        for target in _target_owners(field, force, AIR, goal)
    ]


def reposition_options(field: BoardAnalysis, force: str, space: str) -> list[Reposition]:
    """Return the possible moves of an Air Force that was left alone (13.4)."""
    army, navy = field.supplied(force)
    near = field.adjacent_to_any(TEAM_BY_FORCE[force], BIT[space])
    goals = names(near & (army | navy) & ~field.board.spaces_with(force, AIR))
    return [Reposition(force=force, space=goal) for goal in goals]


def air_attackers(field: BoardAnalysis, force: str, space: str) -> int:
    """Return a force's supplied Air Forces adjacent to the battle's space (13.6)."""
    return field.adjacent_to_any(TEAM_BY_FORCE[force], BIT[space]) & field.supplied_pieces(
        force, AIR
    )


# -- protection


def is_protected(state: State, force: str, kind: str, space: str) -> bool:
    """Return whether a piece is currently protected from removal (10.5)."""
    bit = BIT[space]
    for shield in state.turn.shields:
        if not shield.steps:
            if (shield.force, shield.piece, shield.space) == (force, kind, space):
                return True
            continue
        step = STEP_LISTS[shield.steps][shield.at]
        assert isinstance(step, PreventRemoval), step
        assert step.query is not None
        at = full_context(state, shield.owner)
        if any(
            (owner, piece) == (force, kind) and held & bit
            for owner, piece, held in matching_pieces(step.query, at)
        ):
            return True
    return False
