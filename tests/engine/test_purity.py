"""The rules depend only on their arguments (robustness P5, P3), checked in the source code and in play."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine.bots.random_player import RandomPlayer
from engine.eots.ruleset import EOTS
from engine.kernel.dice import DerivedDice
from engine.qmg.ruleset import QMG
from engine.registry import AnyRuleset
from tests.sizes import sized

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "engine").rglob("*.py"))
IMPURE = {"asyncio", "datetime", "os", "random", "secrets", "socket", "tempfile", "threading"}
IMPURE |= {"time", "uuid", "structlog", "textual", "pynng", "subprocess"}
DICE = ROOT / "engine" / "kernel" / "dice.py"
BOTS = ROOT / "engine" / "bots"
"""Bots may calculate with floats: their choices are commands, which are checked, and no record runs a bot again."""
FRACTIONS = {"a float", "a true division", "float()"}
HASHED = {"__hash__"}
"""Functions that may ask for hashes, because they only compare equal values in one process."""
SUSPECTS = (
    ast.Constant,
    ast.BinOp,
    ast.Call,
    ast.For,
    ast.ListComp,
    ast.GeneratorExp,
    ast.DictComp,
)
"""The kinds of nodes that `_fault` examines."""
BARRED = {"hash", "id", "float", "input", "eval", "exec", "open", "print"}
SECRET = bytes(range(32))


def _nodes(source: str) -> list[ast.AST]:
    return [*ast.walk(ast.parse(source))]


def _imports(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def _is_set(node: ast.expr) -> bool:
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"set", "frozenset"}
    )


def _is_folder(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "files"
    )


def _faults(nodes: list[ast.AST]) -> Iterator[str]:
    allowed = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.FunctionDef) and node.name in HASHED
        for inner in ast.walk(node)
    }
    ordered = {
        id(comprehension)
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"sorted", "any", "all", "sum", "len", "min", "max", "set", "frozenset"}
        for comprehension in node.args
    }
    allowed |= ordered
    for node in nodes:
        if isinstance(node, SUSPECTS) and id(node) not in allowed:
            yield from (f"{getattr(node, 'lineno', 0)}: {fault}" for fault in _fault(node))


def _fault(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=float() | complex()):
            yield "a float"
        case ast.BinOp(op=ast.Div()) if not _is_folder(node.left):
            yield "a true division"
        case ast.Call(func=ast.Name(id=name)) if name in BARRED:
            yield f"{name}()"
        case ast.For() if _is_set(node.iter):
            yield "a loop over a set"
        case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
            if any(_is_set(one.iter) for one in node.generators):
                yield "a sequence made from a set"
        case _:
            pass


@pytest.mark.series("P5")
def test_p5_rules_modules_are_pure() -> None:
    faults: list[str] = []
    for path in MODULES:
        nodes = _nodes(path.read_text(encoding="utf-8"))
        impure = set(_imports(nodes)) & IMPURE - ({"random"} if path == DICE else set())
        allowed = FRACTIONS if BOTS in path.parents else set()
        found = [fault for fault in _faults(nodes) if fault.partition(": ")[2] not in allowed]
        faults += [f"{path.relative_to(ROOT)}: {fault}" for fault in (*sorted(impure), *found)]
    assert faults == []


@pytest.mark.parametrize(
    "source",
    ["x = 0.5", "x = a / b", "x = hash(a)", "for x in {1, 2}: f(x)", "x = [y for y in set(z)]"],
)
def test_p5_the_source_check_detects_impure_code(source: str) -> None:
    assert list(_faults(_nodes(source)))


def _floats(value: object) -> Iterator[float]:
    match value:
        case float():
            yield value
        case dict():
            for key, item in value.items():
                yield from _floats(key)
                yield from _floats(item)
        case list() | tuple():
            for item in value:
                yield from _floats(item)
        case _:
            pass


@pytest.mark.series("P5")
@pytest.mark.parametrize(
    ("rules", "scenario"),
    [
        pytest.param(EOTS, "1943", id="eots"),
        pytest.param(QMG, "base", id="qmg"),
        pytest.param(QMG, "total-war", id="qmg-total-war", marks=pytest.mark.full),
    ],
)
def test_p5_states_and_events_contain_no_floats(rules: AnyRuleset, scenario: str) -> None:
    player = RandomPlayer(DerivedDice(SECRET, 1 << 20))
    events = rules.open_game(rules.position(scenario, {}), DerivedDice(SECRET, 0))
    state = rules.fold(rules.initial_state(), events)
    step = 0
    while asked := rules.active_roles(state):
        plain = msgspec.msgpack.decode(msgspec.msgpack.encode((state, events)))
        assert list(_floats(plain)) == []
        step += 1
        role = asked[0]
        command = player.choose(rules.project(state, role), rules.decision(state, role))
        events = rules.decide(state, role, command, DerivedDice(SECRET, step))
        state = rules.fold(state, events)
    assert step > 50


# Everything that the rules must not touch raises once the traps are set. Identities stay allowed: the
# kernel's memories use them as keys of what they hold, so that no result depends on them.
_TRAPPED = """
import builtins, datetime, os, random, secrets, sys, threading, time, uuid
from hashlib import blake2b
from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.ruleset import EOTS
from engine.kernel.dice import DerivedDice
from saves.decoding import canonical

