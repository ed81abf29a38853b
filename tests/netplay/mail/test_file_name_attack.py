"""A host names a scenario like a path: no move file of a seat is written outside of the folder for move files."""

from pathlib import Path

import msgspec

from netplay.mail.mail_store import write_seat_files
from netplay.mail.session import save_files
from saves.chain import first_chain, record_chain
from saves.logfile import log_bytes, read_log
from tests.netplay.mail.post import Post
from tests.toy_game import BLUE, RED

change = msgspec.structs.replace


async def test_scenario_path_does_not_lead_outside_the_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    post = Post(tmp_path / "post", "toy", "short", {RED: "Ann", BLUE: "Bob"}, BLUE)
    path = post.hosted / f"{post.match}.fplog"
    log = read_log(path)
    header = change(log.header, scenario=str(outside / "file"))
    prev, records = first_chain(header), []
    for record in log.records:
        linked = change(record, prev=prev)
        records.append(change(linked, chain=record_chain(linked)))
        prev = records[-1].chain
    path.write_bytes(log_bytes(header, records))
    await post.to_seat(RED, await post.from_judge(RED))
    async with post.seat(RED) as peer:
        save_files(tmp_path / "mail", await write_seat_files((peer,), ""))
    assert not list(outside.iterdir())
