"""Analysis of a board: adjacency for each team, supply, Homes, stars, and rule changes from Statuses (5, 6, A.3).

A :class:`BoardAnalysis` belongs to one board and one set of rule changes, and caches its results.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from engine.kernel.memo import Memo
from engine.qmg.atlas import (
    BIT,
    BORDERS,
    EVERYWHERE,
    HOMES,
    INDEX,
    LAND,
    SEA,
    STARS,
    STRAITS,
    mask,
    names,
    spaces_titled,
)
from engine.qmg.board import Board
from engine.qmg.deck import MODIFIERS, Modifier
from engine.qmg.deck_steps import STEP_LISTS, GrantSupply
from engine.qmg.deck_terms import Owners, Query, Region, Selector
from engine.qmg.ids import (
    AIR,
    ALLIES,
    ARMY,
    AXIS,
    COUNTRIES,
    FORCE_INDEX,
    MEMBERS,
    NAVY,
    TEAM_BY_FORCE,
    instance_name,
)
from engine.qmg.rulings import STRICT_NAVY_LINKS
from engine.qmg.state import Grant, State

_STRAIT_LANDS: Final = tuple(BIT[strait.land] for strait in STRAITS)
_STRAIT_SEAS: Final = tuple((INDEX[strait.seas[0]], INDEX[strait.seas[1]]) for strait in STRAITS)


Changes: TypeAlias = Mapping[str, tuple[Modifier, ...]]
"""Rule changes from Statuses, by kind, such as ``supply_space``.

Each tuple is in the turn order of the Statuses' owners.
"""


def rule_changes(state: State) -> Changes:
    """Return the rule changes from all Statuses that are not ignored this turn (A.3, 17.10)."""
    return _CHANGES_CACHE.get(
        state,
        (state.statuses, state.active),
        lambda: changes_from_statuses(state.statuses, state.active),
    )


def ignored_status_team(statuses: tuple[tuple[str, ...], ...], active_team: str) -> str:
    """Return the team whose Statuses have no effect this turn, or an empty string (17.10)."""
    for table in statuses:
        for card in table:
            for modifier in MODIFIERS.get(instance_name(card), ()):
                if modifier.mod == "ignore_status" and modifier.during_turn_of == active_team:
                    return modifier.team or ""
    return ""


def changes_from_statuses(statuses: tuple[tuple[str, ...], ...], active_team: str) -> Changes:
    """Return the rule changes that the given Statuses cause during a country's turn (A.3)."""
    ignored_team = ignored_status_team(statuses, active_team)
    changes: dict[str, tuple[Modifier, ...]] = {}
    for owner, table in zip(COUNTRIES, statuses, strict=True):
        for card in table if TEAM_BY_FORCE[owner] != ignored_team else ():
            for modifier in MODIFIERS.get(instance_name(card), ()):
                changes[modifier.mod] = (*changes.get(modifier.mod, ()), modifier)
    return changes


_CHANGES_CACHE: Final = Memo[Changes](64)


