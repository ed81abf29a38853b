"""A small map for tests: four columns, three rows, one hole."""

from engine.kernel.hexgrid import HexGrid, Top
from tui.hexmap.scene import Ground, HexCell, HexScene, scene_of
from tui.marks import Highlight, Owner


def small_scene(top: Top = Top.FLAT, **changes: HexCell) -> HexScene:
    """Return the map; a change replaces the cell whose id is the key behind an `x`."""
    cells = {
        f"{column:02}{row:02}": HexCell(id=f"{column:02}{row:02}")
        for column in range(10, 14)
        for row in range(1, 4)
    }
    del cells["1303"]
    cells["1102"] = HexCell(
        id="1102",
        ground=Ground.JUNGLE,
        symbols="PA*",
        brief="J3",
        lines=("Rabaul", "J3 cv+"),
        details=("Rabaul", "8 Fleet CA 8-10", "25 AF 6-12", "17 Army 8-8"),
        owner=Owner.TWO,
        owner_mark="J",
        occupant=Owner.TWO,
    )
    cells["1201"] = HexCell(id="1201", ground=Ground.MOUNTAIN, highlight=Highlight.REACH, tag="4")
    cells["1203"] = HexCell(id="1203", shade=Owner.ONE)
    cells |= {name[1:]: cell for name, cell in changes.items()}
    return scene_of(HexGrid(top=top), cells)
