"""A slow second implementation of sections 5, 6, 7 and 13.3, which uses names and sets from the raw data files.

It shares no code with the engine: boards are dictionaries, and every question is answered by trial.
"""

import json
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import engine.qmg.data

_DATA = Path(engine.qmg.data.__file__).parent
AXIS = ("germany", "japan", "italy")
ALLIES = ("uk", "ussr", "usa", "france", "china")
FORCES = (*AXIS, *ALLIES)
Piece = tuple[str, str, str]
"""Force, kind and space of a piece."""


@cache
def raw(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_DATA / name).read_text(encoding="utf-8"))
    return found


@cache
def spaces(kind: str = "") -> tuple[str, ...]:
    found = raw("map.json")["spaces"]
    return tuple(space["id"] for space in found if kind in {"", space["kind"]})


@cache
def borders() -> frozenset[frozenset[str]]:
    found = raw("map.json")["spaces"]
    return frozenset(
        frozenset((space["id"], other)) for space in found for other in space["adjacent"]
    )


@cache
def rule_changes() -> dict[str, tuple[str, tuple[dict[str, Any], ...]]]:
    """Return the Statuses that change rules, with their deck and the changes."""
    found = {}
    for card in raw("cards.json")["cards"]:
        changes = tuple(one["modifier"] for one in card["abilities"] if one["kind"] == "modifier")
        if changes:
            found[card["id"]] = (card["deck"], changes)
    return found


def team(force: str) -> tuple[str, ...]:
    return AXIS if force in AXIS else ALLIES


def foes(force: str) -> tuple[str, ...]:
    return ALLIES if force in AXIS else AXIS


def _all(word: object) -> tuple[str, ...]:
    if isinstance(word, list):
        return tuple(word)
    return {"axis": AXIS, "allies": ALLIES}.get(str(word), (str(word),))


