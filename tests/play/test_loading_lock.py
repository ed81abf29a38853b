"""Games are loaded one after the other, whichever thread loads them."""

import threading
from pathlib import Path

from engine.kernel.ids import Role
from play import games
from play.loading_lock import LOADING_LOCK
from play.save_summary import opening_summary


def test_opening_a_game_waits_for_another_to_load(tmp_path: Path) -> None:
    new = games.NewGame(game="qmg", scenario="base", bots={Role("uk"): "easy"})
    done: list[str] = []

    def read() -> None:
        opening_summary("qmg/base")
        done.append("read")

    other = threading.Thread(target=read)
    with LOADING_LOCK:
        other.start()
        games.create_game(new, tmp_path / "game.fplog").match.close()
        done.append("opened")
    other.join()
    assert done == ["opened", "read"], "and who holds the turn does not wait for himself"
