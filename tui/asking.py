"""The open question as a list: options as a tree, and where several are ticked, all of them in their place."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from engine.kernel.decision import Decision
from engine.kernel.ruleset import Command, View
from play.choices import Choice, Standing
from play.session import Session
from tui.fuzzy import nearness
from tui.presenter import Presenter, Tick

LONG: Final = 40
"""So many lines that are ticked stand in one list; of more, each place is a list of its own."""


class Question(NamedTuple):
    """What is asked, as it is shown."""

    decision: Decision[Any] | None
    lines: tuple[Choice, ...]
    mark: tuple[object, ...]
    """Stays the same while options are ticked, and changes with the question."""


_ENDS: Final = ("done", "pass")
"""Verbs that end a step: of these the line says whether there is a way back."""


class _Ticking(NamedTuple):
    """Several of a kind are chosen one after the other."""

    first: int
    """Tries before the first that is ticked."""
    view: View
    """What the player saw then, so that the lines keep their words."""
    options: tuple[Any, ...]
    """What was offered then."""
    ticked: tuple[Any, ...]


class _Ticks(NamedTuple):
    """What may be ticked."""

    first: tuple[Choice, ...]
    """In the first list."""
    below: tuple[Choice, ...]
    """Headings of lists of their own."""


def question_of(session: Session, presenter: Presenter, view: View) -> Question:
    """Return the question to the seat, with what was ticked in its place.

    Args:
        session: The game.
        presenter: Its words.
        view: What the seat sees now.
    """
    decision = session.decision()
    if decision is None:
        return Question(None, presenter.offers(view, (), session.any_time()), (session.seq,))
    ticking = _ticking(session, presenter, view, decision)
    alone = [one for one in decision.options if presenter.tick(view, one) is None]
    rest = presenter.offers(view, alone, session.any_time(), decision.default)
    ends = {one for one in alone if _ends(presenter, one)}
    ticks = _ticks(
        presenter,
        view,
        decision.options,
        ticking,
        has_others=len(rest) > 1,
        has_answers=len(ends) < len(alone),
    )
    costs = any(
        tick.is_cost for one in decision.options if (tick := presenter.tick(view, one)) is not None
    )
    asides = tuple(line for line in rest if line.is_aside)
    answers = tuple(
        replace(line, cells=()) if any(ticks) else line for line in rest if not line.is_aside
    )  # below lines that are ticked, a bare name would look like one of them
    if costs:
        lines = (*answers, *ticks.first, *ticks.below, *asides)
    else:
        lines = (*_ordered(presenter, ticks, answers), *asides)
    told = tuple(_told(session, presenter, view, line, decision) for line in lines)
    mark = (session.seq, session.role, decision.rule, ticking.first)
    return Question(decision, told, mark)


def _ordered(presenter: Presenter, ticks: _Ticks, answers: Sequence[Choice]) -> Iterator[Choice]:
    """Yield what is ticked, the answers, lists of their own, and at last what ends the step."""
    ends = [line for line in answers if not line.is_heading and _ends(presenter, line.command)]
    yield from ticks.first
    yield from (line for line in answers if line not in ends)
    yield from ticks.below
    yield from ends


def _ticking(
    session: Session, presenter: Presenter, view: View, decision: Decision[Any]
) -> _Ticking:
    """Return where the last tries that answer this same question began."""
    tries = session.drafted
    first, start, stage = len(tries), decision, presenter.stage(view)
    while first and presenter.tick(view, tries[first - 1]) is not None:
        asked = session.asked_before(first - 1)
        if asked is None or asked.rule != decision.rule:
            break
        if presenter.stage(session.view_before(first - 1)) != stage:
            break
        first, start = first - 1, asked
    ticked = tries[first:]
    return _Ticking(
        first, session.view_before(first) if ticked else view, tuple(start.options), ticked
    )


def _ticks(
    presenter: Presenter,
    view: View,
    options: Sequence[Any],
    ticking: _Ticking,
    *,
    has_others: bool,
    has_answers: bool,
) -> _Ticks:
    """Return the lines that are ticked, and those that may be or might have been, in the order of the first list.

    Args:
        presenter: The words of the game.
        view: What the seat sees now.
        options: What is offered now.
        ticking: What was offered when the first line was ticked.
        has_others: Other lines follow, so that the groups are named.
        has_answers: The question has other answers than its end.
    """
    offered, began_with = set(options), set(ticking.options)
    ticked = Counter(ticking.ticked)
    began = [(one, ticking.view) for one in ticking.options]
    later = [(one, view) for one in options if one not in began_with]
    found: list[tuple[Command, View, Tick]] = []
    for option, seen in (*began, *later):
        tick = presenter.tick(seen, option)
        if tick is not None:
            found.append((option, seen, tick))
    live = {tick.group for option, _, tick in found if option in offered or ticked[option]}
    found = [one for one in found if one[2].group in live]  # of the others nothing can be taken
    found.sort(key=lambda one: one[2].rank)
    places = len({tick.place for _, _, tick in found})
    groups = _present_groups(presenter, view, options, found)
    lines: dict[str, list[Choice]] = {}
    for option, seen, tick in found:
        line = Choice(
            presenter.label(seen, option),
            option,
            cells=presenter.cells(seen, option, has_place=places == 1),
            over=(tick.place,),
            group=groups.get(tick.group, tick.group),
        )
        standings = [Standing.OPEN] if option in offered else []
        standings += [Standing.TICKED] * ticked[option]
        own = lines.setdefault(tick.under, [])
        own += [replace(line, standing=one) for one in standings or [Standing.BARRED]]
    is_told = has_others or not all(tick.is_asked for _, _, tick in found)
    first = lines.pop("", [])
    if not first and not has_answers:  # nothing else is chosen: no key is spent on a heading
        first, lines = [line for own in lines.values() for line in own], {}
    below = (
        Choice(under, None, tuple(_by_place(own, is_told=True)), len(own))
        for under, own in lines.items()
    )
    return _Ticks(tuple(_by_place(first, is_told=is_told)), tuple(below))


def _present_groups(
    presenter: Presenter,
    view: View,
    options: Sequence[Any],
    found: Sequence[tuple[Command, View, Tick]],
) -> dict[str, str]:
    """Return the words of each group of lines as they are now: what is ticked may have changed them."""
    offered, groups = set(options), dict[str, str]()
    for option, _, tick in found:
        if option in offered and tick.group not in groups:
            now = presenter.tick(view, option)
            groups[tick.group] = tick.group if now is None else now.group
    return groups


def _by_place(lines: Sequence[Choice], *, is_told: bool) -> Iterator[Choice]:
    """Yield lines with their places over them; of very many, each group and each place is a list of its own.

    Args:
        lines: All that may be ticked.
        is_told: Even a single group is named, since other lines follow.
    """
    groups: dict[str, list[Choice]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    is_long = len(lines) > LONG
    for group, own in groups.items():
        if is_long and len(groups) > 1:
            yield Choice(group, None, tuple(_places(own, "")), len(own))
        else:
            yield from _places(own, group if is_told or len(groups) > 1 else "")


def _places(lines: Sequence[Choice], group: str) -> Iterator[Choice]:
    places: dict[str, list[Choice]] = {}
    for line in lines:
        places.setdefault("".join(line.over), []).append(line)
    for place, own in places.items():
        if len(lines) > LONG and len(places) > 1:
            below = tuple(replace(one, over=()) for one in own)
            yield Choice(place or "Elsewhere", None, below, len(own))
        else:
            over = (group, place if len(places) > 1 else "")
            yield from (replace(line, over=over) for line in own)


def _told(
    session: Session, presenter: Presenter, view: View, line: Choice, decision: Decision[Any]
) -> Choice:
    """Return a line with what it would give up, or with what follows it."""
    if line.is_heading or line.group:
        return line
    if presenter.looks_ahead(line.command) and line.command in decision.options:
        following = session.after(line.command)
        seen = presenter.outlook(following[0], line.command, following[1]) if following else None
        if seen is not None:
            short, words = seen
            cells = (*line.cells[:2], short, *line.cells[2:]) if line.cells else ()
            return replace(line, title=f"{line.title}, {words}", cells=cells)
    loss = presenter.loss(view, line.command, decision.options)
    told = f"{line.title}: {loss}" if loss else line.title
    if _ends(presenter, line.command) and line.command in decision.options:
        told += " (commits)" if session.is_final(line.command) else ""
    if told == line.title:
        return line
    return replace(line, title=told, cells=(), loss=loss)


def _ends(presenter: Presenter, command: Command) -> bool:
    """Return whether a command ends the step."""
    return presenter.ruleset.notation.verb(command) in _ENDS


def forget(
    session: Session, commands: Sequence[Command]
) -> tuple[tuple[Command, ...], tuple[Command, ...]]:
    """Take back what is ticked, wherever it stands among the tries.

    Returns:
        What was taken back, and what was lost with it because it is not possible without.
    """
    undone: list[Command] = []
    lost: list[Command] = []
    for command in commands:
        tries = session.drafted
        if command in tries:
            lost += session.forget(len(tries) - 1 - tries[::-1].index(command))
            undone.append(command)
    return tuple(undone), tuple(lost)


def found_in(lines: Sequence[Choice], words: str) -> tuple[Choice, ...]:
    """Return every option at and below the lines that fits typed words, the best first.

    ``xi c`` finds XI Corps: each word begins a word of the line, or is part of it.
    """
    wanted = words.lower().split()
    hits = []
    for place, line in enumerate(_flattened(lines)):
        score = nearness(_sought(line), wanted)
        if score is not None:
            hits.append((score, place, line))
    return tuple(line for _, _, line in sorted(hits, key=lambda hit: hit[:2]))


def _sought(line: Choice) -> str:
    """Return the words of a line among which typed ones are sought; what all lines say is none of them."""
    return f"{' '.join(line.cells) or line.title} {' '.join(line.over)}".lower()


def _flattened(lines: Sequence[Choice], way: str = "") -> Iterator[Choice]:
    for line in lines:
        if line.is_heading:
            yield from _flattened(line.below, line.title)
        elif way:
            yield replace(line, title=f"{line.title}, {way}", cells=())
        else:
            yield line
