"""Programs that tests start on a pseudo terminal."""

MENU = """
from tui.app.launch import launch
raise SystemExit(launch())
"""

STILL = """
from tui.app.launch import launch

def first():
    from tests.tui.eots.still import StillSession, still_view
    from tui.eots.presenter import EotsPresenter
    from tui.screens.match.play import PlayScreen
    session = StillSession(still_view())
    return PlayScreen(session, EotsPresenter(session.ruleset))

raise SystemExit(launch(first))
"""

TOY = """
import sys
from pathlib import Path
from tui.app.launch import launch

def first():
    from saves.logfile import LogWriter
    from tests.toy_game import BLUE, TOY
    from tests.play.tables import toy_session
    from tui.presenter.presenter import Presenter
    from tui.panels.status_segments import status_segment
    from tui.screens.match.play import PlayScreen
    log = LogWriter.create(Path.home() / "toy.fplog")
    return PlayScreen(toy_session(BLUE, log=log, scenario="middle"), Presenter(TOY))

raise SystemExit(launch(first))
"""

HOSTILE = """
from tui.app.launch import launch

def first():
    from tests.toy_game import BLUE, TOY
    from tests.tui.hostile import TEXTS
    from tests.play.tables import First, toy_match
    from play.local_session import LocalSession
    from tui.presenter.presenter import Presenter
    from tui.panels.status_segments import CardFace, Steps, status_segment
    from tui.drawing.colour_roles import TextRole
    from tui.screens.forms.form import Field, FormDialog
    from tui.screens.reference.page import PageScreen
    from tui.screens.match.play import PlayScreen
    from tui.screens.dialogs.prompt import ChoiceDialog, ConfirmDialog, LineDialog, TextDialog
    from play.log_lines import LogLine

    texts = list(TEXTS.values())
    everything = chr(10).join(texts)

    class Foreign(Presenter):
        def status_segments(self, view, heading, status):
            return (status_segment(texts[self.turn]),)
        def label(self, view, command):
            return texts[self.turn]
        has_hand = True
        def steps(self, view):
            return Steps(texts[self.turn], tuple(texts[:9]), 4)
        def cards(self, view):
            return tuple(
                CardFace(id=text, left=text, right=text, title=text, kind=text, text=everything)
                for text in (texts[self.turn], *texts)
            )
        def hex_rows(self, view, hex_id):
            return tuple(((text, TextRole.HEAD), (text, TextRole.DIM)) for text in texts)
        def hand_lines(self, view):
            return tuple(texts)
        def hex_lines(self, view, hex_id):
            return tuple(texts)
        turn = 0

    class Table(LocalSession):
        def log(self, after=-1):
            for text in texts:
                yield LogLine(0, text)

    class Screen(PlayScreen):
        BINDINGS = [("k", "next_text", "Next"), ("j", "boxes", "Boxes")]
        def action_next_text(self):
            self.presenter.turn = (self.presenter.turn + 1) % len(texts)
            self.show_message(texts[self.presenter.turn])
            self.show_question()
            self.warn(texts[self.presenter.turn], everything)
        def action_boxes(self):
            text = texts[self.presenter.turn]
            for dialog in (
                TextDialog(text, everything),
                ChoiceDialog(text, [("x", one) for one in texts]),
                ConfirmDialog(text),
                LineDialog(text, text),
                FormDialog(text, (Field(id="a", label="Name", value=text),), text),
                PageScreen(text, texts, self.palette),
            ):
                self.app.push_screen(dialog)

    match = toy_match(red="safe")
    return Screen(Table(match, {BLUE: First()}), Foreign(TOY))

raise SystemExit(launch(first))
"""

HOSTILE_FILES = """
from pathlib import Path
from tui.app.launch import launch

folder = Path.home() / "games"

def first():
    import os
    from saves.logfile import LogWriter
    from tests.tui.hostile import TEXTS
    from tests.play.tables import toy_match
    from netplay.host.lobby import LobbyMatch, LobbySeat
    from tui.screens.lobby.hosted_matches import HostedMatchesScreen
    from tui.screens.lobby.saves import SavesScreen

    folder.mkdir()
    for number, text in enumerate(TEXTS.values()):
        name = os.fsencode(text.encode("utf-8", "replace").decode().replace("/", "").replace(chr(0), ""))[:100]
        path = os.path.join(os.fsencode(folder), b"%d-" % number + name + b".fplog")
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        if number % 4 == 0:
            good = LogWriter.create(folder / f"good{number}.fplog")
            toy_match(good, red=text.encode("utf-8", "replace").decode()[:60]).close()

    class Saves(SavesScreen):
        BINDINGS = [("k", "hosted", "Hosted")]
        def action_hosted(self):
            self.app.push_screen(HostedMatchesScreen(Foreign()))

    class Foreign:
        addresses = tuple(TEXTS.values())[:4]
        notes = tuple(TEXTS.values())[:4]
        async def lobby(self):
            return tuple(
                LobbyMatch(
                    match=text, game="eots", scenario=text, heading=text, records=1, spectators=1, is_over=False,
                    seats=(
                        LobbySeat(
                            party=(text,), player=text, is_connected=True, is_asked=False,
                            invite=text.replace(chr(0), "")
                        ),
                    ),
                )
                for text in TEXTS.values()
            )

    return Saves(folder, replay=False)

raise SystemExit(launch(first))
"""

EOTS = """
import os
import random
from pathlib import Path
from tui.app.launch import launch

def first():
    from engine.bots.random_player import RandomPlayer
    from engine.eots.ruleset import EOTS
    from engine.kernel.dice import DerivedDice
    from engine.kernel.ids import Role
    from saves.logfile import LogWriter
    from saves.match import Match
    from tui.eots.presenter import EotsPresenter
    from play.local_session import LocalSession
    from tui.screens.match.play import PlayScreen

    acknowledged = os.open(Path.home() / "acknowledged", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    append = LogWriter.append

    def telling(log, record):
        append(log, record)
        os.write(acknowledged, (record.chain.hex() + chr(10)).encode())

    LogWriter.append = telling
    secret, path = bytes(range(32)), Path.home() / "game.fplog"
    if path.exists():
        match = Match.resume(path)
    else:
        log = LogWriter.create(path)
        match = Match.create(EOTS, EOTS.position("1943", {}), "1943", {}, (), secret, log)
    bots = {Role("japan"): RandomPlayer(DerivedDice(secret, 1 << 20))}
    return PlayScreen(LocalSession(match, bots), EotsPresenter(EOTS))

raise SystemExit(launch(first))
"""

PLAY = """
from tools.cli import main
main(["play", "qmg", "--scenario", "base", "--hotseat"])
"""

RESUME = """
from saves.folders import games_folder
from tools.cli import main
record = next(games_folder().glob("*.fplog"))
main(["play", "qmg", "--hotseat", "--save", str(record)])
"""
