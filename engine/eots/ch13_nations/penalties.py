"""The effects of surrenders and recaptures on US Political Will (13.1, 16.41)."""

from typing import Final

from engine.eots.ch16_victory.will import move_will
from engine.eots.events.tracks import NationRecaptured, NationSurrendered, OnceUsed
from engine.eots.flow import EotsRun
from engine.eots.ids import NationId
from engine.eots.rulings import PW_RECOVERY
from engine.kernel.ids import Rule

PENALTIES: Final = {
    NationId("philippines"): 1,
    NationId("malaya"): 1,
    NationId("dutch-east-indies"): 1,
    NationId("burma"): 1,
    NationId("india"): 2,
    NationId("china"): 2,
    NationId("australia"): 2,
}
"""Political Will lost when each nation surrenders, in the order of table 13-S (16.41)."""
RECOVERABLE: Final = frozenset(
    map(NationId, ("australia", "burma", "china", "india", "malaya", "philippines"))
)
"""Nations whose recapture restores the lost Political Will (16.41, OPB-26)."""
RECOVERABLE_3_0: Final = frozenset(
    map(NationId, ("australia", "burma", "dutch-east-indies", "malaya", "philippines"))
)
"""Nations whose recapture restores Political Will according to the asterisks in version 3.0 (OPB-26)."""
EVERYTHING_LOST: Final = 2
"""Additional Political Will lost once all of these nations have surrendered (16.41)."""
_RULE: Final = Rule("16.41")


def note_surrender(run: EotsRun, nation: NationId) -> None:
    """Record a surrender and its Political Will loss. The last nation's surrender causes an additional loss (16.41)."""
    run.add(NationSurrendered(nation=nation))
    move_will(run, -PENALTIES[nation], _RULE)
    tracks = run.state.tracks
    if not tracks.all_surrendered_penalty and set(PENALTIES) <= set(tracks.surrendered):
        run.add(OnceUsed(rule=_RULE, what="all-surrendered"))
        move_will(run, -EVERYTHING_LOST, _RULE)


def note_recapture(run: EotsRun, nation: NationId) -> None:
    """Record a recapture. If the nation's recapture restores Political Will, restore it (16.41, OPB-26).

    In version 3.0, the first recapture also restores the additional loss caused by all seven surrenders.
    """
    run.add(NationRecaptured(nation=nation))
    uses_recovery = PW_RECOVERY.uses_alternative(run.state.options)
    if nation in (RECOVERABLE_3_0 if uses_recovery else RECOVERABLE):
        move_will(run, PENALTIES[nation], _RULE)
    if uses_recovery and run.state.tracks.all_surrendered_penalty:
        run.add(OnceUsed(rule=_RULE, what="all-recovered"))
        move_will(run, EVERYTHING_LOST, _RULE)
