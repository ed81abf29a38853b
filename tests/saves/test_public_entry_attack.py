"""A seat changes public events in its copy of a finished match, which takes no key and no secret."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.chain import record_chain
from saves.decoding import canonical
from saves.logfile import log_bytes
from saves.records import Entry
from saves.verify import verify_file
from saves.verify_requirements import Requirements, apply_requirements
from tests.saves.play import finished
from tests.toy_game import BLUE, RED, TOY

change = msgspec.structs.replace
DEMANDS = Requirements(finished=True, strict=True)


def with_fields(entry: Entry, **fields: object) -> Entry:
    """Return an event with other fields and without its salt, as if the rules hid a part of it."""
    assert entry.body is not None
    plain: dict[str, object] = msgspec.msgpack.decode(entry.body)
    assert set(fields) <= set(plain), plain
    return change(entry, body=canonical({**plain, **fields}), salt=None)


@pytest.mark.parametrize("audience", [RED, BLUE, None])
def test_altered_winner_in_a_revealed_copy_is_false(tmp_path: Path, audience: Role | None) -> None:
    match, path = finished(seed=3), tmp_path / "copy.fplog"
    header, records = match.redacted_header(audience), list(match.redacted_records(audience))
    path.write_bytes(log_bytes(header, records))
    right = verify_file(path, TOY)
    assert right.outcome is not None
    last = max(record.seq for record in records if record.kind == "command")
    die, scored, ended = records[last].events
    events = (with_fields(die, face=9), with_fields(scored, role="blue", points=99), ended)
    chain = records[last].chain
    records[last] = change(records[last], events=events)
    assert record_chain(records[last]) == chain, "the chain does not show it"
    path.write_bytes(log_bytes(header, records))
    verdict = apply_requirements(verify_file(path, TOY), DEMANDS)
    assert verdict.status != "ok", (right.outcome, verdict.outcome, verdict.notes, verdict.gaps)


def test_altered_public_command_or_set_up_is_false(tmp_path: Path) -> None:
    match, path = finished(seed=3), tmp_path / "copy.fplog"
    header, records = match.redacted_header(None), list(match.redacted_records(None))
    number = next(
        record.seq for record in records if record.command is not None and record.command.salt
    )
    command, setup = records[number].command, records[0].events[0]
    assert command is not None
    public_command = change(records[number], command=change(command, salt=None))
    other_setup = change(records[0], events=(with_fields(setup, round=2), *records[0].events[1:]))
    for false in (public_command, other_setup):
        changed = [false if record.seq == false.seq else record for record in records]
        path.write_bytes(log_bytes(header, changed))
        verdict = verify_file(path, TOY)
        assert verdict.status == "false", verdict.notes
        assert verdict.finding is not None
        assert verdict.finding.record == false.seq
