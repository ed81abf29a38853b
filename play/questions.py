"""Arranges the open decision's options as a tree. An option keeps its position when it is ticked."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from engine.kernel.decision import Decision
from engine.kernel.ruleset import Command, View
from play.choices import Choice, OptionState, Tick
from play.draft import Draft
from play.session import Session
from play.texts import GameTexts

MAX_LINES: Final = 40
"""Maximum number of tickable lines in one list. If there are more, each place becomes a sublist."""


class Question(NamedTuple):
    """The open question as shown to the player."""

    decision: Decision[Any] | None
    lines: tuple[Choice, ...]
    key: tuple[object, ...]
    """Identifies the question. Ticking a line does not change it."""


_BOX_LEFT: Final = "▮"
_BOX_TICKED: Final = "▯"
_ENDING_VERBS: Final = ("done", "pass")
"""Verbs of commands that end a step. Lines for these commands also state whether the command commits the draft."""


class _TickedRun(NamedTuple):
    """The ticked options: the latest drafted commands that answer the current question."""

    preceding_count: int
    """Number of drafted commands before the first ticked command."""
    view: View
    """The view before the first ticked command, used to word the lines."""
    options: tuple[Any, ...]
    """The options before the first ticked command."""
    ticked_commands: tuple[Any, ...]


class _TickLines(NamedTuple):
    """The lines of a question that can be ticked."""

    main_lines: tuple[Choice, ...]
    """Lines of the main list."""
    sublists: tuple[Choice, ...]
    """Headings that open the sublists."""


def build_question(session: Session, texts: GameTexts, view: View) -> Question:
    """Return the question for the player. Ticked options are listed among the other options.

    Args:
        session: The game.
        texts: Texts of the game.
        view: The player's current view.
    """
    decision = session.decision()
    if decision is None:
        return Question(
            None, texts.arrange_options(view, (), session.free_actions()), (session.seq,)
        )
    ticked_run = _find_ticked_run(session.draft, texts, view, decision)
    single_options = [option for option in decision.options if texts.tick(view, option) is None]
    single_lines = texts.arrange_options(
        view, single_options, session.free_actions(), decision.default
    )
    ending_options = {option for option in single_options if _ends_step(texts, option)}
    ticks = _build_ticks(
        texts,
        view,
        decision.options,
        ticked_run,
        has_others=len(single_lines) > 1,
        has_answers=len(ending_options) < len(single_options),
    )
    has_costs = any(
        tick.is_cost
        for option in decision.options
        if (tick := texts.tick(view, option)) is not None
    )
    any_time_lines = tuple(line for line in single_lines if line.is_any_time)
    answer_lines = tuple(
        replace(line, cells=()) if any(ticks) else line
        for line in single_lines
        if not line.is_any_time
    )  # Columns are omitted, because a bare name below tickable lines would look tickable too.
    ordered_lines = (
        (*answer_lines, *ticks.main_lines, *ticks.sublists)
        if has_costs
        else _ordered_choices(texts, ticks, answer_lines)
    )
    lines = tuple(
        _with_consequence(session.draft, texts, view, line, decision)
        for line in (*ordered_lines, *any_time_lines)
    )
    if not has_costs:  # lines that give something up come last
        lines = tuple(sorted(lines, key=lambda line: (line.is_any_time, bool(line.loss))))
    # Ticking only adds commands after the first ticked one. The key therefore stays the same, and
    # the bar keeps its line.
    key = (session.seq, session.role, decision.rule, ticked_run.preceding_count)
    return Question(decision, lines, key)


def _ordered_choices(
    texts: GameTexts, ticks: _TickLines, answer_lines: Sequence[Choice]
) -> Iterator[Choice]:
    """Yield the ticked and tickable lines, the answers, the sublists, and finally the lines that end the step."""
    ending_lines = [
        line for line in answer_lines if not line.is_heading and _ends_step(texts, line.command)
    ]
    yield from ticks.main_lines
    yield from (line for line in answer_lines if line not in ending_lines)
    yield from ticks.sublists
    yield from ending_lines


def _find_ticked_run(
    draft: Draft, texts: GameTexts, view: View, decision: Decision[Any]
) -> _TickedRun:
    """Return the drafted commands that answer the current question. They are at the end of the draft."""
    drafted_commands = draft.commands
    first_ticked, initial_decision, current_stage = (
        len(drafted_commands),
        decision,
        texts.question_stage(view),
    )
    while first_ticked and texts.tick(view, drafted_commands[first_ticked - 1]) is not None:
        earlier_decision = draft.decision_before(first_ticked - 1)
        if earlier_decision is None or earlier_decision.rule != decision.rule:
            break
        if texts.question_stage(draft.view_before(first_ticked - 1)) != current_stage:
            break
        first_ticked, initial_decision = first_ticked - 1, earlier_decision
    ticked_commands = drafted_commands[first_ticked:]
    return _TickedRun(
        first_ticked,
        draft.view_before(first_ticked) if ticked_commands else view,
        tuple(initial_decision.options),
        ticked_commands,
    )


def _build_ticks(
    texts: GameTexts,
    view: View,
    options: Sequence[Any],
    ticked_run: _TickedRun,
    *,
    has_others: bool,
    has_answers: bool,
) -> _TickLines:
    """Return the lines that are ticked, tickable or no longer available.

    The lines keep the order in which their options were first offered.

    Args:
        texts: Texts of the game.
        view: The player's current view.
        options: The current options.
        ticked_run: The commands ticked so far, with the view and options before the first tick.
        has_others: True if other lines follow. In that case, the groups need names.
        has_answers: True if the question has answers apart from ending the step.
    """
    offered_commands, initial_options = set(options), set(ticked_run.options)
    ticked_counts = Counter(ticked_run.ticked_commands)
    initial_items = [(item, ticked_run.view) for item in ticked_run.options]
    added_items = [(item, view) for item in options if item not in initial_options]
    tickable_items: list[tuple[Command, View, Tick]] = []
    for option, option_view in (*initial_items, *added_items):
        tick = texts.tick(option_view, option)
        if tick is not None:
            tickable_items.append((option, option_view, tick))
    active_groups = {
        tick.group
        for option, _, tick in tickable_items
        if option in offered_commands or ticked_counts[option]
    }
    tickable_items = [
        item for item in tickable_items if item[2].group in active_groups
    ]  # Drop groups that no longer have options.
    tickable_items.sort(key=lambda item: item[2].rank)
    places = len({tick.place for _, _, tick in tickable_items})
    groups = _current_group_names(texts, view, options, tickable_items)
    lines: dict[str, list[Choice]] = {}
    for option, option_view, tick in tickable_items:
        line = Choice(
            # An earlier tick may have changed the effect of an open line, which may now start a new
            # mission, for example.
            texts.label(view if option in offered_commands else option_view, option),
            option,
            cells=texts.cells(option_view, option, has_place=places == 1),
            headings=(tick.place,),
            group=groups.get(tick.group, tick.group),
        )
        lines.setdefault(tick.sublist, []).extend(
            _with_ticks(line, tick, ticked_counts[option], is_offered=option in offered_commands)
        )
    names_groups = has_others or not all(tick.question_names_group for _, _, tick in tickable_items)
    main_lines = lines.pop("", [])
    if not main_lines and not has_answers:  # no headings, because there is nothing else to choose
        main_lines, lines = [line for sublist_lines in lines.values() for line in sublist_lines], {}
    sublists = (
        Choice(
            heading,
            None,
            tuple(_group_by_place(sublist_lines, names_groups=True)),
            len(sublist_lines),
        )
        for heading, sublist_lines in lines.items()
    )
    return _TickLines(
        tuple(_group_by_place(main_lines, names_groups=names_groups)), tuple(sublists)
    )


def _with_ticks(line: Choice, tick: Tick, ticks: int, *, is_offered: bool) -> Iterator[Choice]:
    """Yield a line with its state.

    If the option has boxes, all its ticks are on one line. Otherwise, each tick has a line of its own.
    """
    if not tick.boxes:
        states = [OptionState.OPEN] if is_offered else []
        states += [OptionState.TICKED] * ticks
        yield from (replace(line, state=state) for state in states or [OptionState.BARRED])
        return
    state = OptionState.OPEN if is_offered else OptionState.TICKED if ticks else OptionState.BARRED
    boxes = (_BOX_LEFT * (tick.boxes - ticks)).ljust(tick.boxes, _BOX_TICKED)
    cells = (*line.cells[:2], boxes, *line.cells[2:]) if line.cells else ()
    yield replace(line, title=f"{line.title} {boxes}", cells=cells, state=state, ticks=ticks)


def _current_group_names(
    texts: GameTexts,
    view: View,
    options: Sequence[Any],
    tickable_items: Sequence[tuple[Command, View, Tick]],
) -> dict[str, str]:
    """Return the current name of each group. Ticking may have changed a group's name."""
    offered_commands, groups = set(options), dict[str, str]()
    for option, _, tick in tickable_items:
        if option in offered_commands and tick.group not in groups:
            current_tick = texts.tick(view, option)
            groups[tick.group] = tick.group if current_tick is None else current_tick.group
    return groups


