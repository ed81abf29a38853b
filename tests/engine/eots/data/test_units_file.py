from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

import msgspec
import pytest

from engine.eots.data import units_file
from engine.eots.data.reading import content
from engine.eots.data.units_file import FaceRow, UnitRow, UnitsFile
from engine.eots.ids import Category, Flag, Pool, Side, UnitId, UnitSize, UnitType
from engine.kernel.data_files import decode

FILE = decode(units_file.FILE, content(units_file.FILE), UnitsFile)
ROWS = {row.id: row for row in FILE.units}
Check = Callable[[UnitRow], Iterator[str]]

TOTALS: Final = {
    (Side.ALLIED, Category.NAVAL): 42,
    (Side.ALLIED, Category.AIR): 26,
    (Side.ALLIED, Category.GROUND): 51,
    (Side.ALLIED, Category.HQ): 8,
    (Side.JAPAN, Category.NAVAL): 19,
    (Side.JAPAN, Category.AIR): 25,
    (Side.JAPAN, Category.GROUND): 26,
    (Side.JAPAN, Category.HQ): 4,
}
SIZES: Final = {
    UnitType.ARMY: UnitSize.ARMY,
    UnitType.CORPS: UnitSize.CORPS,
    UnitType.DIVISION: UnitSize.DIVISION,
    UnitType.BRIGADE: UnitSize.BRIGADE,
    UnitType.REGIMENT: UnitSize.REGIMENT,
}
CARRIERS: Final = frozenset({UnitType.CV, UnitType.CVL, UnitType.CVE})
TRANSPORTS: Final = frozenset({UnitType.CA, UnitType.CL, UnitType.APD})


def check_nation(row: UnitRow) -> Iterator[str]:
    """Side, nationality and Commonwealth nation agree (1.3)."""
    if (row.nationality == "cw") != (row.cw_nation is not None):
        yield "a Commonwealth nation exactly on Commonwealth units"
    if (row.side is Side.JAPAN) != row.nationality.startswith("japan"):
        yield "side and nationality disagree"


def check_values(row: UnitRow) -> Iterator[str]:
    """The reduced face has less attack and otherwise the same values (1.24)."""
    full, reduced = row.full, row.reduced
    for face in (full, reduced):
        if face is not None and (face.attack < 1 or face.defense < 1):
            yield "strengths are positive"
    if full is not None and reduced is not None:
        if reduced.attack >= full.attack:
            yield "the reduced attack is below the full one"
        if msgspec.structs.replace(reduced, attack=full.attack) != full:
            yield "the faces differ in more than the attack"
    if row.hq is not None and not (1 <= row.hq.efficiency <= 3 and 5 <= row.hq.command_range <= 25):
        yield "headquarters values out of range"


def check_pool(row: UnitRow) -> Iterator[str]:
    """Pre-war units and headquarters are never replaced (11.1)."""
    if (row.prewar or row.hq is not None) and row.replacement_pool is not None:
        yield "a replacement pool"


def check_ground(row: UnitRow) -> Iterator[str]:
    """Size, assault ability and shipping points (1.3, 8.45A)."""
    ground = row.ground
    if ground is None:
        return
    if SIZES.get(row.type) is not row.size:
        yield "type and size disagree"
    barred = (
        row.nationality in {"dutch", "china"}
        or row.cw_nation == "indian"
        or Flag.ARMOR in row.flags
    )
    if ground.amphibious_assault == barred:
        yield "assault ability wrong for the nationality"
    if ground.amphibious_assault != (ground.asp_cost is not None):
        yield "shipping points exactly on units that can assault"
    if ground.asp_cost is None:
        return
    per_step = 2 if row.id == "jp-army-korean" else 1
    big = row.size in {UnitSize.ARMY, UnitSize.CORPS}
    want = (2 * per_step if big else 1, (per_step if big else 1) if row.reduced else None)
    if (ground.asp_cost.full, ground.asp_cost.reduced) != want:
        yield f"shipping points are not {want}"


