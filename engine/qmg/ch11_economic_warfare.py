"""One country's discard for Economic Warfare (11.1)."""

from msgspec.structs import replace
from typing_extensions import override

from engine.qmg.ch09_cards import discard_deck
from engine.qmg.events import TargetDiscards
from engine.qmg.frames import EwFrame, WindowFrame
from engine.qmg.run import Handler, Run, action_trigger


class EwHandler(Handler[EwFrame]):
    """The country may first respond to reduce the number of cards. It then discards the cards from its deck."""

    frame = EwFrame

    @override
    def try_step(self, run: Run, frame: EwFrame) -> bool:
        if not frame.stage:
            run.replace_top(replace(frame, stage="reduced"))
            event = action_trigger("ew_targeted", frame.by, card=frame.card)
            run.open_window(replace(event, cause=frame.cause, targets=(frame.target,)))
            window = run.stack[-1]
            # If no window opens, the number does not change.
            if isinstance(window, WindowFrame):
                run.replace_top(replace(window, changes=((frame.target, frame.amount),)))
            return True
        changes = dict(run.take_result().ew_discard_changes)
        amount = max(0, changes.get(frame.target, frame.amount))
        run.add(TargetDiscards(country=frame.target, amount=amount, card=frame.card))
        run.pop()
        discard_deck(run, frame.target, amount, "economic-warfare")
        return True
