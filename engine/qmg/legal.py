"""Legal actions on the board: builds, recruits, battles, eliminations and Air Force actions (7, 13)."""

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
    PieceCommand,
    QmgCommand,
    Recruit,
    Reposition,
    Superiority,
)
from engine.qmg.deck import POOLS
from engine.qmg.deck_steps import STEP_LISTS, PreventRemoval
from engine.qmg.ids import AIR, ARMY, FORCE_INDEX, NAVY, TEAM_BY_FORCE, UK, other_team
from engine.qmg.state import Shield, State
from engine.qmg.terms import enemy_forces, full_context, matching_pieces

P = TypeVar("P", bound=PieceCommand)


def has_piece_in_pool(analysis: BoardAnalysis, force: str, kind: str) -> bool:
    """Return whether the pool still contains a piece of this kind (4.3)."""
    return analysis.board.spaces_with(force, kind).bit_count() < POOLS[force][kind]


def free_spaces(analysis: BoardAnalysis, force: str, kind: str) -> int:
    """Return the spaces that a force's new Army or Navy can enter despite the pieces there (4.1, 16.2)."""
    index = FORCE_INDEX[force]
    enemy = other_team(TEAM_BY_FORCE[force])
    if kind == ARMY:
        return LAND & ~analysis.board.army[index] & ~analysis.team_army[enemy]
    return SEA & ~analysis.board.navy[index] & ~analysis.team_navy[enemy]


def build_spaces(
    analysis: BoardAnalysis, force: str, kind: str, allowed_spaces: int = EVERYWHERE
) -> int:
    """Return the spaces where a force may build now (7.1, 7.2).

    A piece withdrawn to refill the pool no longer supports builds (16.9).
    """
    if not has_piece_in_pool(analysis, force, kind):
        return 0
    allowed_spaces &= free_spaces(analysis, force, kind)
    if not allowed_spaces:
        return 0
    army, navy = analysis.supplied_spaces(force)
    adjacent_spaces = analysis.adjacent_to_any(TEAM_BY_FORCE[force], army | navy)
    if kind == ARMY:
        # In the Home, an adjacent piece is not required, but the new Army must be in supply (7.1 b,
        # c).
        adjacent_spaces |= analysis.home_spaces(force)
    allowed_spaces &= adjacent_spaces
    return allowed_spaces & analysis.supplied_if_placed(force, kind) if allowed_spaces else 0


def recruit_spaces(analysis: BoardAnalysis, force: str, kind: str, allowed_spaces: int) -> int:
    """Return the spaces where a force may recruit (7.3)."""
    return (
        allowed_spaces & free_spaces(analysis, force, kind)
        if has_piece_in_pool(analysis, force, kind)
        else 0
    )


def piece_commands(make_command: type[P], force: str, kind: str, spaces: int) -> list[P]:
    """Return one command per space, for a force's piece in that space."""
    return [make_command(force=force, piece=kind, space=space) for space in names(spaces)]


def build_options(
    analysis: BoardAnalysis, force: str, kind: str, allowed_spaces: int, *, by_build_card: bool
) -> list[QmgCommand]:
    """Return the builds, recruits that may replace a build, and designations (7.1, 7.2, 7.6, 9.8, 17.9, A.3)."""
    options: list[QmgCommand] = []
    options += piece_commands(
        Build, force, kind, build_spaces(analysis, force, kind, allowed_spaces)
    )
    # A recruit that replaces a build is not limited to the spaces named on the card (17.9, A.2).
    if force == UK and kind == ARMY:
        recruit_home = 0
        for modifier in analysis.changes.get("build_may_recruit", ()):
            recruit_home |= modifier.spaces
        options += recruit_options(analysis, force, kind, recruit_home)
    if by_build_card:
        options += piece_commands(
            Designate, force, kind, analysis.supplied_pieces(force, kind) & allowed_spaces
        )
    return options


def recruit_options(
    analysis: BoardAnalysis, force: str, kind: str, allowed_spaces: int
) -> list[Recruit]:
    """Return the possible recruits (7.3)."""
    return piece_commands(
        Recruit, force, kind, recruit_spaces(analysis, force, kind, allowed_spaces)
    )


def battle_options(
    analysis: BoardAnalysis, force: str, kind: str, allowed_spaces: int, from_piece: str = ""
) -> list[Battle]:
    """Return the possible battles (7.4).

    Args:
        analysis: Analysis of the board.
        force: The force that battles.
        kind: Kind of space: ``land``, ``sea`` or ``any``.
        allowed_spaces: The spaces that the card allows.
        from_piece: Kind of the supporting piece, or empty if any kind is sufficient.
    """
    army, navy = analysis.supplied_spaces(force)
    support = {ARMY: army, NAVY: navy}.get(from_piece, army | navy)
    team = TEAM_BY_FORCE[force]
    adjacent_spaces = analysis.adjacent_to_any(team, support) & allowed_spaces
    # The kind of battle depends on the space, so a Navy also supports a battle on land (7.4 a).
    land = adjacent_spaces & LAND & ~analysis.team_army[team] if kind != "sea" else 0
    sea = adjacent_spaces & SEA & ~analysis.team_navy[team] if kind != "land" else 0
    return [
        Battle(force=force, space=SPACE_IDS[space], target=target)
        for spaces, piece in ((land, ARMY), (sea, NAVY))
        for space in bits(spaces)
        for target in _target_owners(analysis, force, piece, space)
    ]


