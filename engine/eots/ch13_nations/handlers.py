"""The handlers of national status (13)."""

from typing import Final

from engine.eots.ch13_nations.india import EvacuationHandler

HANDLERS: Final = (EvacuationHandler(),)