def check_naval(row: UnitRow) -> Iterator[str]:
    """Carriers have a range; Japanese CA, CL and APD carry troops (8.46)."""
    if row.category is not Category.NAVAL:
        return
    carrier = row.type in CARRIERS
    if (
        row.full is None
        or carrier != (row.full.range > 0)
        or carrier != (Flag.CARRIER in row.flags)
    ):
        yield "carrier range or flag"
    carries = row.side is Side.JAPAN and row.type in TRANSPORTS
    if carries != (Flag.ORGANIC_TRANSPORT in row.flags):
        yield "organic transport"


def check_air(row: UnitRow) -> Iterator[str]:
    """Long-range bombers are those with range 6 or more; they have no extended range (1.3)."""
    if row.category is not Category.AIR or row.full is None:
        return
    bomber = row.type in {UnitType.LRB, UnitType.B29}
    if bomber != (row.full.range >= 6) or bomber != (Flag.LRB in row.flags):
        yield "bomber range or flag"
    if bomber and row.full.extended_range is not None:
        yield "a bomber with extended range"


CHECKS: Final = (check_nation, check_values, check_pool, check_ground, check_naval, check_air)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_units_file_is_consistent(check: Check) -> None:
    assert {row.id: list(check(row)) for row in FILE.units if list(check(row))} == {}


def _face(name: str) -> FaceRow:
    face = ROWS[UnitId(name)].full
    assert face is not None
    return face


def _change(name: str, **fields: object) -> UnitRow:
    return msgspec.structs.replace(ROWS[UnitId(name)], **fields)


@pytest.mark.parametrize(
    ("check", "row"),
    [
        pytest.param(check_nation, _change("us-cv-essex", cw_nation="british"), id="1.3-nation"),
        pytest.param(
            check_values,
            _change("us-cv-essex", reduced=_face("us-cv-essex")),
            id="1.24-reduced-as-strong",
        ),
        pytest.param(
            check_pool,
            _change("us-hq-central-pacific", replacement_pool=Pool.US_NAVAL),
            id="11.1-headquarters-replaced",
        ),
        pytest.param(check_ground, _change("jp-army-14", size=UnitSize.CORPS), id="1.24-size"),
        pytest.param(
            check_ground, _change("us-corps-xiv", nationality="dutch"), id="1.3-dutch-assault"
        ),
        pytest.param(check_naval, _change("jp-ca-aoba", flags=()), id="8.46-no-transport"),
        pytest.param(check_air, _change("us-lrb-5af", flags=()), id="1.3-bomber-flag"),
    ],
)
def test_each_check_detects_an_error(check: Check, row: UnitRow) -> None:
    assert list(check(row)) != []


def test_totals_by_side_and_category() -> None:
    assert Counter((row.side, row.category) for row in FILE.units) == TOTALS


def test_names_of_the_master_list_are_unique() -> None:
    names = Counter(row.master_name for row in FILE.units if row.master_name)
    assert [name for name, times in names.items() if times > 1] == []


def test_every_air_group_has_two_members() -> None:
    groups = Counter(row.air_stack_group for row in FILE.units if row.air_stack_group)
    assert set(groups.values()) == {2}
    assert len(groups) == 6


def test_five_brigades_are_organic_cargo() -> None:
    assert sum(row.ground is not None and row.ground.organic_cargo for row in FILE.units) == 5


def test_combined_efficiency_of_the_three_joint_headquarters_is_six() -> None:
    names = ("jp-hq-combined-fleet-yamamoto", "jp-hq-south", "jp-hq-south-seas")
    rows = [ROWS[UnitId(name)] for name in names]
    assert sum(row.hq.efficiency for row in rows if row.hq) == 6


def test_burma_flag_marks_two_units() -> None:
    burma = {row.id for row in FILE.units if Flag.BURMA in row.flags}
    assert burma == {"cw-division-1-burma", "cw-division-b-ind"}


def test_carrier_ranges_per_side() -> None:
    ranges = {
        (row.side, row.full.range) for row in FILE.units if Flag.CARRIER in row.flags and row.full
    }
    assert ranges == {(Side.JAPAN, 3), (Side.ALLIED, 2)}