class World:
    """A board with the Statuses in force and the supply granted this turn."""

    def __init__(
        self,
        pieces: set[Piece],
        statuses: tuple[str, ...],
        active: str,
        grants: tuple[dict[str, Any], ...] = (),
        *,
        strict: bool = False,
    ) -> None:
        self.pieces = pieces
        self.statuses = statuses
        self.active = active
        self.grants = grants
        self.strict = strict
        self._near: dict[tuple[str, tuple[str, ...]], set[str]] = {}

    def plus(self, new: Piece) -> "World":
        """Return the board with an additional piece, which may change the control of straits."""
        made = World(
            {*self.pieces, new}, self.statuses, self.active, self.grants, strict=self.strict
        )
        if new[2] not in {strait["land"] for strait in raw("map.json")["straits"]}:
            made._near = self._near
        return made

    def has(self, forces: tuple[str, ...], kind: str, space: str) -> bool:
        return any((force, kind, space) in self.pieces for force in forces)

    def changes(self, mod: str) -> Iterator[dict[str, Any]]:
        return (change for _, change in self.owned_changes() if change["mod"] == mod)

    def owned_changes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the rule changes in force in this turn, with the deck of their card."""
        deaf: set[str] = set()
        for card in self.statuses:
            for change in rule_changes()[card][1]:
                if change["mod"] == "ignore_status" and change["during_turn_of"] == self.active:
                    deaf |= set(_all(change["team"]))
        for card in self.statuses:
            deck, changes = rule_changes()[card]
            if deck not in deaf:
                yield from ((deck, change) for change in changes)

    # 5

    def adjacent(self, one: str, other: str, side: tuple[str, ...]) -> bool:
        pair = {one, other}
        name = "axis" if side == AXIS else "allies"
        mine = [change for change in self.changes("adjacency") if change["team"] == name]
        if any(pair == set(found) for change in mine for found in change.get("remove", ())):
            return False
        if any(pair == set(found) for change in mine for found in change.get("add", ())):
            return True
        if pair in borders():
            return True
        for strait in raw("map.json")["straits"]:
            if pair == set(strait["seas"]):
                return self.has(AXIS, "army", strait["land"]) == (side == AXIS)
        return False

    def around(self, space: str, side: tuple[str, ...]) -> set[str]:
        known = self._near.get((space, side))
        if known is None:
            others = [other for other in spaces() if other != space]
            known = {other for other in others if self.adjacent(space, other, side)}
            self._near[space, side] = known
        return known

    def distance(self, one: str, other: str, side: tuple[str, ...]) -> int:
        """Return the length of the shortest path (5.6); 99 if there is none."""
        seen, edge, steps = {one}, {one}, 0
        while edge:
            if other in edge:
                return steps
            edge = {new for space in edge for new in self.around(space, side)} - seen
            seen |= edge
            steps += 1
        return 99

    def is_star(self, space: str, force: str) -> bool:
        printed = {one["id"] for one in raw("map.json")["spaces"] if one["supply"]}
        name = "axis" if force in AXIS else "allies"
        for change in self.changes("not_supply_space"):
            if change["space"] == space and change["team"] in {"all", name}:
                return False
        for change in self.changes("supply_space"):
            if change["space"] == space and change["force"] == force:
                return True
        return space in printed

    def home(self, force: str) -> str:
        for change in self.changes("home_space"):
            if change["force"] == force and self._holds(change.get("condition")):
                return str(change["space"])
        return str(raw("map.json")["homes"][force])

    def _holds(self, condition: dict[str, Any] | None) -> bool:
        if condition is None:
            return True
        return any(self._matches(condition["exists"], piece, ()) for piece in self.pieces)

    def _matches(self, query: dict[str, Any], piece: Piece, side: tuple[str, ...]) -> bool:
        force, kind, space = piece
        where = query["spaces"]
        if isinstance(where, dict):
            inside = self.distance(where["in_or_adjacent"], space, side) <= 1
        else:
            inside = where == "any" or space in where
        return force in _all(query["owner"]) and kind in query["piece"] and inside

    # 6

    def net(self, force: str) -> tuple[str, ...]:
        for change in self.changes("share_supply"):
            if force in change["forces"]:
                return tuple(change["forces"])
        return (force,)

    def is_port(self, sea: str, force: str) -> bool:
        near = self.around(sea, team(force))
        return any(self.has(team(force), "army", land) for land in near)

    def reached(self, force: str) -> set[Piece]:
        """Return the pieces that a line reaches, from one piece to the next."""
        links = [
            piece
            for piece in self.pieces
            if piece[0] in self.net(force)
            and (
                piece[1] == "army"
                or (piece[1] == "navy" and (not self.strict or self.is_port(piece[2], force)))
            )
        ]
        found = {
            piece for piece in links if piece[1] == "army" and self.is_star(piece[2], piece[0])
        }
        while True:
            more = {
                piece
                for piece in links
                if piece not in found
                and any(
                    piece[2] == other[2] or piece[2] in self.around(other[2], team(force))
                    for other in found
                )
            }
            if not more:
                return found
            found |= more

    def exemptions(self) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
        """Return the queries that supply pieces without a line, each with the team whose view of the map applies."""
        found = [
            (change["query"], team(deck))
            for deck, change in self.owned_changes()
            if change["mod"] == "always_in_supply"
        ]
        return found + [(query, team(query["owner"])) for query in self.grants]

    def supplied(self, force: str) -> set[Piece]:
        """Return the supplied pieces of a force, including its Air Forces (6, 13.4)."""
        found = {
            piece
            for piece in self.reached(force)
            if piece[0] == force and (piece[1] == "army" or self.is_port(piece[2], force))
        }
        found |= {
            piece
            for query, side in self.exemptions()
            for piece in self.pieces
            if piece[0] == force and self._matches(query, piece, side)
        }
        ground = {space for _, kind, space in found if kind != "air"}
        return found | {
            (force, "air", space)
            for owner, kind, space in self.pieces
            if owner == force and kind == "air" and space in ground
        }

    def ground(self, force: str) -> set[str]:
        return {space for _, kind, space in self.supplied(force) if kind != "air"}

    # 7

    def free(self, force: str, kind: str) -> bool:
        used = sum(one[:2] == (force, kind) for one in self.pieces)
        return bool(used < raw("cards.json")["pieces"][force][kind])

    def builds(self, force: str, kind: str) -> set[str]:
        """Return the spaces where the force may build, by placing the piece and checking it (7.1, 7.2)."""
        if not self.free(force, kind):
            return set()
        support = self.ground(force)
        found = set()
        for space in spaces("land" if kind == "army" else "sea"):
            if self.has(foes(force), kind, space) or self.has((force,), kind, space):
                continue
            at_home = kind == "army" and space == self.home(force)
            near = any(space in self.around(other, team(force)) for other in support)
            new = (force, kind, space)
            if (at_home or near) and new in self.plus(new).supplied(force):
                found.add(space)
        return found

    def battles(self, force: str) -> set[tuple[str, str]]:
        """Return the spaces with their targets; an empty name if there is none (7.4)."""
        support = self.ground(force)
        found = set()
        for space in spaces():
            kind = "army" if space in spaces("land") else "navy"
            if self.has(team(force), kind, space):
                continue
            if any(space in self.around(other, team(force)) for other in support):
                targets = [foe for foe in foes(force) if (foe, kind, space) in self.pieces]
                found |= {(space, target) for target in targets or [""]}
        return found

    # 13

    def wings(self, force: str) -> set[str]:
        return {space for _, kind, space in self.supplied(force) if kind == "air"}

    def deployments(self, force: str) -> set[str]:
        if not self.free(force, "air"):
            return set()
        return {one for one in self.ground(force) if (force, "air", one) not in self.pieces}

    def marshals(self, force: str) -> set[tuple[str, str]]:
        return {
            (origin, goal)
            for origin, goal in product(self.wings(force), self.ground(force))
            if origin == goal or (force, "air", goal) not in self.pieces
        }

    def superiorities(self, force: str) -> set[tuple[str, str, str]]:
        found = set()
        for origin in self.wings(force):
            for goal in self.around(origin, team(force)):
                targets = [foe for foe in foes(force) if (foe, "air", goal) in self.pieces]
                found |= {(origin, goal, target) for target in targets or [""]}
        return found

    def repositions(self, force: str, space: str) -> set[str]:
        near = self.around(space, team(force)) & self.ground(force)
        return {goal for goal in near if (force, "air", goal) not in self.pieces}

    # 12

    def points(self, force: str) -> int:
        total = 0
        for space in spaces("land"):
            if (force, "army", space) in self.pieces and self.is_star(space, force):
                friends = tuple(friend for friend in team(force) if friend != force)
                own = any(
                    change["space"] == space and change["force"] == force and change.get("scores")
                    for change in self.changes("supply_space")
                )
                total += 1 if self.has(friends, "army", space) and not own else 2
        return total