class BoardAnalysis:
    """Computes adjacency, supply, Homes and stars for a board under the current rule changes."""

    def __init__(
        self, board: Board, changes: Changes, grants: tuple[Grant, ...], *, is_strict: bool
    ) -> None:
        """Analyse a board.

        Args:
            board: The pieces on the board.
            changes: The rule changes in force.
            grants: Supply grants in force this turn.
            is_strict: True if a Navy without a port cannot extend a supply line (option ``strict-navy-links``).
        """
        self.board = board
        self.changes = changes
        self.grants = grants
        self._is_strict = is_strict
        self._adjacent_by_team: dict[str, tuple[int, ...]] = {}
        self._lines: dict[str, int] = {}
        self._supplied_by_force: dict[str, tuple[int, int]] = {}
        self._ports: dict[str, int] = {}
        self.team_army = {
            team: _union(board.army, members) for team, members in _MEMBER_INDEX.items()
        }
        self.team_navy = {
            team: _union(board.navy, members) for team, members in _MEMBER_INDEX.items()
        }

    # -- the map

    def adjacent_spaces(self, team: str) -> tuple[int, ...]:
        """Return the neighbours of each space for a team, by space index (5.3; example 15.1)."""
        spaces = self._adjacent_by_team.get(team)
        if spaces is None:
            spaces = self._adjacent_by_team[team] = self._neighbours(team)
        return spaces

    def _neighbours(self, team: str) -> tuple[int, ...]:
        axis_army = self.team_army[AXIS]
        is_open = tuple(bool(axis_army & land) == (team == AXIS) for land in _STRAIT_LANDS)
        added_links: list[tuple[str, str]] = []
        removed_links: list[tuple[str, str]] = []
        for modifier in self.changes.get("adjacency", ()):
            if modifier.team == team:
                added_links += modifier.pairs_added
                removed_links += modifier.pairs_removed
        key = (is_open, tuple(added_links), tuple(removed_links))
        cached_neighbours = _NEIGHBOURS_CACHE.get(key)
        if cached_neighbours is None:
            cached_neighbours = _NEIGHBOURS_CACHE[key] = _with_straits(
                is_open, added_links, removed_links
            )
        return cached_neighbours

    def adjacent_to_any(self, team: str, spaces: int) -> int:
        """Return all spaces that are adjacent to at least one of the given spaces."""
        neighbours = self.adjacent_spaces(team)
        adjacent_spaces = 0
        while spaces:
            low_bit = spaces & -spaces
            adjacent_spaces |= neighbours[low_bit.bit_length() - 1]
            spaces ^= low_bit
        return adjacent_spaces

    def within_distance(self, team: str, spaces: int, distance: int) -> int:
        """Return all spaces within a distance of the given spaces.

        Only straits open to the team are used (5.6, 18.15).
        """
        reached_spaces = spaces
        for _ in range(distance):
            reached_spaces |= self.adjacent_to_any(team, reached_spaces)
        return reached_spaces

    def home_spaces(self, force: str) -> int:
        """Return a force's Home as a set of spaces. Modifiers can move the Home (5.4, 13.10, A.3)."""
        home = HOMES[force]
        moved_spaces = 0
        for modifier in self.changes.get("home_space", ()):
            if modifier.force == force and self._moves_home(modifier):
                moved_spaces = modifier.spaces
        return moved_spaces or BIT[home]

    def _moves_home(self, modifier: Modifier) -> bool:
        condition = modifier.condition
        if condition is None:
            return True
        assert condition.exists is not None, condition
        assert modifier.force is not None, modifier
        return any(True for _ in self.matching_pieces(condition.exists, modifier.force))

    def supply_spaces(self, force: str) -> int:
        """Return a force's supply spaces, including changes from cards and markers (5.5, 13.10, 16.10, A.3)."""
        sources = STARS
        team = TEAM_BY_FORCE[force]
        for modifier in self.changes.get("supply_space", ()):
            if modifier.force == force:
                sources |= modifier.spaces
        for modifier in self.changes.get("not_supply_space", ()):
            if modifier.team in {"all", team}:
                sources &= ~modifier.spaces
        return sources

    def exclusive_supply_spaces(self, force: str) -> int:
        """Return the spaces that are supply spaces for this force only (17.11)."""
        sources = 0
        for modifier in self.changes.get("supply_space", ()):
            if modifier.force == force and modifier.scores:
                sources |= modifier.spaces
        return sources

    # -- supply

    def forces_sharing_supply(self, force: str) -> tuple[str, ...]:
        """Return the forces that trace supply together with this force and share all their stars (18.22, A.3).

        The result includes the force itself.
        """
        for modifier in self.changes.get("share_supply", ()):
            if force in modifier.forces:
                return modifier.forces
        return (force,)

    def supply_line(self, force: str) -> int:
        """Return the spaces that a force's supply lines reach (6.1, 6.2, 6.5).

        If the force shares supply with others, the lines run through their pieces too (A.3).
        """
        line = self._lines.get(force)
        if line is None:
            line = self._lines[force] = self._reachable_spaces(force)
        return line

    def _reachable_spaces(self, force: str) -> int:
        net, sources, seas = 0, 0, 0
        for member in self.forces_sharing_supply(force):
            index = FORCE_INDEX[member]
            army = self.board.army[index]
            net |= army | self.board.navy[index]
            sources |= army & self.supply_spaces(
                member
            )  # 6.1: the sources are Armies on their own supply spaces, even outside the Home
        if self._is_strict:
            seas = self.ports(TEAM_BY_FORCE[force])
            net &= LAND | seas
        team = TEAM_BY_FORCE[force]
        reached_spaces, edge = sources, sources
        while edge:
            edge = self.adjacent_to_any(team, edge) & net & ~reached_spaces
            reached_spaces |= edge
        return reached_spaces

    def ports(self, team: str) -> int:
        """Return the seas where the team has a port (6.4)."""
        ports = self._ports.get(team)
        if ports is None:
            ports = self._ports[team] = self.adjacent_to_any(team, self.team_army[team]) & SEA
        return ports

    def exempt_spaces(self, force: str, kind: str) -> int:
        """Return the spaces where a card supplies pieces of this kind without a supply line (6.5, 16.15)."""
        exempt_spaces_found = 0
        for modifier in self.changes.get("always_in_supply", ()):
            if modifier.query is not None:
                exempt_spaces_found |= self.matching_spaces(
                    modifier.query, modifier.owner, force, kind
                )
        for grant in self.grants:
            step = STEP_LISTS[grant.steps][grant.at]
            assert isinstance(step, GrantSupply), step
            exempt_spaces_found |= self.matching_spaces(step.query, grant.owner, force, kind)
        return exempt_spaces_found

    def matching_spaces(self, query: Query, owner: str, force: str, kind: str) -> int:
        """Return the spaces where a query would match a force's piece of this kind."""
        if kind not in query.pieces or force not in resolve_owners(query.owners, owner):
            return 0
        return simple_spaces(self, query.spaces, owner) & ~mask(query.not_spaces)

    def supplied_spaces(self, force: str) -> tuple[int, int]:
        """Return the spaces of a force's supplied Armies and of its supplied Navies (6.3, 6.4)."""
        supplied_spaces = self._supplied_by_force.get(force)
        if supplied_spaces is None:
            index = FORCE_INDEX[force]
            army, navy = self.board.army[index], self.board.navy[index]
            line = self.supply_line(force)
            # Exemptions matter only for pieces that no supply line reaches, so other pieces are not
            # checked. Exempt pieces do not extend the line (6.5).
            exempt_army = self.exempt_spaces(force, ARMY) if army & ~line else 0
            supplied_navies = navy & line & self.ports(TEAM_BY_FORCE[force])
            exempt_navy = self.exempt_spaces(force, NAVY) if navy & ~supplied_navies else 0
            supplied_spaces = self._supplied_by_force[force] = (
                army & (line | exempt_army),
                supplied_navies | navy & exempt_navy,
            )
        return supplied_spaces

    def supplied_pieces(self, force: str, kind: str) -> int:
        """Return the spaces of a force's supplied pieces of one kind.

        An Air Force is in supply if the Army or Navy in its space is in supply (13.4).
        """
        army, navy = self.supplied_spaces(force)
        if kind == ARMY:
            return army
        if kind == NAVY:
            return navy
        air = self.board.spaces_with(force, AIR)
        return air & (army | navy | self.exempt_spaces(force, AIR))

    def unsupplied_pieces(self, force: str) -> Iterator[tuple[str, str]]:
        """Yield the kind and space of each of a force's Armies and Navies that is out of supply (6)."""
        army, navy = self.supplied_spaces(force)
        for kind, supplied_pieces in ((ARMY, army), (NAVY, navy)):
            for space in names(self.board.spaces_with(force, kind) & ~supplied_pieces):
                yield kind, space

    def supplied_if_placed(self, force: str, kind: str) -> int:
        """Return the spaces where a new piece of this kind would be in supply (7.1 c, 7.2 c; example 15.2).

        A supply line must reach the Navy itself, but need not reach the Army that makes its space a port (16.1).
        """
        team = TEAM_BY_FORCE[force]
        reached_spaces = self.adjacent_to_any(team, self.supply_line(force))
        if kind == ARMY:
            return (
                reached_spaces
                # A new Army on a supply space is itself a source (6.1).
                | self.supply_spaces(force)
                | self.exempt_spaces(force, ARMY)
                | self._shared_spaces(force)
            )
        return (reached_spaces | self._shared_spaces(force)) & self.ports(
            team
        ) | self.exempt_spaces(force, NAVY)

    def _shared_spaces(self, force: str) -> int:
        """Return the spaces that shared supply lines reach.

        The result is empty if the force shares its supply with no other force (A.3).
        """
        return self.supply_line(force) if len(self.forces_sharing_supply(force)) > 1 else 0

    # -- pieces

    def matching_pieces(self, query: Query, owner: str) -> Iterator[tuple[str, str, int]]:
        """Yield the force, kind and spaces of the pieces that match a query. The query must not contain references."""
        spaces = simple_spaces(self, query.spaces, owner) & ~mask(query.not_spaces)
        yield from self.pieces_in(query, resolve_owners(query.owners, owner), spaces)

    def pieces_in(
        self, query: Query, forces: tuple[str, ...], spaces: int
    ) -> Iterator[tuple[str, str, int]]:
        """Yield the force, kind and spaces of the given forces' pieces in the given spaces."""
        for force in forces:
            for kind in query.pieces:
                pieces = self.board.spaces_with(force, kind) & spaces
                if pieces and query.supplied:
                    pieces &= self.supplied_pieces(force, kind)
                if pieces:
                    yield force, kind, pieces


