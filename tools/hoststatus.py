"""``flagplot host --status``: a running host in lines, or as it says itself."""

from pathlib import Path

import msgspec

from netplay.hoststatus import HostStatus, MatchStatus, SeatStatus, ask_status

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def status_text(folder: Path, *, as_json: bool) -> str:
    """Return the state of the host that runs in a folder.

    Raises:
        DataError: None runs there.
        NetworkError: It does not answer.
    """
    status = ask_status(folder)
    if as_json:
        return msgspec.json.encode(status).decode()
    return "\n".join(_lines(status))


def _lines(status: HostStatus) -> list[str]:
    lines = [f"host on port {status.port}, process {status.process}, {_many(len(status.matches))}"]
    for worker in status.workers:
        if worker.worker:
            again = f", started again {worker.died} times" if worker.died else ""
            running = f"process {worker.process}" if worker.process else "being started"
            held = _many(worker.matches)
            lines.append(f"worker {worker.worker}: {running}, {held}{again}")
    return lines + [line for match in status.matches for line in _match(match)]


def _many(count: int) -> str:
    return f"{count} match" if count == 1 else f"{count} matches"


def _match(match: MatchStatus) -> list[str]:
    where = f", worker {match.worker}" if match.worker else ""
    name = match.scenario or "own position"
    since = "" if match.age_seconds is None else f", the last {age(match.age_seconds)} ago"
    watched = f", {match.spectators} watching" if match.spectators else ""
    state = "" if match.state == "open" else f" {match.state}:"
    return [
        f"{match.match} {match.game}, {name}{where}",
        f"  {state} {match.heading}".replace("   ", "  "),
        f"  {match.records} records{since}{watched}",
        *(f"  {_seat(seat)}" for seat in match.seats),
    ]


def _seat(seat: SeatStatus) -> str:
    who = "bot" if seat.is_bot else seat.player
    here = "here" if seat.is_here else "away"
    return f"{seat.roles} ({who}): {here}{', to move' if seat.is_asked else ''}"


def age(seconds: int) -> str:
    """Return a time in its largest whole unit."""
    for unit, word in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= unit:
            return f"{seconds // unit} {word}"
    return f"{seconds} s"
