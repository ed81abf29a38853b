"""``flagplot host status``: the status of a running host as text or as JSON."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine import registry
from engine.kernel.errors import DataError
from engine.kernel.sentences import count_noun, pluralise
from netplay.host.status_server import HostStatus, MatchStatus, SeatStatus, ask_status
from netplay.system.disk_state import DISK_PROBLEMS
from saves.clocks import format_remaining
from saves.modes import TITLES

_OVER = "over"
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def status_text(folder: Path, *, as_json: bool) -> str:
    """Return the status of the host running in a folder.

    Raises:
        DataError: No host is running there.
        NetworkError: The host does not respond.
    """
    status = ask_status(folder)
    if as_json:
        return msgspec.json.encode(status).decode()
    return "\n".join(status_lines(status))


def status_lines(status: HostStatus) -> list[str]:
    """Format a host's status. Finished matches are listed last, one per line."""
    lines = [
        f"host on port {status.port}, process {status.process}, {_match_count(len(status.matches))}"
    ]
    if status.disk:
        words = DISK_PROBLEMS[status.disk]
        lines.append(f"{words}: matches can be watched, but no commands are accepted")
    for worker in status.workers:
        if worker.worker:
            restart_text = f", restarted {count_noun(worker.died, 'time')}" if worker.died else ""
            process_text = f"process {worker.process}" if worker.process else "starting"
            matches_text = _match_count(worker.matches)
            lines.append(f"worker {worker.worker}: {process_text}, {matches_text}{restart_text}")
    finished = [match for match in status.matches if match.state == _OVER]
    running_matches = [match for match in status.matches if match.state != _OVER]
    return (
        lines
        + [line for match in running_matches for line in _match_lines(match)]
        + list(map(_finished_line, finished))
    )


def _match_count(count: int) -> str:
    return pluralise(count, "match", "matches")


def _match_lines(match: MatchStatus) -> list[str]:
    worker_text = f", worker {match.worker}" if match.worker else ""
    title, titles = _titles(match.game)
    name = match.scenario or "own position"
    age_text = (
        "" if match.age_seconds is None else f", the last one {format_age(match.age_seconds)} ago"
    )
    spectator_text = f", {match.spectators} watching" if match.spectators else ""
    state = "" if match.state in {"open", "waiting"} else f"{match.state}: "
    return [
        f"{match.match} {title}, {name}, mode {TITLES[match.chance]}{worker_text}",
        f"  {state}{match.heading}",
        f"  {count_noun(match.records, 'record')}{age_text}{spectator_text}",
        *(f"  {_seat_line(seat, titles)}" for seat in match.seats),
    ]


def _finished_line(match: MatchStatus) -> str:
    title, _ = _titles(match.game)
    age_text = "" if match.age_seconds is None else f", {format_age(match.age_seconds)} ago"
    spectator_text = f", {match.spectators} watching" if match.spectators else ""
    name = match.scenario or "own position"
    return f"{match.match} {title}, {name}: over: {match.heading}{age_text}{spectator_text}"


def _titles(game: str) -> tuple[str, Mapping[str, str]]:
    """Return the titles of a game and its roles. For an unknown game, return the game's id and no role titles."""
    try:
        rules = registry.ruleset(game)
    except DataError:
        return game, {}
    return rules.title, rules.role_titles


def _seat_line(seat: SeatStatus, titles: Mapping[str, str]) -> str:
    roles = ", ".join(titles.get(role, role) for role in seat.roles.split("+"))
    player_text = "bot" if seat.is_bot else seat.player
    presence_text = "here" if seat.is_here else "away"
    turn_text = ", to move" if seat.is_asked else ""
    clock_text = "".join(f", {format_remaining(dial.left_ms)} left" for dial in seat.dials)
    return f"{roles} ({player_text}): {presence_text}{turn_text}{clock_text}"


def format_age(seconds: int) -> str:
    """Format a duration in its largest whole unit."""
    for unit, word in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= unit:
            return f"{seconds // unit} {word}"
    return f"{seconds} s"
