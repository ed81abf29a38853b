"""Transfers control of hexes and applies the immediate consequences (6.5, 6.23, 13.62)."""

from engine.eots.ch13_nations.india import relieve_india
from engine.eots.ch13_nations.routes import open_late_railway
from engine.eots.events.tracks import TokyoExpressMoved
from engine.eots.events.units import ControlChanged
from engine.eots.flow import EotsRun
from engine.eots.ids import HexId, Side
from engine.kernel.ids import Rule


def capture_hexes(run: EotsRun, side: Side, hexes: tuple[HexId, ...], rule: Rule) -> None:
    """Give control of hexes to a side during an offensive (6.5).

    If the Allies take the hex with the Tokyo Express marker, the marker is removed (6.23). If Japan controlled all of
    Northern India and the Allies regain a hex there, the India marker returns to Stable (13.62-4b).

    Args:
        run: Records the events.
        side: The new controller.
        hexes: Land hexes that the side does not control yet. If empty, nothing happens.
        rule: The rule that changes control.
    """
    if not hexes:
        return
    run.add(ControlChanged(rule=rule, hexes=hexes, side=side))
    if side is Side.ALLIED and run.state.tracks.tokyo_express in hexes:
        run.add(TokyoExpressMoved(rule=Rule("6.23"), at=None))
    relieve_india(run)
    open_late_railway(run)