def simple_spaces(analysis: BoardAnalysis, selector: Selector, owner: str) -> int:
    """Return the spaces that match a selector. The selector must not refer to an event or to supply."""
    if not isinstance(selector, Region):
        return EVERYWHERE if selector == "any" else mask(selector)
    if selector.title_contains is not None:
        return spaces_titled(selector.title_contains)
    centre, min_distance, max_distance = selector.ring()
    assert isinstance(centre, str), selector
    return spaces_in_ring(analysis, owner, BIT[centre], min_distance, max_distance)


def spaces_in_ring(
    analysis: BoardAnalysis, owner: str, centre: int, min_distance: int, max_distance: int
) -> int:
    """Return the spaces within a range of distances from a centre, for the owner's team (5.6)."""
    team = TEAM_BY_FORCE[owner]
    if max_distance == 0:
        return centre
    if max_distance == 1:
        neighbours = analysis.adjacent_to_any(team, centre)
        return neighbours | centre if min_distance == 0 else neighbours & ~centre
    return analysis.within_distance(team, centre, max_distance)


_MEMBER_INDEX: Final = {
    team: tuple(FORCE_INDEX[force] for force in forces) for team, forces in MEMBERS.items()
}


def _union(sets: tuple[int, ...], members: tuple[int, ...]) -> int:
    union = 0
    for index in members:
        union |= sets[index]
    return union


