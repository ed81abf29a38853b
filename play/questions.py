"""Turns the open question into a list: options as a tree, with ticked and tickable options in their usual order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from engine.kernel.decision import Decision
from engine.kernel.ruleset import Command, View
from play.choices import Choice, OptionState, Tick
from play.session import Session
from play.texts import GameTexts

MAX_LINES: Final = 40
"""Maximum number of tickable lines in one list. If there are more, each place becomes a sublist."""


class Question(NamedTuple):
    """The open question as shown to the player."""

    decision: Decision[Any] | None
    lines: tuple[Choice, ...]
    key: tuple[object, ...]
    """Identifies the question; unchanged by ticking options."""


_ENDING_VERBS: Final = ("done", "pass")
"""Verbs that end a step. Lines with these verbs also show whether the command commits."""


class _TickedRun(NamedTuple):
    """The most recent drafted commands, all of which answer the current question."""

    first: int
    """Number of drafted commands that precede the first ticked one."""
    view: View
    """The view at that point, used so that the lines keep their wording."""
    options: tuple[Any, ...]
    """The options at that point."""
    ticked: tuple[Any, ...]


class _TickLines(NamedTuple):
    """Lines that can be ticked."""

    first: tuple[Choice, ...]
    """Lines of the main list."""
    sublists: tuple[Choice, ...]
    """Headings of the sublists."""


def build_question(session: Session, texts: GameTexts, view: View) -> Question:
    """Return the question for the player, with ticked options listed among the others.

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
    ticking = _find_ticking(session, texts, view, decision)
    alone = [one for one in decision.options if texts.tick(view, one) is None]
    rest = texts.arrange_options(view, alone, session.free_actions(), decision.default)
    ends = {one for one in alone if _ends_step(texts, one)}
    ticks = _build_ticks(
        texts,
        view,
        decision.options,
        ticking,
        has_others=len(rest) > 1,
        has_answers=len(ends) < len(alone),
    )
    costs = any(
        tick.is_cost for one in decision.options if (tick := texts.tick(view, one)) is not None
    )
    asides = tuple(line for line in rest if line.is_aside)
    answers = tuple(
        replace(line, cells=()) if any(ticks) else line for line in rest if not line.is_aside
    )  # without columns, because a bare name below tickable lines would look like one of them
    listed = (
        (*answers, *ticks.first, *ticks.sublists)
        if costs
        else _ordered_choices(texts, ticks, answers)
    )
    told = tuple(
        _with_consequence(session, texts, view, line, decision) for line in (*listed, *asides)
    )
    mark = (session.seq, session.role, decision.rule, ticking.first)
    return Question(decision, told, mark)


def _ordered_choices(
    texts: GameTexts, ticks: _TickLines, answers: Sequence[Choice]
) -> Iterator[Choice]:
    """Yield the ticked and tickable lines, then the answers, the sublists and, last, the lines that end the step."""
    ends = [line for line in answers if not line.is_heading and _ends_step(texts, line.command)]
    yield from ticks.first
    yield from (line for line in answers if line not in ends)
    yield from ticks.sublists
    yield from ends


def _find_ticking(
    session: Session, texts: GameTexts, view: View, decision: Decision[Any]
) -> _TickedRun:
    """Return the most recent drafted commands, going back as long as they answer the current question."""
    tries = session.drafted_commands
    first, start, stage = len(tries), decision, texts.question_stage(view)
    while first and texts.tick(view, tries[first - 1]) is not None:
        asked = session.decision_before(first - 1)
        if asked is None or asked.rule != decision.rule:
            break
        if texts.question_stage(session.view_before(first - 1)) != stage:
            break
        first, start = first - 1, asked
    ticked = tries[first:]
    return _TickedRun(
        first, session.view_before(first) if ticked else view, tuple(start.options), ticked
    )


