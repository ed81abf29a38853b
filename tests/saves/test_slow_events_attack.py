"""A seat's copy with a public event that nobody can have caused. No key and no secret is needed for it."""

import random
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from engine.eots.ruleset import EOTS
from saves.decoding import canonical
from saves.errors import CorruptLogError
from saves.logfile import log_bytes, parse_log
from saves.replay_check import check_replayable
from tests.saves.play import new_eots

change = msgspec.structs.replace
_SECONDS: Final = 5.0
_AIR_MOVE: Final = 77
"""Number of records, in this random game, before an air unit moves."""


def test_copy_with_a_huge_operations_value_opens_quickly(tmp_path: Path) -> None:
    """The list of saved games, the replay screen and ``resume`` compute the open decision of the copy's owner."""
    match, rng = new_eots(secret=bytes(32)), random.Random(5)
    while len(match.records) < _AIR_MOVE:
        role = EOTS.active_roles(match.state)[0]
        options = EOTS.decision_with_free_actions(match.state, role).options
        moves = [option for option in options if type(option).__name__ != "Pass"] or options
        match.submit(role, rng.choice(moves), match.seq)
    role = EOTS.active_roles(match.state)[0]
    records = list(match.redacted_records(role))
    for number, record in enumerate(records):
        events = tuple(
            change(
                event,
                body=canonical({**msgspec.msgpack.decode(event.body), "ov": 1_000_000}),
                salt=None,
            )
            if event.tag == "offensive-began" and event.body is not None
            else event
            for event in record.events
        )
        records[number] = change(record, events=events)
    path = tmp_path / "copy.fplog"
    path.write_bytes(log_bytes(match.redacted_header(role), records))
    log = parse_log(path.name, path.read_bytes())
    begun = time.process_time()
    with suppress(CorruptLogError):
        check_replayable(EOTS, path.name, log)
    assert time.process_time() - begun < _SECONDS, path.stat().st_size
