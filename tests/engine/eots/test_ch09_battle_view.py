"""The forces in a battle, and the rule that a view of a battle is never kept while events are recorded."""

import ast
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.eots.ch09_battle.battle_view import BattleView, current_battle, opening_frame
from engine.eots.events.units import UnitEliminated
from engine.eots.evolve import evolve
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.ids import Rule
from tests.engine.eots.battlefield import field, landing, march
from tests.engine.eots.positions import Place

AT = HexId("2812")
EOTS = Path(__file__).parents[3] / "engine" / "eots"
MODULES = sorted((*(EOTS / "ch09_battle").glob("*.py"), *(EOTS / "forecast").glob("*.py")))
RUN = "EotsRun"
VIEW_TYPES = {"BattleView", "BattleForce"}
VIEW = re.compile(
    r"(current_battle|BattleView|BattleForce)\(.*\)(\.(attacker|defender|force\(.*\)))?"
)


def _open(state: State, **changes: object) -> BattleView:
    frame = replace(opening_frame(state, AT), **changes)
    return current_battle(replace(state, frames=(frame,)))


def _battle(**changes: object) -> BattleView:
    units: dict[str, Place] = {
        "us-cv-essex": "3012",
        "us-ca-baltimore": "3012",
        "us-bb-missouri": "2812",
        "us-corps-i": "2812",
        "us-corps-x": "2812",
        "jp-ca-aoba": "2812",
        "jp-army-14": "2812",
    }
    moved = {"us-corps-i": landing("2812", "2911"), "us-corps-x": march("2812", "2712")}
    state = field(units, Side.ALLIED, joined={"us-cv-essex": "2812"}, moved=moved)
    return _open(state, **changes)


def test_9_1_forces_of_both_sides_in_a_battle() -> None:
    """9.1, 9.12, 9.13, 9.2A: an escort outside the hex is present, but adds no strength."""
    battle = _battle()
    assert battle.sides == (Side.ALLIED, Side.JAPAN)
    assert battle.force(Side.ALLIED) is battle.attacker
    assert battle.force(Side.JAPAN) is battle.defender
    assert battle.attacker.air_naval == ("us-bb-missouri", "us-ca-baltimore", "us-cv-essex")
    assert battle.attacker.shooters == ("us-bb-missouri", "us-cv-essex")
    assert battle.attacker.fighters == ("us-corps-i", "us-corps-x")
    assert battle.attacker.overland == ("us-corps-x",)
    assert (battle.attacker.has_aircraft, battle.defender.has_aircraft) == (True, False)
    assert battle.defender.present == ("jp-army-14", "jp-ca-aoba")


def test_13_76_only_japan_has_intrinsic_units() -> None:
    """13.76, 9.32: intrinsic units are ground units; excluded units are not fighters."""
    battle = _battle(intrinsic=1, excluded=(UnitId("jp-army-14"),))
    assert (battle.attacker.intrinsic, battle.defender.intrinsic) == (0, 1)
    assert battle.defender.fighters == ()
    assert battle.defender.has_ground_units


def test_a_battle_view_is_immutable() -> None:
    """An event changes neither an existing view nor its lazily computed lists; the next view reflects it."""
    battle = _battle()
    loss = UnitEliminated(rule=Rule("9.2"), unit=UnitId("jp-ca-aoba"))
    after = current_battle(evolve(battle.state, loss))
    assert battle.defender.present == ("jp-army-14", "jp-ca-aoba")
    assert after.defender.present == ("jp-army-14",)
    with pytest.raises(AttributeError):
        battle.state = after.state  # type: ignore[misc]  # the refusal is tested


def _stored_views(source: str) -> list[str]:
    """Return the places where a function that can record events stores or receives a view."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        types = {ast.unparse(arg.annotation) for arg in function.args.args if arg.annotation}
        if RUN not in types and f"{RUN}(" not in ast.unparse(function):
            continue
        if types & VIEW_TYPES:
            found.append(f"{function.name} takes a run and a view")
        found += [
            f"{function.name}:{node.lineno} stores a view"
            for node in ast.walk(function)
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr)
            and node.value is not None
            and VIEW.fullmatch(ast.unparse(node.value))
        ]
    return found


@pytest.mark.parametrize("module", [pytest.param(path, id=path.stem) for path in MODULES])
def test_no_module_stores_a_battle_view(module: Path) -> None:
    assert _stored_views(module.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "body",
    [
        "def f(run: EotsRun, battle: BattleView) -> None: ...",
        "def f(run: EotsRun) -> None:\n    battle = current_battle(run.state)",
        "def f(run: EotsRun) -> None:\n    enemy = current_battle(run.state).defender",
        "def f(state: State) -> None:\n    run = EotsRun(state)\n    own = BattleView(state, x).force(side)",
    ],
)
def test_the_check_detects_stored_views(body: str) -> None:
    assert len(_stored_views(body)) == 1
