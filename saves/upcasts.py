"""Upgrades commands and events from older schemas to the current ones.

A record stores the schema number of each command and event. Old items are decoded to plain data, upgraded one version
at a time, and finally converted to the type that the rules use. Every change to a field requires a new upgrade step
here, keyed by game, tag and old schema number. Its result has the next schema number. Existing steps are never changed
or removed.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

Body: TypeAlias = dict[str, object]
Upcast: TypeAlias = Callable[[Body], Body]
Upcasts: TypeAlias = Mapping[tuple[str, str, int], Upcast]


def _add_shelled_flag(body: Body) -> Body:
    """Add the flag for escorts under fire. A malformed body is returned unchanged, and the decoder then rejects it."""
    moved = body.get("moved")
    return {**body, "moved": {**moved, "shelled": False}} if isinstance(moved, dict) else body


UPCASTS: Final[Upcasts] = {
    ("cbps", "force-fuel", 1): lambda body: {**body, "is_over": False},
    ("eots", "card-discarded", 1): lambda body: {**body, "removed": False},
    ("eots", "die-rolled", 1): lambda body: {**body, "needed": None},
    ("eots", "move-finished", 1): _add_shelled_flag,
}


def current_versions(upcasts: Upcasts, game: str) -> Mapping[str, int]:
    """Return the current schema number for every tag whose schema has changed. All other tags have schema number 1."""
    versions: dict[str, int] = {}
    for name, tag, v in upcasts:
        if name == game:
            versions[tag] = max(versions.get(tag, 1), v + 1)
    return versions
