"""Presents Quartermaster General on the screens. It contains no game logic."""

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.qmg import phrases as say
from engine.qmg.atlas import HOMES, SPACE
from engine.qmg.commands import (
    Discard,
    DiscardTop,
    Done,
    Drop,
    LosePoint,
    Pass,
    Play,
    QmgCommand,
    Remove,
    Withdraw,
    Yes,
)
from engine.qmg.view import QmgView
from engine.registry import AnyRuleset
from play.choices import Cells, Choice, Consequence, Tick
from play.event_history import SeenEvent
from tui.drawing.colour_roles import TextRole
from tui.maps.areamap.scene import AreaScene
from tui.panels.forecast import ForecastPage
from tui.panels.goals import Goals
from tui.panels.overlay_pages import BattleBoard, OverlayPage
from tui.panels.playback_step import News, PlaybackStep
from tui.panels.roster import Roster
from tui.panels.status_segments import CardFace, Row, StatusSegment, Steps
from tui.presenter.presenter import Found, Presenter, Selection
from tui.qmg import name_search, texts
from tui.qmg.index import Index, Indexer
from tui.qmg.map.scene import draw_scene
from tui.qmg.orders import targets
from tui.qmg.orders.warnings import end_of_step, is_pass_usual, warning_question
from tui.qmg.panels import in_progress, page_texts, row_styles, status_bar
from tui.qmg.panels.card_faces import card_faces
from tui.qmg.playback import playback_steps, turn_recap
from tui.qmg.playback.country_steps import country_steps