def _build_ticks(
    texts: GameTexts,
    view: View,
    options: Sequence[Any],
    ticking: _TickedRun,
    *,
    has_others: bool,
    has_answers: bool,
) -> _TickLines:
    """Return the lines that are ticked, tickable or no longer available, in the order in which they were first offered.

    Args:
        texts: Texts of the game.
        view: The player's current view.
        options: The current options.
        ticking: The commands ticked so far, and the options before the first of them.
        has_others: True if other lines follow, so that the groups need names.
        has_answers: True if the question has answers besides ending the step.
    """
    offered, began_with = set(options), set(ticking.options)
    ticked = Counter(ticking.ticked)
    began = [(one, ticking.view) for one in ticking.options]
    later = [(one, view) for one in options if one not in began_with]
    found: list[tuple[Command, View, Tick]] = []
    for option, seen in (*began, *later):
        tick = texts.tick(seen, option)
        if tick is not None:
            found.append((option, seen, tick))
    live = {tick.group for option, _, tick in found if option in offered or ticked[option]}
    found = [
        one for one in found if one[2].group in live
    ]  # other groups have no available options now
    found.sort(key=lambda one: one[2].rank)
    places = len({tick.place for _, _, tick in found})
    groups = _present_groups(texts, view, options, found)
    lines: dict[str, list[Choice]] = {}
    for option, seen, tick in found:
        line = Choice(
            texts.label(seen, option),
            option,
            cells=texts.cells(seen, option, has_place=places == 1),
            headings=(tick.place,),
            group=groups.get(tick.group, tick.group),
        )
        standings = [OptionState.OPEN] if option in offered else []
        standings += [OptionState.TICKED] * ticked[option]
        own = lines.setdefault(tick.sublist, [])
        own += [replace(line, state=one) for one in standings or [OptionState.BARRED]]
    names_groups = has_others or not all(tick.question_names_group for _, _, tick in found)
    first = lines.pop("", [])
    if not first and not has_answers:  # no heading: there is nothing else to choose
        first, lines = [line for own in lines.values() for line in own], {}
    below = (
        Choice(under, None, tuple(_grouped_by_place(own, names_groups=True)), len(own))
        for under, own in lines.items()
    )
    return _TickLines(tuple(_grouped_by_place(first, names_groups=names_groups)), tuple(below))


def _present_groups(
    texts: GameTexts,
    view: View,
    options: Sequence[Any],
    found: Sequence[tuple[Command, View, Tick]],
) -> dict[str, str]:
    """Return the current name of each group. Ticking may have changed it."""
    offered, groups = set(options), dict[str, str]()
    for option, _, tick in found:
        if option in offered and tick.group not in groups:
            now = texts.tick(view, option)
            groups[tick.group] = tick.group if now is None else now.group
    return groups


def _grouped_by_place(lines: Sequence[Choice], *, names_groups: bool) -> Iterator[Choice]:
    """Yield lines under their places' names. If there are very many, put each group and place in a sublist.

    Args:
        lines: All tickable lines.
        names_groups: True to name even a single group, because other lines follow.
    """
    groups: dict[str, list[Choice]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    is_long = len(lines) > MAX_LINES
    for group, own in groups.items():
        if is_long and len(groups) > 1:
            yield Choice(group, None, tuple(_place_lines(own, "")), len(own))
        else:
            yield from _place_lines(own, group if names_groups or len(groups) > 1 else "")


def _place_lines(lines: Sequence[Choice], group: str) -> Iterator[Choice]:
    places: dict[str, list[Choice]] = {}
    for line in lines:
        places.setdefault("".join(line.headings), []).append(line)
    for place, own in places.items():
        if len(lines) > MAX_LINES and len(places) > 1:
            below = tuple(replace(one, headings=()) for one in own)
            yield Choice(place or "Elsewhere", None, below, len(own))
        else:
            over = (group, place if len(places) > 1 else "")
            yield from (replace(line, headings=over) for line in own)


def _with_consequence(
    session: Session, texts: GameTexts, view: View, line: Choice, decision: Decision[Any]
) -> Choice:
    """Append the cost or the consequences of a choice to its line."""
    if line.is_heading or line.group:
        return line
    if texts.has_outlook(line.command) and line.command in decision.options:
        following = session.preview(line.command)
        seen = texts.outlook(following[0], line.command, following[1]) if following else None
        if seen is not None:
            short, words = seen
            cells = (*line.cells[:2], short, *line.cells[2:]) if line.cells else ()
            return replace(line, title=f"{line.title}, {words}", cells=cells)
    loss = texts.loss(view, line.command, decision.options)
    told = f"{line.title}: {loss}" if loss else line.title
    if _ends_step(texts, line.command) and line.command in decision.options:
        told += " (commits)" if session.commits_at_once(line.command) else ""
    if told == line.title:
        return line
    return replace(line, title=told, cells=(), loss=loss)


def _ends_step(texts: GameTexts, command: Command) -> bool:
    """Return whether a command ends the step."""
    return texts.ruleset.notation.verb(command) in _ENDING_VERBS


def undo_commands(
    session: Session, commands: Sequence[Command]
) -> tuple[tuple[Command, ...], tuple[Command, ...]]:
    """Take back ticked commands, wherever they are in the draft.

    Returns:
        The commands taken back, and those lost because they depended on them.
    """
    undone: list[Command] = []
    lost: list[Command] = []
    for command in commands:
        # if a command was given more than once, take back the latest
        tries = session.drafted_commands
        if command in tries:
            lost += session.undo_entry(len(tries) - 1 - tries[::-1].index(command))
            undone.append(command)
    return tuple(undone), tuple(lost)