def _target_owners(analysis: BoardAnalysis, force: str, kind: str, space: int) -> list[str | None]:
    """Return the owners of possible target pieces in a space, or only None if there is no enemy piece (7.4, 16.11)."""
    sets = analysis.board.spaces_by_force(kind)
    owners = [foe for foe in enemy_forces(force) if sets[FORCE_INDEX[foe]] >> space & 1]
    # A space without enemies can be chosen too, because the action triggers responses (7.4 b, 13.3
    # c).
    return [*owners] or [None]


def eliminate_options(
    analysis: BoardAnalysis, forces: tuple[str, ...], kind: str, allowed_spaces: int
) -> list[Eliminate]:
    """Return the possible eliminations of pieces of one kind (7.5)."""
    return [
        order
        for force in forces
        for order in piece_commands(
            Eliminate, force, kind, analysis.board.spaces_with(force, kind) & allowed_spaces
        )
    ]


# -- Air Forces


def deploy_spaces(analysis: BoardAnalysis, force: str, allowed_spaces: int = EVERYWHERE) -> int:
    """Return the spaces where an Air Force may be placed (13.3 a)."""
    if not has_piece_in_pool(analysis, force, AIR):
        return 0
    army, navy = analysis.supplied_spaces(force)
    return (army | navy) & allowed_spaces & ~analysis.board.spaces_with(force, AIR)


def deploy_options(
    analysis: BoardAnalysis, force: str, allowed_spaces: int = EVERYWHERE
) -> list[Deploy]:
    """Return the possible deployments (13.3 a)."""
    spaces = names(deploy_spaces(analysis, force, allowed_spaces))
    return [Deploy(force=force, space=space) for space in spaces]


def marshal_options(
    analysis: BoardAnalysis, force: str, allowed_spaces: int = EVERYWHERE
) -> list[Marshal]:
    """Return the possible Marshals, over any distance. An Air Force may also stay where it is (13.3 b, 16.14)."""
    army, navy = analysis.supplied_spaces(force)
    air = analysis.board.spaces_with(force, AIR)
    return [
        Marshal(force=force, origin=SPACE_IDS[space], space=goal)
        for space in bits(analysis.supplied_pieces(force, AIR))
        # An Air Force may stay in its space, because even such a Marshal triggers responses (13.3
        # b).
        for goal in names((army | navy) & allowed_spaces & ~(air & ~(1 << space)))
    ]


def superiority_options(
    analysis: BoardAnalysis, force: str, allowed_spaces: int = EVERYWHERE
) -> list[Superiority]:
    """Return the possible ways to gain Air Superiority (13.3 c)."""
    adjacent_spaces = analysis.adjacent_spaces(TEAM_BY_FORCE[force])
    return [
        Superiority(force=force, origin=SPACE_IDS[space], space=SPACE_IDS[goal], target=target)
        for space in bits(analysis.supplied_pieces(force, AIR))
        for goal in bits(adjacent_spaces[space] & allowed_spaces)
        for target in _target_owners(analysis, force, AIR, goal)
    ]


def reposition_options(analysis: BoardAnalysis, force: str, space: str) -> list[Reposition]:
    """Return the possible moves of an Air Force that was left alone (13.4)."""
    army, navy = analysis.supplied_spaces(force)
    adjacent_spaces = analysis.adjacent_to_any(TEAM_BY_FORCE[force], BIT[space])
    goals = names(adjacent_spaces & (army | navy) & ~analysis.board.spaces_with(force, AIR))
    return [Reposition(force=force, space=goal) for goal in goals]


def air_attackers(analysis: BoardAnalysis, force: str, space: str) -> int:
    """Return the spaces of a force's supplied Air Forces that are adjacent to a battle's space (13.6)."""
    return analysis.adjacent_to_any(TEAM_BY_FORCE[force], BIT[space]) & analysis.supplied_pieces(
        force, AIR
    )


# -- protection


def is_protected(state: State, force: str, kind: str, space: str) -> bool:
    """Return whether a piece is currently protected from removal (10.5)."""
    return any(
        (owner, piece) == (force, kind) and spaces & BIT[space]
        for shield in state.turn.shields
        for owner, piece, spaces in _shielded_pieces(state, shield)
    )


def protected_pieces(state: State) -> tuple[tuple[str, str, str], ...]:
    """Return the force, kind and space of every piece that is currently protected from removal (10.5)."""
    return tuple(
        dict.fromkeys(
            (force, kind, space)
            for shield in state.turn.shields
            for force, kind, spaces in _shielded_pieces(state, shield)
            for space in names(spaces & state.board.spaces_with(force, kind))
        )
    )


def _shielded_pieces(state: State, shield: Shield) -> list[tuple[str, str, int]]:
    """Return the force, kind and spaces of the pieces protected by one shield."""
    if not shield.steps:
        return [(shield.force, shield.piece, BIT[shield.space])]
    step = STEP_LISTS[shield.steps][shield.at]
    assert isinstance(step, PreventRemoval), step
    assert step.query is not None
    # A query protects any piece that matches it at the moment of removal, even if placed later
    # (A.2).
    return matching_pieces(step.query, full_context(state, shield.owner))