def resolve_owners(words: Owners, owner: str) -> tuple[str, ...]:
    """Return the forces that the words name. A word is a team, ``self`` or a force."""
    if isinstance(words, str):
        if words in MEMBERS:
            return MEMBERS[words]
        return (owner,) if words == "self" else (words,)
    return tuple(owner if word == "self" else word for word in words)


_NEIGHBOURS_CACHE: dict[object, tuple[int, ...]] = {}


def _with_straits(
    is_open: tuple[bool, ...],
    extra_pairs: list[tuple[str, str]],
    removed_links: list[tuple[str, str]],
) -> tuple[int, ...]:
    adjacency = list(BORDERS)
    for (first, second), open_now in zip(_STRAIT_SEAS, is_open, strict=True):
        if open_now:
            adjacency[first] |= 1 << second
            adjacency[second] |= 1 << first
    for one_id, other_id in extra_pairs:
        adjacency[INDEX[one_id]] |= BIT[other_id]
        adjacency[INDEX[other_id]] |= BIT[one_id]
    # Removals are applied last, because a removed pair overrides an open strait (A.3).
    for one_id, other_id in removed_links:
        adjacency[INDEX[one_id]] &= ~BIT[other_id]
        adjacency[INDEX[other_id]] &= ~BIT[one_id]
    return tuple(adjacency)


_ANALYSIS_CACHE: Final = Memo[BoardAnalysis](64)


class _LatestAnalysis(NamedTuple):
    """The latest analysis, and the parts of the state from which it was computed."""

    analysis: BoardAnalysis
    board: Board
    statuses: tuple[tuple[str, ...], ...]
    grants: tuple[Grant, ...]
    active_team: str
    options: Mapping[str, str]


_LATEST_ANALYSIS: Final = Memo[_LatestAnalysis]()


def board_analysis(state: State) -> BoardAnalysis:
    """Return the analysis of a state's board. The result is cached."""
    last_analysis = _LATEST_ANALYSIS.latest_result(state)
    # Comparing identities is enough, because the larger cache finds parts that are equal but not
    # identical.
    if (
        last_analysis is not None
        and last_analysis.board is state.board
        and last_analysis.statuses is state.statuses
        and last_analysis.grants is state.turn.grants
        and last_analysis.active_team == state.active
        and last_analysis.options is state.options
    ):
        return last_analysis.analysis
    analysis = _cached_analysis(state)
    _LATEST_ANALYSIS.store(
        state,
        _LatestAnalysis(
            analysis, state.board, state.statuses, state.turn.grants, state.active, state.options
        ),
    )
    return analysis


def _cached_analysis(state: State) -> BoardAnalysis:
    changes = rule_changes(state)
    grants = state.turn.grants
    is_strict = STRICT_NAVY_LINKS.uses_alternative(state.options)
    return _ANALYSIS_CACHE.get(
        state,
        (state.board, changes, grants, is_strict),
        lambda: BoardAnalysis(state.board, changes, grants, is_strict=is_strict),
    )


def strait_holder(analysis: BoardAnalysis, land: str) -> str:
    """Return the team that can use the strait controlled by a land space (5.3)."""
    return AXIS if analysis.team_army[AXIS] & BIT[land] else ALLIES
