"""A hosting folder, like a folder of games, may have a name that is not valid text."""

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplay.host.host_command import HostRunner
from netplay.invites.invite import load_invite
from tests.netplay.tables import toy_plan, toy_rules
from tests.sizes import sampled
from tools.new_match import print_invites

LATIN_1 = os.fsdecode("Jérôme".encode("latin-1"))


@pytest.mark.parametrize("workers", sampled([2, 1], 1))
async def test_a_host_works_in_a_folder_with_a_non_utf8_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], workers: int
) -> None:
    folder = tmp_path / LATIN_1
    hosting = HostRunner(replace(toy_plan(folder), workers=workers), toy_rules)
    running = await hosting.start()
    try:
        assert (folder / f"{running.match}.fplog").exists()
        capsys.readouterr()
        print_invites(running, as_json=True)
        told = json.loads(capsys.readouterr().out)
        path = Path(told["invites"][0]["path"])
        assert path.is_relative_to(folder)
        assert load_invite(path).match == running.match
    finally:
        await hosting.stop()
