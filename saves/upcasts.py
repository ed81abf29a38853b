"""How commands and events of older schemas become those of today.

A record keeps the schema number of each command and event. Reading an old one decodes it to plain
data, applies one step per number, and only then builds the type that the rules know. A change of a
field adds a step here: the key is game, tag and the number it starts from; the result has the next
number. Steps are never changed or removed.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

Body: TypeAlias = dict[str, object]
Upcast: TypeAlias = Callable[[Body], Body]
Upcasts: TypeAlias = Mapping[tuple[str, str, int], Upcast]


def _not_shelled(body: Body) -> Body:
    """Add the mark of escorts under fire; a body of another form is left for the decoder to refuse."""
    moved = body.get("moved")
    return {**body, "moved": {**moved, "shelled": False}} if isinstance(moved, dict) else body


UPCASTS: Final[Upcasts] = {
    ("cbps", "force-fuel", 1): lambda body: {**body, "is_over": False},
    ("eots", "card-discarded", 1): lambda body: {**body, "removed": False},
    ("eots", "die-rolled", 1): lambda body: {**body, "needed": None},
    ("eots", "move-finished", 1): _not_shelled,
}


def current_versions(upcasts: Upcasts, game: str) -> Mapping[str, int]:
    """Return today's schema number of every tag that ever changed; all others are at 1."""
    versions: dict[str, int] = {}
    for name, tag, v in upcasts:
        if name == game:
            versions[tag] = max(versions.get(tag, 1), v + 1)
    return versions
