"""Protocols for the parts of a view that the operations map uses."""

from collections.abc import Mapping
from typing import Any, Protocol


class HasHex(Protocol):
    """A piece that can be in a hex."""

    @property
    def hex(self) -> str:
        """The hex that contains the piece; empty if the piece is off the map."""


class MapAirUnit(Protocol):
    """A US air unit."""

    @property
    def at(self) -> str:
        """The carrier, mission or search that the unit belongs to."""


class MapGroup(HasHex, Protocol):
    """A US task group."""

    @property
    def is_detached(self) -> bool:
        """True if the group sails alone (6.33)."""

    @property
    def heading(self) -> str | None:
        """Direction of the group's last move."""

    @property
    def is_lit(self) -> bool:
        """True if the group's lights are on (6.43)."""


class MapMission(HasHex, Protocol):
    """A US air mission."""

    @property
    def kind(self) -> str:
        """``strike`` or ``intercept``."""

    @property
    def cap(self) -> str:
        """The group over which the mission flies CAP; empty for other missions (4.33)."""

    @property
    def fuel(self) -> int:
        """Remaining fuel. At 0 or below, the mission is Fuel Critical (4.44)."""


class MapSearch(HasHex, Protocol):
    """A search in flight."""

    @property
    def kind(self) -> str:
        """``standard``, ``narrow`` or ``long``."""

    @property
    def origin(self) -> str:
        """The hex from which the search was launched."""

    @property
    def bearing(self) -> int:
        """Direction in degrees."""

    @property
    def radius(self) -> str:
        """Hex of the search's Max Radius marker."""

    @property
    def is_back(self) -> bool:
        """True if the search is returning."""


class MapForce(HasHex, Protocol):
    """A Japanese force."""

    @property
    def level(self) -> int:
        """Intelligence level (7.3)."""

    @property
    def detection(self) -> str:
        """Detection state: empty, ``?``, ``L`` or ``S`` (8.11)."""

    @property
    def heading(self) -> str | None:
        """Direction of the force's last move."""

    @property
    def is_carrier(self) -> bool:
        """True if the force is known to have carriers."""


class MapShip(HasHex, Protocol):
    """A US ship. It has its own hex only if it is not part of a task group (12.41)."""

    @property
    def group(self) -> str:
        """The ship's task group."""


class MapRaid(HasHex, Protocol):
    """A Japanese air raid."""

    @property
    def target(self) -> str:
        """The raid's target: a task group, a ship or ``Guam``."""

    @property
    def points(self) -> int:
        """The raid's points before they are divided into fighters and attackers (10.3)."""

    @property
    def fighters(self) -> int:
        """The raid's fighters, after its points have been divided."""

    @property
    def attackers(self) -> int:
        """The raid's attackers, after its points have been divided."""


class MapAirBase(Protocol):
    """Guam's air base."""

    @property
    def boxes(self) -> Mapping[Any, int]:
        """The number of air points in each of the base's boxes."""


class MapContents(Protocol):
    """Everything on the operations map."""

    @property
    def units(self) -> Mapping[str, MapAirUnit]:
        """The US air units."""

    @property
    def groups(self) -> Mapping[str, MapGroup]:
        """The task groups."""

    @property
    def missions(self) -> Mapping[str, MapMission]:
        """The air missions."""

    @property
    def searches(self) -> Mapping[str, MapSearch]:
        """The searches in flight."""

    @property
    def boats(self) -> Mapping[str, HasHex]:
        """The US submarines."""

    @property
    def ships(self) -> Mapping[str, MapShip]:
        """The US ships."""

    @property
    def hulls(self) -> Mapping[str, HasHex]:
        """The Japanese ships. Crippled ships may be alone (12.41)."""

    @property
    def forces(self) -> Mapping[str, MapForce]:
        """The Japanese forces."""

    @property
    def raids(self) -> Mapping[str, MapRaid]:
        """The raids on the map."""

    @property
    def guam(self) -> MapAirBase:
        """Guam's air base."""

    @property
    def oilers(self) -> Mapping[str, str]:
        """The hex of each oiler (20.3)."""