class QmgPresenter(Presenter):
    """Presents `QmgView` and `QmgCommand`."""

    overlays = (
        ("s", "supply", "Own supply"),
        ("S", "all", "Supply of all countries"),
        ("v", "homes", "Home spaces"),
    )
    page_names = (
        ("T", "Tracks"),
        ("f", "Cards on the table"),
        ("g", "Map symbols"),
        ("k", "Cards not on the table"),
    )
    tab_names = MappingProxyType({"f": "Table", "g": "Symbols", "k": "Unseen"})
    place_noun = "space"
    find_prompt = "Find a space or card by name"
    reports_whole_turn = True
    has_wide_map = True
    has_hand = True
    key_line_entries = (("T", "tracks"), ("f", "table"), ("s", "supply"))

    def __init__(self, ruleset: AnyRuleset) -> None:
        super().__init__(ruleset)
        self._indexer = Indexer()

    def _index(self, view: View) -> Index:
        assert isinstance(view, QmgView)
        return self._indexer.get(view)

    @property
    @override
    def badge(self) -> tuple[str, str]:
        return "QUARTERMASTER GENERAL", "QMG"

    @override
    def status_segments(self, view: View, heading: str, status: str) -> tuple[StatusSegment, ...]:
        """Return status segments for the round, score, card counts and turn order."""
        assert isinstance(view, QmgView)
        return status_bar.status_segments(view, heading, status)

    @override
    def steps(self, view: View) -> Steps | None:
        """Return the steps of the active country's turn."""
        assert isinstance(view, QmgView)
        return status_bar.steps(view)

    @override
    def cards(self, view: View) -> tuple[CardFace, ...]:
        assert isinstance(view, QmgView)
        return tuple(card_faces(view))

    @override
    def card_id(self, command: Command) -> str:
        """Return the id of the card shown for a command. All copies of a card have the same id."""
        card = super().card_id(command)
        return texts.card_key(card) if card else ""

    @override
    def label(self, view: View, command: Command) -> str:
        """Describe a command. For a card, add the spaces where the card would have an effect."""
        assert isinstance(view, QmgView)
        label = texts.label(view, _qmg(command))
        target_text = (
            targets.target_summary(self._index(view), command.card)
            if isinstance(command, Play)
            else ""
        )
        return f"{label}: {target_text}" if target_text else label

    @override
    def detail(self, view: View, command: Command) -> str:
        assert isinstance(view, QmgView)
        return texts.detail(view, _qmg(command))

    @override
    def kind(self, command: Command) -> str:
        return texts.verb_heading(self.ruleset.notation.verb(command), super().kind(command))

    @override
    def subject(self, view: View, command: Command) -> tuple[str, str] | None:
        del view
        return texts.subject(_qmg(command))

    @override
    def choices(self, view: View, options: Sequence[Any]) -> tuple[Choice, ...]:
        """Return the options as a shallow tree. Copies of the same card are listed only once.

        If cards can be either used or discarded, the discards have a separate heading.
        """
        first_by_key = {texts.equivalence_key(option): option for option in reversed(options)}
        kept_options = set(first_by_key.values())
        distinct_options = [option for option in options if option in kept_options]
        discards = [option for option in distinct_options if isinstance(option, Drop)]
        if len(discards) in (0, len(distinct_options)):
            return super().choices(view, distinct_options)
        discard_choices = tuple(
            Choice(self.short_label(view, option), option) for option in discards
        )
        heading = Choice(self.kind(discards[0]), None, discard_choices, len(discards))
        return (
            *super().choices(
                view, [option for option in distinct_options if option not in discards]
            ),
            heading,
        )

    @override
    def short_label(self, view: View, command: Command) -> str:
        assert isinstance(view, QmgView)
        return texts.short_label(view, _qmg(command))

    @override
    def arrange_options(
        self,
        view: View,
        options: Sequence[Any],
        any_time: Sequence[Any],
        default: Command | None = None,
    ) -> tuple[Choice, ...]:
        """Return the options, most valuable first.

        If all others have a cost, the option that ends the step comes first. If the player usually passes in a response
        window, the pass is the likely choice.
        """
        index = self._index(view)
        options = sorted(options, key=lambda option: targets.option_rank(index, option))
        other_options = [option for option in options if option != default]
        if isinstance(default, Done) and all(
            isinstance(option, Discard | Remove) for option in other_options
        ):
            options = (default, *other_options)
        lines = super().arrange_options(view, options, any_time, default)
        is_yes_or_no = any(isinstance(option, Yes) for option in options)
        passes_usually = is_pass_usual(index.view, options)
        return tuple(
            replace(line, title="Withdraw a piece")
            if line.is_any_time
            and all(isinstance(command, Withdraw) for command in line.commands())
            else replace(line, title="No")
            if is_yes_or_no and isinstance(line.command, Done)
            else replace(line, is_likely=True)
            if passes_usually and isinstance(line.command, Pass)
            else line
            for line in lines
        )

    @override
    def tick(self, view: View, command: Command) -> Tick | None:
        """Return the group for ticking several discards or removals; None for other commands."""
        del view
        return (
            Tick(self.kind(command), question_names_group=True, is_cost=True)
            if isinstance(command, Discard | Remove)
            else None
        )

    @override
    def cells(self, view: View, command: Command, *, has_place: bool = True) -> Cells:
        """Return no columns, because long card titles would not fit and all cards should look alike."""
        del view, command, has_place
        return ()

    @override
    def only_follow_up(
        self, view: View, given_command: Command, options: Sequence[Any]
    ) -> Command | None:
        """Return the command for the only target of the card just played; None if the player has a choice."""
        del view
        return targets.only_target(_qmg(given_command), options)

    @override
    def places(self, view: View, command: Command) -> tuple[str, ...]:
        del view
        return texts.places(command)

    @override
    def place_name(self, place: str) -> str:
        return say.space_name(place)

    @override
    def about(self, view: View, command: Command, cursor: str = "") -> tuple[str, tuple[str, ...]]:
        del cursor
        index = self._index(view)
        card = getattr(command, "card", "")
        card_played = in_progress.innermost_card(index.view)
        shown_card = card or ("" if isinstance(command, Pass) else card_played)
        # Show the text of the cards being resolved below the text of the highlighted card.
        summary_lines = in_progress.summary_lines(index.view, shown_card)
        if shown_card:
            effect_lines = page_texts.card_effect_lines(shown_card)
            return texts.card_text(shown_card), (*effect_lines, *summary_lines)
        if isinstance(command, Pass) and summary_lines:
            return "In progress", summary_lines
        return "", ()

    @override
    def consequence(
        self,
        view: View,
        command: Command,
        options: Sequence[Any] = (),
        default: Command | None = None,
    ) -> Consequence:
        """Return warnings about a command: what it gives up (4.2, 8.4), or why it is probably a mistake."""
        assert isinstance(view, QmgView)
        match command:
            case Withdraw():
                title = self.label(view, command)
                return Consequence(
                    question=f"{title}? To return, it must be built or recruited again."
                )
            case Done():
                return end_of_step(view, options, default)
            case _:
                return Consequence(question=warning_question(self._index(view), _qmg(command)))

    @override
    def prompt(self, decision: Decision[Any]) -> str:
        """Return the prompt, with what the step costs.

        If a card demands a choice, such as a loss, add that Done does not end the step.
        """
        prompt = decision.prompt
        if any(isinstance(option, LosePoint) for option in decision.options):
            return "Play step: your hand and deck are empty, which costs 1 VP"
        if any(isinstance(option, DiscardTop) for option in decision.options):
            return "Play step: your hand is empty, so the top card of your deck is discarded"
        if decision.rule == _AIR_STEP_RULE:
            return f"{prompt} (costs an Air Power card; to marshal, any card)"
        is_set_up = decision.rule == _FIRST_HAND_RULE  # this prompt already states the number
        if is_set_up or any(isinstance(option, _TURN_CHOICES) for option in decision.options):
            return prompt
        end = "" if prompt.endswith("?") else "."
        return f"{prompt}{end} {_REQUIRED_TEXT}"

    @override
    def step_ends(self, view: View, options: Sequence[Any]) -> tuple[Any, ...]:
        """Return the options that end the step: Done or, in a response window, the pass."""
        passes = tuple(option for option in options if isinstance(option, Pass))
        return super().step_ends(view, options) or passes

    @override
    def scene(self, view: View, selection: Selection) -> AreaScene:
        return draw_scene(self._index(view), selection)

    @override
    def home(self, view: View) -> str:
        """Return the viewer's Home. For spectators, return the active country's Home."""
        assert isinstance(view, QmgView)
        return HOMES.get(view.role or view.active, HOMES["germany"])

    @override
    def focus(self, view: View) -> str:
        """Return the space of the current battle, removal or response window; empty if nothing is in progress."""
        assert isinstance(view, QmgView)
        if view.trigger is not None and view.trigger.space:
            return view.trigger.space
        spaces = [name for kind, name in view.chain if kind in ("battle", "removal")]
        return spaces[-1] if spaces else ""

    @override
    def hex_lines(self, view: View, hex_id: str) -> tuple[str, ...]:
        """Describe a space, which can be given by id, name or abbreviation."""
        space = hex_id if hex_id in SPACE else name_search.find_space(hex_id)
        if not space:
            return (f"There is no space '{hex_id}'.",)
        return page_texts.space_lines(self._index(view), space)

    @override
    def hex_rows(self, view: View, hex_id: str) -> tuple[Row, ...]:
        """Describe a space, with its pieces in their countries' colours."""
        return row_styles.space_rows(self._index(view), hex_id)

    @override
    def log_tone(self, view: View, text: str) -> TextRole:
        del view
        return row_styles.log_tone(text)

    @override
    def hand_lines(self, view: View) -> tuple[str, ...]:
        assert isinstance(view, QmgView)
        return page_texts.hand_lines(view)

    @override
    def pages(self, view: View) -> tuple[page_texts.Page, ...]:
        """Return the pages: tracks, cards on the table, legend, and other cards."""
        assert isinstance(view, QmgView)
        return (
            page_texts.tracks_page(view),
            page_texts.table_page(view),
            page_texts.legend_page(),
            page_texts.cards_page(view),
        )

    @override
    def goals(self, view: View) -> Goals:
        from tui.qmg.panels import goals

        return goals.goals(self._index(view))

    @override
    def roster(self, view: View) -> Roster:
        from tui.qmg.panels import roster

        return roster.roster(self._index(view))

    @override
    def calendar(self, view: View) -> tuple[Row, ...]:
        """Return rows for the turn order, the scoring and the remaining pieces."""
        from tui.qmg.panels import roster

        return roster.calendar(self._index(view))

    @override
    def place_named(self, view: View, word: str) -> str:
        """Return the space with the given id, name or abbreviation."""
        del view
        return word if word in SPACE else name_search.find_space(word)

    @override
    def playback_steps(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[PlaybackStep, ...]:
        """Return playback steps: cards, pieces, battles with their reactions, and points."""
        del view_before, view_after
        return playback_steps.playback_steps(seen_events)

    @override
    def playback_summary(
        self, seen_events: Sequence[SeenEvent], steps: tuple[PlaybackStep, ...], view_before: View
    ) -> tuple[PlaybackStep, ...]:
        """Return the playback as one step for each country's turn."""
        del steps
        assert isinstance(view_before, QmgView)
        return country_steps(seen_events, view_before)

    @override
    def news(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[News, ...]:
        assert isinstance(view_before, QmgView)
        assert isinstance(view_after, QmgView)
        return turn_recap.news(seen_events, view_before, view_after)

    @override
    def turn_report(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[str, ...]:
        del view_before
        assert isinstance(view_after, QmgView)
        return turn_recap.round_report(seen_events, view_after)

    @override
    def opens_turn(self, view: View) -> bool:
        assert isinstance(view, QmgView)
        return view.active in ("", view.role)

    @override
    def opens_turn_window(self, view: View) -> bool:
        """Return whether the open window is at the beginning of the viewer's own turn or Play step."""
        assert isinstance(view, QmgView)
        event = view.trigger
        return event is not None and event.by == view.role and event.kind in _TURN_WINDOWS

    @override
    def forecast(
        self, view: View, place: str, highlighted: Command | None
    ) -> tuple[ForecastPage, ...]:
        """Return a forecast of the highlighted option, followed by a loss forecast for each piece in a space."""
        from tui.qmg.orders import forecast

        return forecast.forecast_pages(
            self._index(view), place, None if highlighted is None else _qmg(highlighted)
        )

    @override
    def battle_boards(
        self, seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[OverlayPage, ...]:
        del view_before, view_after
        steps, current_battle = playback_steps.build_steps(seen_events)
        battles = [step.page for step in steps if isinstance(step.page, BattleBoard)]
        return (current_battle,) if current_battle is not None else tuple(battles[-1:])

    @override
    def battle_lines(self, view: View) -> tuple[str, ...]:
        return in_progress.play_chain_lines(self._index(view))

    @override
    def find(self, view: View, query: str) -> tuple[Found, ...]:
        del view
        return name_search.find(query)

    @override
    def candidates(self, view: View, decision: Decision[Any], hex_id: str) -> tuple[Any, ...]:
        index = self._index(view)
        samples = {type(option): option for option in decision.options}
        similar_words = [
            command
            for sample in samples.values()
            for command in _similar_commands(index, sample, hex_id)
        ]
        return tuple(dict.fromkeys(similar_words))

    @override
    def role_name(self, role: Role | None) -> str:
        if role is None:
            return "Spectator"
        return texts.FORCE_TITLES.get(role) or texts.TEAM_TITLES.get(role, role.title())

    @override
    def role_phrase(self, role: Role) -> str:
        team = texts.TEAM_TITLES.get(role)
        return say.force_name(role) if team is None else f"the {team}"


_TURN_CHOICES: Final = (Done, Drop, Pass, Play)
"""Commands that end a step, or that clearly begin one."""
_TURN_WINDOWS: Final = ("turn_begin", "play_step_begin")
_AIR_STEP_RULE: Final = "13.3"
_FIRST_HAND_RULE: Final = "3.1"
_REQUIRED_TEXT: Final = "You must choose; Done is not possible"


def _qmg(command: Command) -> QmgCommand:
    return cast("QmgCommand", command)


def _similar_commands(index: Index, sample: Any, space: str) -> Iterator[Any]:  # noqa: ANN401  (any command)
    """Yield copies of a command, changed to name a space.

    If the command has a target, yield a copy for each force with a piece in the space.
    """
    fields = sample.__struct_fields__
    if "space" not in fields or space not in SPACE:
        return
    command = replace(sample, space=space)
    if "target" not in fields:
        yield command
        return
    owners = dict.fromkeys(piece.force for piece in index.pieces(space))
    for owner in owners or (None,):
        yield replace(command, target=owner)


PRESENTER: Final = QmgPresenter
