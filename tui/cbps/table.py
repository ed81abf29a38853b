"""What the operations map reads of a view: names and types alone."""

from collections.abc import Mapping
from typing import Any, Protocol


class At(Protocol):
    """Anything in a hex; empty when it is on none."""

    @property
    def hex(self) -> str:
        """Return where it is."""


class AirUnit(Protocol):
    """A US air unit."""

    @property
    def at(self) -> str:
        """Return its carrier, mission or search."""


class Group(At, Protocol):
    """A US task group."""

    @property
    def is_detached(self) -> bool:
        """Return whether it sails on its own (6.33)."""

    @property
    def heading(self) -> str | None:
        """Return its last move."""

    @property
    def is_lit(self) -> bool:
        """Return whether its lights are on (6.43)."""


class Mission(At, Protocol):
    """A US air mission."""

    @property
    def kind(self) -> str:
        """Return ``strike`` or ``intercept``."""

    @property
    def cap(self) -> str:
        """Return the group in whose CAP box it is (4.33)."""

    @property
    def fuel(self) -> int:
        """Return the fuel left; 0 and below is critical (4.44)."""


class Search(At, Protocol):
    """A search in flight."""

    @property
    def kind(self) -> str:
        """Return ``standard``, ``narrow`` or ``long``."""

    @property
    def origin(self) -> str:
        """Return where it was launched."""

    @property
    def bearing(self) -> int:
        """Return degrees."""

    @property
    def radius(self) -> str:
        """Return the hex of its Max Radius marker."""

    @property
    def is_back(self) -> bool:
        """Return whether it flies home."""


class Force(At, Protocol):
    """A Japanese force."""

    @property
    def level(self) -> int:
        """Return the intelligence level (7.3)."""

    @property
    def detection(self) -> str:
        """Return the detection: nothing, ``?``, ``L``, ``S`` (8.11)."""

    @property
    def heading(self) -> str | None:
        """Return its last move."""

    @property
    def is_carrier(self) -> bool:
        """Return whether it is known to have carriers."""


class Ship(At, Protocol):
    """A US ship; alone on the map when it has a hex (12.41)."""

    @property
    def group(self) -> str:
        """Return its task group."""


class Raid(At, Protocol):
    """A Japanese air raid."""

    @property
    def target(self) -> str:
        """Return the task group or ship aimed at, or ``Guam``."""

    @property
    def points(self) -> int:
        """Return its points before the division (10.3)."""

    @property
    def fighters(self) -> int:
        """Return its fighters after it."""

    @property
    def attackers(self) -> int:
        """Return its attackers after it."""


class Land(Protocol):
    """Guam's air base."""

    @property
    def boxes(self) -> Mapping[Any, int]:
        """Return its air points."""


class Table(Protocol):
    """All that lies on the map."""

    @property
    def units(self) -> Mapping[str, AirUnit]:
        """Return the US air units."""

    @property
    def groups(self) -> Mapping[str, Group]:
        """Return the task groups."""

    @property
    def missions(self) -> Mapping[str, Mission]:
        """Return the air missions."""

    @property
    def searches(self) -> Mapping[str, Search]:
        """Return the searches in flight."""

    @property
    def boats(self) -> Mapping[str, At]:
        """Return the US submarines."""

    @property
    def ships(self) -> Mapping[str, Ship]:
        """Return the US ships."""

    @property
    def hulls(self) -> Mapping[str, At]:
        """Return the Japanese ships, of which crippled ones may lie alone (12.41)."""

    @property
    def forces(self) -> Mapping[str, Force]:
        """Return the Japanese forces."""

    @property
    def raids(self) -> Mapping[str, Raid]:
        """Return the raids on the map."""

    @property
    def guam(self) -> Land:
        """Return Guam's air base."""

    @property
    def oilers(self) -> Mapping[str, str]:
        """Return the oilers' hexes (20.3)."""
