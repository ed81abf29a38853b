"""The program's public Python interface. It reads, verifies and plays games.

``__all__`` lists the public names, which follow semantic versioning. Everything else is private, including all other
modules inside this package, and may change in any release. ``docs/api.md`` explains the interface with examples.

In the wheel, this package contains all others. In the project folder, it only refers to them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from engine.bots.player import Player
    from engine.kernel.decision import Decision, Outcome
    from engine.kernel.errors import DataError, FlagplotError, IllegalCommandError, NotationError
    from engine.kernel.ids import Refusal
    from engine.kernel.ruleset import Command, Event, ScenarioInfo, View
    from engine.kernel.rulings import Ruling
    from flagplot import cbps, eots, qmg
    from flagplot.catalogue import bots, create_bot, games, rulings, scenarios
    from flagplot.data_export import ExportReport, export
    from flagplot.game_position import GamePosition
    from flagplot.game_record import GameRecord, RecordStep, read_record
    from flagplot.live_game import LiveGame, new_game, open_game
    from flagplot.verification import verify, verify_files
    from saves.errors import CorruptLogError, MatchError, StorageError
    from saves.export.encoding import MissingLibraryError
    from saves.export.exporter import ExportedFile
    from saves.headers import Header, Seat
    from saves.record_views import SeatError
    from saves.verdicts import Finding, GameOutcome, Verdict

__version__ = "0.1.0"
__all__ = [
    "Command",
    "CorruptLogError",
    "DataError",
    "Decision",
    "Event",
    "ExportReport",
    "ExportedFile",
    "Finding",
    "FlagplotError",
    "GameOutcome",
    "GamePosition",
    "GameRecord",
    "Header",
    "IllegalCommandError",
    "LiveGame",
    "MatchError",
    "MissingLibraryError",
    "NotationError",
    "Outcome",
    "Player",
    "RecordStep",
    "Refusal",
    "Ruling",
    "ScenarioInfo",
    "Seat",
    "SeatError",
    "StorageError",
    "Verdict",
    "View",
    "__version__",
    "bots",
    "cbps",
    "create_bot",
    "eots",
    "export",
    "games",
    "new_game",
    "open_game",
    "qmg",
    "read_record",
    "rulings",
    "scenarios",
    "verify",
    "verify_files",
]

# Modules are imported on first use, because importing a game takes longer than importing this package.
_MODULES: Final = {
    "engine.bots.player": ("Player",),
    "engine.kernel.decision": ("Decision", "Outcome"),
    "engine.kernel.errors": ("DataError", "FlagplotError", "IllegalCommandError", "NotationError"),
    "engine.kernel.ids": ("Refusal",),
    "engine.kernel.ruleset": ("Command", "Event", "ScenarioInfo", "View"),
    "engine.kernel.rulings": ("Ruling",),
    "saves.errors": ("CorruptLogError", "MatchError", "StorageError"),
    "saves.export.encoding": ("MissingLibraryError",),
    "saves.export.exporter": ("ExportedFile",),
    "saves.headers": ("Header", "Seat"),
    "saves.record_views": ("SeatError",),
    "saves.verdicts": ("Finding", "GameOutcome", "Verdict"),
    "flagplot.catalogue": ("bots", "create_bot", "games", "rulings", "scenarios"),
    "flagplot.data_export": ("ExportReport", "export"),
    "flagplot.game_position": ("GamePosition",),
    "flagplot.game_record": ("GameRecord", "RecordStep", "read_record"),
    "flagplot.live_game": ("LiveGame", "new_game", "open_game"),
    "flagplot.verification": ("verify", "verify_files"),
}
_MODULE_OF: Final = {name: module for module, names in _MODULES.items() for name in names}
_VOCABULARIES: Final = frozenset({"cbps", "eots", "qmg"})


def __getattr__(name: str) -> Any:  # noqa: ANN401  # a public name of any type
    """Import a public name on first use."""
    if name in _VOCABULARIES:
        return import_module(f".{name}", __name__)
    if name not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, including those that have not been imported yet."""
    return sorted(__all__)