class Trap:
    def __init__(self, name):
        self.name = name
    def __call__(self, *args, **kwargs):
        raise SystemExit(f"the rules call {self.name}")

def play(seed):
    secret = blake2b(bytes([seed]), digest_size=32).digest()
    player = RandomPlayer(DerivedDice(secret, 1 << 20), list(Habit)[seed % 3])
    state = EOTS.fold(EOTS.initial_state(), EOTS.open_game(EOTS.position("1943", {}), DerivedDice(secret, 0)))
    step = 0
    total = blake2b(digest_size=16)
    while asked := EOTS.active_roles(state):
        step += 1
        role = asked[step % len(asked)]
        question = EOTS.decision(state, role)
        command = player.choose(EOTS.project(state, role), question)
        total.update(canonical((EOTS.project(state, None), question.options)))
        state = EOTS.fold(state, EOTS.decide(state, role, command, DerivedDice(secret, step)))
    total.update(canonical(state))
    return step, total.hexdigest()

leave = os._exit
play(0)  # data files are read once, before the traps are set
if "trap" in sys.argv:
    for module in (random, time, os, secrets, threading, uuid):
        for name in dir(module):
            if not name.startswith("_") and callable(getattr(module, name)):
                if not isinstance(getattr(module, name), type):
                    setattr(module, name, Trap(f"{module.__name__}.{name}"))
    builtins.open = Trap("open")
    builtins.hash = Trap("hash")
    datetime.datetime = datetime.date = Trap("datetime")
for seed in range(1, 1 + int(sys.argv[2])):
    print(*play(seed))
sys.stdout.flush()
leave(0)
"""


PLAYED = sized(1, 3, of="games of 1943 that each process plays")
"""Number of games that each process plays."""


def _played(*options: str, trap: str = "", **environ: str) -> str:
    ended = subprocess.run(
        [sys.executable, *options, "-c", _TRAPPED, trap, str(PLAYED)],
        env={"PATH": os.environ["PATH"], **environ},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(ended.stdout.splitlines()) == PLAYED
    return ended.stdout


@pytest.mark.series("P3", "P5")
def test_p3_p5_traps_hash_seeds_and_locales_do_not_affect_the_game() -> None:
    plain = _played(PYTHONHASHSEED="0")
    assert _played(trap="trap", PYTHONHASHSEED="1", TZ="Asia/Tokyo", LANG="C") == plain


@pytest.mark.full
@pytest.mark.series("P3", "P5")
def test_p3_p5_optimised_code_and_other_locales_do_not_affect_the_game() -> None:
    plain = _played(PYTHONHASHSEED="0")
    assert _played(PYTHONHASHSEED="1", TZ="Asia/Tokyo", LANG="C") == plain
    assert _played("-O", PYTHONHASHSEED="random", LANG="tr_TR.UTF-8") == plain
