"""The wheel's modules name each other by their places in it, and nothing else in them has changed."""

from pathlib import PurePosixPath

import pytest

from tests.tui.terminals import ROOT
from tools.dev.wheel_layout import ModuleLayout, UnmappedNameError, rewrite, wheel_files

LAYOUT = ModuleLayout(
    {"engine", "engine.x", "engine.x.y", "tools", "tools.cli", "play", "play.worker"},
    {"tools.dev", "tools.check"},
)
PLACE = PurePosixPath("tools/example.py")


def rewritten(source: str, path: str = "tools/example.py") -> str:
    return rewrite(source, PurePosixPath(path), LAYOUT)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import engine.x as y", "import flagplot.engine.x as y"),
        ("import tools, os", "import flagplot.tools as tools, os"),
        ("from engine import x", "from flagplot.engine import x"),
        ("from  engine.x import (  # engine.x\n    y,\n    z,\n)", None),
        ("from engine.x import y; from tools import cli", None),
        ("if TYPE_CHECKING:\n    from engine.x.y import Z", None),
        ("try: from engine import x\nexcept ImportError: pass", None),
        ("def é(): 'ü'; from engine import x", None),
        ("'ü'; a = 'ü', 'engine.x', 'ü'", "'ü'; a = 'ü', 'flagplot.engine.x', 'ü'"),
        ('a = r"""engine.x:Y"""', 'a = r"""flagplot.engine.x:Y"""'),
        ("run('-P', '-m', 'play.worker')", "run('-P', '-m', 'flagplot.play.worker')"),
        ("a = sys.modules['engine.x']", "a = sys.modules['flagplot.engine.x']"),
        ("a = '\\x0c'; b = '\u2028'\nfrom engine import x", None),
        ("a = 1\x0c\nfrom engine import x", None),
    ],
)
def test_imports_are_rewritten_to_their_place_in_the_wheel(
    source: str, expected: str | None
) -> None:
    if expected is None:
        expected = source.replace("from  engine", "from  flagplot.engine")
        expected = expected.replace("from engine", "from flagplot.engine")
        expected = expected.replace("from tools", "from flagplot.tools")
    assert rewritten(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "from . import y\nfrom .y import a\nfrom ..x import y\nfrom .. import x",
        "import engineering, os.path\nfrom toolsmith import cli\nfrom flagplot import tools",
        '"""Reads engine.x, and ``tools.cli``."""\nx: int\n"""As engine.x does it."""',
        "a = 1  # from engine import x, and 'engine.x'",
        "a = 'play', 'engine', 'engine.z', 'not in play.', 'the play'",
        "play = engine = tools = 1\nengine.x.y.z(play, tools)\nplay(engine=1)",
        "a = 'src/engine.x', 'the-engine.x', 'motor.engine.x', 'that is in play. Or not'",
        "a = f'{engine.x} {play}', f'{__package__}.dev', rb'play'",
    ],
)
def test_unrelated_words_are_not_rewritten(source: str) -> None:
    assert rewritten(source, "engine/x/example.py") == source


def test_rewritten_import_binds_the_same_name() -> None:
    source = rewritten("import engine.x.y, json, engine.x")
    assert source == (
        "import flagplot.engine.x.y as _flagplot_engine_x_y, flagplot.engine as engine, json,"
        " flagplot.engine.x as _flagplot_engine_x, flagplot.engine as engine"
    )


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import engine.z", "there is no module engine.z"),
        ("from engine.z import a", "there is no module engine.z"),
        ("from tools import dev", "tools.dev is not in the wheel"),
        ("from . import dev", "tools.dev is not in the wheel"),
        ("from .check import main", "tools.check is not in the wheel"),
        ("from ... import os", "leaves the package"),
        ("a = 'tools.check:main'", "not in the wheel"),
        ("a = 'python -m tools.cli'", "a longer text contains the module name tools.cli"),
        ("a = 'from engine.x import y'", "a longer text"),
        ("a = 'engine.x.Class'", "a longer text"),
        ("a = b'engine.x'", "one plain string"),
        ("a = 'engine' '.x'", "one plain string"),
        ("a = 'engine\\x2ex'", "one plain string"),
        ("a = f'engine.x'", "one plain string"),
        ("a = f'{import_module(\"engine.x\")}'", "one plain string"),
        ("a = f'engine.{name}.rules'", "relative to __package__"),
        ("a = 'engine.x.' + name", "relative to __package__"),
        ("a = f'python -m tools.{name}'", "relative to __package__"),
        ("files('engine')", "relative to __package__"),
        ("importlib.import_module(name='tools')", "relative to __package__"),
        ("a = ('python', '-m', 'play')", "relative to __package__"),
        ("from \\\n engine import x", "in one piece"),
        ("import engine . x", "in one piece"),
        ("a = 1\r\nfrom engine import x", "line feeds"),
    ],
)
def test_name_that_cannot_be_rewritten_fails_the_build(source: str, problem: str) -> None:
    with pytest.raises(UnmappedNameError, match=rf"^tools/example\.py:\d: .*{problem}"):
        rewritten(source)


@pytest.mark.full
def test_every_project_file_can_be_mapped() -> None:
    files = wheel_files(ROOT)
    assert {path.parts[0] for path in files} == {"flagplot"}
    for path, content in files.items():
        source = ROOT.joinpath(*path.parts[len(path.parts) > 2 :])
        assert len(content.splitlines()) == len(source.read_bytes().splitlines())
        assert content.replace(b"flagplot.", b"") == source.read_bytes().replace(b"flagplot.", b"")
