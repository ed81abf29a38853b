"""Finds battles among events, as the game's own battle boards show them."""

from collections.abc import Sequence

from engine.kernel.ruleset import View
from play.event_history import SeenEvent
from play.game_summary import BattleFinder, FoundBattle
from tui.maps.enums import Owner
from tui.panels.overlay_pages import BattleBoard, BattleSide
from tui.presenter.presenter import Presenter


def battle_finder(presenter: Presenter) -> BattleFinder:
    """Return a function that finds the battles among events."""

    def find(
        seen_events: Sequence[SeenEvent], view_before: View, view_after: View
    ) -> tuple[FoundBattle, ...]:
        if not seen_events:
            return ()
        found_battles: dict[str, FoundBattle] = {}
        for step in presenter.playback_steps(seen_events, view_before, view_after):
            board = step.page
            if not isinstance(board, BattleBoard):
                continue
            first_board = found_battles.get(board.title)
            seq = seen_events[step.event_count - 1].seq if first_board is None else first_board.seq
            known_sentences = () if first_board is None else first_board.sentences
            # The summaries name the winner of each part. If a board has no summaries, use the text
            # of the steps.
            lines = board.summaries or (*known_sentences, *step.text.split("\n"))
            found_battles[board.title] = FoundBattle(
                seq=seq,
                title=board.title,
                # The end page draws the sides in the order of their colours.
                sides=tuple(
                    (side.name, _unit_texts(side))
                    for side in sorted(board.sides, key=lambda side: side.owner is Owner.TWO)
                ),
                sentences=tuple(
                    dict.fromkeys(
                        line.strip() for line in lines if not line.strip().startswith("and ")
                    )
                ),
                losses=sum(bool(fighter.loss) for side in board.sides for fighter in side.fighters),
            )
        return tuple(found_battles.values())

    return find


def _unit_texts(side: BattleSide) -> tuple[str, ...]:
    """Return a side's units, each with its strength and its losses."""
    return tuple(
        " ".join(part for part in (fighter.name, fighter.strength, fighter.loss) if part)
        for fighter in side.fighters
    )