def _group_by_place(lines: Sequence[Choice], *, names_groups: bool) -> Iterator[Choice]:
    """Yield lines with their places' names as headings. If there are too many lines, use a sublist per group or place.

    Args:
        lines: All tickable lines.
        names_groups: True to show a group's name even if there is only one group.
    """
    groups: dict[str, list[Choice]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    is_long = len(lines) > MAX_LINES
    for group, group_lines in groups.items():
        if is_long and len(groups) > 1:
            yield Choice(group, None, tuple(_place_lines(group_lines, "")), len(group_lines))
        else:
            yield from _place_lines(group_lines, group if names_groups or len(groups) > 1 else "")


def _place_lines(lines: Sequence[Choice], group: str) -> Iterator[Choice]:
    places: dict[str, list[Choice]] = {}
    for line in lines:
        places.setdefault("".join(line.headings), []).append(line)
    for place, place_lines in places.items():
        if len(lines) > MAX_LINES and len(places) > 1:
            children = tuple(replace(line, headings=()) for line in place_lines)
            yield Choice(place or "Elsewhere", None, children, len(place_lines))
        else:
            headings = (group, place if len(places) > 1 else "")
            yield from (replace(line, headings=headings) for line in place_lines)


def _with_consequence(
    draft: Draft, texts: GameTexts, view: View, line: Choice, decision: Decision[Any]
) -> Choice:
    """Append a choice's cost or effect to its line."""
    if line.is_heading or line.group:
        return line
    if texts.has_outlook(line.command) and line.command in decision.options:
        preview = draft.preview(line.command)
        outlook = texts.outlook(preview[0], line.command, preview[1]) if preview else None
        if outlook is not None:
            brief, sentence = outlook
            cells = (*line.cells[:2], brief, *line.cells[2:]) if line.cells else ()
            return replace(line, title=f"{line.title}, {sentence}", cells=cells)
    loss = texts.consequence(view, line.command, decision.options, decision.default).loss
    title = f"{line.title}: {loss}" if loss else line.title
    if _ends_step(texts, line.command) and line.command in decision.options:
        title += " (commits)" if draft.commits_at_once(line.command) else ""
    if title == line.title:
        return line
    return replace(line, title=title, cells=(), loss=loss)


def _ends_step(texts: GameTexts, command: Command) -> bool:
    """Return whether a command ends the step."""
    return texts.ruleset.notation.verb(command) in _ENDING_VERBS


def undo_commands(
    session: Session, commands: Sequence[Command]
) -> tuple[tuple[Command, ...], tuple[Command, ...]]:
    """Take back ticked commands, wherever they are in the draft.

    Returns: The commands taken back, and the commands lost because they depended on them.
    """
    undone_commands: list[Command] = []
    lost_commands: list[Command] = []
    for command in commands:
        # If a command was given more than once, the latest one is taken back.
        drafted_commands = session.draft.commands
        if command in drafted_commands:
            lost_commands += session.undo_entry(
                len(drafted_commands) - 1 - drafted_commands[::-1].index(command)
            )
            undone_commands.append(command)
    return tuple(undone_commands), tuple(lost_commands)
