"""A script can be stored as a game of the current rules, for the tests of older rules."""

from pathlib import Path

import pytest

from engine.registry import ruleset
from tests.golden_games import corpus

SCRIPT = Path(__file__).parents[1] / "scripts" / "qmg" / "cards" / "de_v_weapons.use.script"


def test_script_is_stored_under_its_rules_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "OLDER", tmp_path)
    path = corpus.keep_older(SCRIPT)
    version = ruleset("qmg").version
    assert path == tmp_path / f"qmg-rules-{version}.xz"
    header, records = corpus.unpacked(path.read_bytes())
    assert (header.game, header.rules_version) == ("qmg", version)
    tags = [event.tag for record in records for event in record.events]
    assert "card-played" in tags
