"""Empire of the Sun for the screens: wiring only."""

from collections.abc import Sequence
from typing import Any, Final

from engine.eots import commands as c
from engine.eots.ids import CardId, Side
from engine.eots.view import EotsView, OffensiveView
from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from tui.eots import battle, panels, scene, search
from tui.eots import words as in_words
from tui.eots.index import Index, Indexer
from tui.hexmap.scene import HexScene
from tui.presenter import Found, Presenter, Selection

_HOMES: Final = {Side.ALLIED: "5808", Side.JAPAN: "3407"}
"""Oahu and Tokyo: where each side looks first."""
_SOUTH_PACIFIC_HOME: Final = "4021"


class EotsPresenter(Presenter):
    """Shows `EotsView` and `EotsCommand`."""

    overlays = (
        ("s", "supply", "Supply"),
        ("o", "zoi", "Zones of influence"),
        ("a", "range", "Ranges of headquarters"),
        ("v", "last", "Last offensive"),
    )
    page_names = (
        ("t", "Tracks"),
        ("f", "Force pools"),
        ("g", "Charts"),
        ("k", "Cards not seen yet"),
    )

    def __init__(self, ruleset: AnyRuleset) -> None:
        super().__init__(ruleset)
        self._indexer = Indexer()
        self._last: OffensiveView | None = None

    def _index(self, view: View) -> Index:
        assert isinstance(view, EotsView)
        if view.offensive is not None:
            self._last = view.offensive
        return self._indexer.of(view)

    def header(self, view: View, heading: str, status: str) -> str:
        """Return the top line."""
        assert isinstance(view, EotsView)
        return panels.header(view, heading, status)

    def label(self, view: View, command: Command) -> str:
        """Return a command in words."""
        return in_words.label(self._index(view), _eots(command))

    def detail(self, view: View, command: Command) -> str:
        """Return a command in words, without what it is about."""
        return in_words.detail(self._index(view), _eots(command))

    def below(self, view: View, command: Command) -> str:
        """Return what a command is about, where its heading tells what it does."""
        return in_words.below(self._index(view), _eots(command))

    def kind(self, command: Command) -> str:
        """Return what commands of this kind do."""
        return in_words.kind(_eots(command))

    def subject(self, view: View, command: Command) -> tuple[str, str] | None:
        """Return what a command is about."""
        del view
        return in_words.subject(_eots(command))

    def places(self, view: View, command: Command) -> tuple[str, ...]:
        """Return the hexes that a command points at."""
        return in_words.places(self._index(view), _eots(command))

    def place_name(self, place: str) -> str:
        """Return the number of a hex with its printed name."""
        return in_words.place_name(place)

    def about(self, view: View, command: Command, cursor: str = "") -> tuple[str, tuple[str, ...]]:
        """Return values and text of the card that an option is about."""
        del view, cursor
        card = getattr(command, "card", "")
        if not card:
            return "", ()
        title, *lines = panels.card_lines(CardId(card))
        return title, tuple(line.strip() for line in lines)

    def warning(self, view: View, command: Command, options: Sequence[Any] = ()) -> str:
        """Ask before a ferry loses an air unit, a flight bars it from battle, or activated units are left idle."""
        assert isinstance(view, EotsView)
        return in_words.warning(view, _eots(command), options)

    def scene(self, view: View, selection: Selection) -> HexScene:
        """Return the map."""
        return scene.draw_scene(self._index(view), selection, self._last)

    def home(self, view: View) -> str:
        """Return the hex to look at first: the offensive's headquarters, else the side's base."""
        assert isinstance(view, EotsView)
        offensive = view.offensive
        if offensive is not None and offensive.hq is not None:
            return self._index(view).at(offensive.hq)
        if scene.is_south_pacific(view.scenario):
            return _SOUTH_PACIFIC_HOME
        return _HOMES[view.side or Side.ALLIED]

    def focus(self, view: View) -> str:
        """Return where the moving stack stands or the battle rages."""
        assert isinstance(view, EotsView)
        frame = view.frames[-1] if view.frames else None
        return str(getattr(frame, "at", None) or getattr(frame, "hex", None) or "")

    def hex_lines(self, view: View, hex_id: str) -> tuple[str, ...]:
        """Return what is known about a hex."""
        return panels.hex_lines(self._index(view), hex_id)

    def hand_lines(self, view: View) -> tuple[str, ...]:
        """Return the own cards with their texts."""
        assert isinstance(view, EotsView)
        return panels.hand_lines(view)

    def pages(self, view: View) -> tuple[panels.Page, ...]:
        """Return tracks, pools, charts and cards."""
        index = self._index(view)
        return (
            panels.tracks_page(index.view),
            panels.pools_page(index),
            panels.charts_page(),
            panels.unseen_page(index.view),
        )

    def battle_lines(self, view: View) -> tuple[str, ...]:
        """Return the battle board."""
        return battle.battle_lines(self._index(view))

    def find(self, view: View, words: str) -> tuple[Found, ...]:
        """Return hexes, units and cards by name."""
        return search.find(self._index(view), words)

    def candidates(self, view: View, decision: Decision[Any], hex_id: str) -> tuple[Any, ...]:
        """Return the commands of this step for the units and the ground of a hex."""
        index = self._index(view)
        units = [unit.id for stack in index.stacks.get(hex_id, ()) for unit in stack.units]
        kinds = list(dict.fromkeys(type(option) for option in decision.options))
        found: list[Any] = []
        for kind in kinds:
            sample = next(option for option in decision.options if type(option) is kind)
            found += _meant(sample, hex_id, units)
        return tuple(dict.fromkeys(found))

    def role_name(self, role: Role | None) -> str:
        """Return how a side is called."""
        return "Spectator" if role is None else {"allied": "Allied", "japan": "Japan"}[role]

    def who(self, role: Role) -> str:
        """Return how a side is called within a sentence."""
        return {"allied": "the Allies", "japan": "Japan"}[role]


def _eots(command: Command) -> c.EotsCommand:
    return command  # type: ignore[return-value]  # every command of this ruleset is in the union


def _meant(sample: Any, hex_id: str, units: list[Any]) -> list[Any]:  # noqa: ANN401  (any command)
    """Return a command of this kind for each unit of a hex, or for the hex itself."""
    from msgspec.structs import replace

    fields = sample.__struct_fields__
    target = next((name for name in ("to", "at") if name in fields), None)
    who = next((name for name in ("unit", "hq") if name in fields), None)
    if target is not None:
        return [replace(sample, **{target: hex_id})]
    if who is not None:
        return [replace(sample, **{who: unit}) for unit in units]
    return []


PRESENTER: Final = EotsPresenter
