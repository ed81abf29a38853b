"""The data and golden games that belong to the rules version of each game.

``python -m tests.golden_games.versions`` pins them after a version was raised. It refuses a version that is pinned
with other data or games, unless ``--unreleased`` says that the version was raised since the last release.
"""

import sys
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from engine.registry import ruleset
from tests.golden_games.corpus import GAMES, pins

VERSIONS: Final = Path(__file__).parent / "versions.json"
UNRELEASED: Final = "--unreleased"


class RulesPin(msgspec.Struct, frozen=True, kw_only=True):
    """Data and games of one rules version of a game."""

    version: int
    data_digest: str
    golden_games: str
    """Digest of the names and chains of the golden games."""


def rules_today(game: str) -> RulesPin:
    """Return the current data and games of a game's rules version in this checkout."""
    rules = ruleset(game)
    chains = "".join(
        f"{name} {pin.chain}\n"
        for name, pin in sorted(pins().items())
        if name.startswith(f"{game}-")
    )
    return RulesPin(
        version=rules.version,
        data_digest=rules.data_digest,
        golden_games=blake2b(chains.encode(), digest_size=16).hexdigest(),
    )


def pinned_rules() -> Mapping[str, RulesPin]:
    """Return the pinned values by game."""
    return msgspec.json.decode(VERSIONS.read_bytes(), type=dict[str, RulesPin])


def unraised(game: str, pinned: RulesPin, today: RulesPin) -> Iterator[str]:
    """Yield each change made without raising the rules version, or a note that a new version is not pinned."""
    if today.version < pinned.version:
        yield f"{game}: rules {today.version} come after rules {pinned.version}"
    elif today.version > pinned.version:
        yield f"{game}: pin rules {today.version} with python -m tests.golden_games.versions"
    else:
        for field, words in (("data_digest", "data"), ("golden_games", "golden games")):
            if getattr(today, field) != getattr(pinned, field):
                yield f"{game}: the {words} changed under rules {today.version}; raise the version"


def repin(*, is_unreleased: bool) -> None:
    """Pin the version of each game.

    Raises:
        SystemExit: Something changed under a version that may be released.
    """
    before = pinned_rules() if VERSIONS.exists() else {}
    now = {game: rules_today(game) for game in GAMES}
    for game, today in now.items():
        pinned = before.get(game)
        if pinned is None or today.version > pinned.version or is_unreleased:
            continue
        if found := next(unraised(game, pinned, today), ""):
            raise SystemExit(found)
    VERSIONS.write_bytes(msgspec.json.format(msgspec.json.encode(now), indent=1) + b"\n")


if __name__ == "__main__":
    repin(is_unreleased=sys.argv[1:] == [UNRELEASED])
