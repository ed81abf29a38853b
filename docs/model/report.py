"""Formats search results as text: the counts, and a readable trace of a violation."""

from collections.abc import Iterator
from typing import Final

from docs.model.honest import State
from docs.model.messages import Msg
from docs.model.properties import NAMES
from docs.model.search import Found
from docs.model.step import Step

_ACTIONS: Final = {
    "deliver": "host adds to the copy of {seat}: {message}",
    "deliver unsigned": "host adds to the copy of {seat}, without its order signature: {message}",
    "choose": "the player of {seat} chooses: {message}",
    "demand": "host requests without a command: {message}",
    "acknowledge": "host shows {seat} all acknowledgements of the end",
    "ack_wait": "{seat} has waited long enough for acknowledgements",
    "restart": "the program of {seat} is killed and started again",
    "restore": "the program of {seat} starts with its files restored to index {number}",
    "false answer": "an attacker answers `resume` of {seat} with a transcript that does not exist",
    "answers of attackers": "the attackers' answers to `resume` of {seat} contain nothing newer",
    "answers of all": "all seats answer `resume` of {seat}",
}


def summary(found: Found) -> str:
    """Return a search's counts as one line of text."""
    return (
        f"{found.states:,} states, {found.transitions:,} transitions, depth {found.depth}, "
        f"{found.transcripts:,} transcripts, {found.messages:,} messages of the attacker"
    )


def trace(found: Found) -> str:
    """Return the violation and the shortest path to it, with the messages that honest seats send at each step."""
    if found.violation is None:
        return "no violation"
    name = found.violation.property
    lines = [f"{name} ({NAMES[name]}) fails: {found.violation.text}"]
    before: State = ()
    for number, (step, state) in enumerate(found.trace):
        if number:
            lines.append(f"{number:3}. {_action(step)}")
            lines += [f"       {line}" for line in _sent(before, state)]
        before = state
    return "\n".join(lines)


def _action(step: Step) -> str:
    message = describe(step.message) if step.message is not None else ""
    return _ACTIONS[step.action].format(seat=step.seat, message=message, number=step.number)


def _sent(before: State, after: State) -> Iterator[str]:
    for old, new in zip(before, after, strict=True):
        for m in sorted(new.sent - old.sent, key=lambda m: (m.at, m.kind, m.labels)):
            yield f"{new.name} sends {describe(m, is_author_named=False)}"


def describe(m: Msg, *, is_author_named: bool = True) -> str:
    """Return a message as text, with the index and node of its anchor."""
    parts = [m.kind]
    if m.kind == "reveal":
        parts.append(f"{m.n} ({m.what})")
    elif m.what:
        parts.append(m.what)
    if m.kind == "offer":
        parts.append(f"takeback to record {m.n}")
    if m.kind == "request" and m.n:
        parts.append("with chance")
    if m.labels:
        parts.append(f"labels {', '.join(map(str, m.labels))}")
    if is_author_named:
        parts.append(f"by {m.author}")
    return f"{' '.join(parts)} [anchor {m.at}, T{m.after}]"
