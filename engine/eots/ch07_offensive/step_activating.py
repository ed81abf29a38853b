"""Steps 1 and 8: naming an HQ and activating units (7.21, 7.26)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.cards.interpreter import apply_window
from engine.eots.ch07_offensive import (
    activation,
    conclusion,
    reaction_cards,
)
from engine.eots.ch07_offensive.feasibility import can_join
from engine.eots.ch07_offensive.step import end_stage, enter_step, next_stage
from engine.eots.ch08_movement.reaction import can_react
from engine.eots.commands import (
    Activate,
    ChooseHq,
    Done,
    EotsCommand,
    Ferry,
    Pass,
    TakeBack,
)
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.deck_terms import Window
from engine.eots.events.offensive import (
    BattleSwitched,
    HqChosen,
    UnitActivated,
    UnitJoined,
)
from engine.eots.flow import DecisionHandler, EotsRun, ExactNaming, Naming, PlainAction
from engine.eots.frames import DeclarationFrame, MovementFrame, OffensiveFrame, Purpose
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.rulings import SR_SWITCH
from engine.eots.state import OFF_MAP, State, current_offensive
from engine.eots.unit_removal import move_to_turn_track
from engine.kernel.ids import Refusal, Rule

_COMMITMENTS: Final = 2
"""Stage of step 8 in which reacting units are committed to battles."""
_BUSY: Final = "finish activating units first"


def _hqs_to_name(state: State, _frame: OffensiveFrame, role: Side) -> tuple[UnitId, ...]:
    """Return the HQs that can be chosen, sorted by id. Empty if an HQ has already been chosen."""
    return () if activation.activating_hq(state, role) else nameable_hqs(state, role)


def _hq_refusals(state: State, _frame: OffensiveFrame, role: Side, hq: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why this HQ cannot be chosen to activate units (7.21, 7.26).

    An HQ of the Reaction player also needs a battle hex within its command range.
    """
    named = activation.activating_hq(state, role)
    if named is not None:
        yield Refusal(
            activation.activation_rule(state, role),
            f"{named} has been named, and only one HQ may activate units",
        )
    else:
        yield from activation.choose_hq_refusals(state, role, hq)
    if role is not current_offensive(state).side and hq not in nameable_hqs(state, role):
        yield Refusal(Rule("7.26"), f"no battle hex is within the command range of {hq}")


def nameable_hqs(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return the HQs that can be chosen to activate units.

    An HQ of the Reaction player must be in supply and have a battle hex in range (7.26).
    """
    if side is current_offensive(state).side:
        return activation.hq_options(state, side)
    counter = current_offensive(state).reaction.counter_card
    return reaction_cards.reaction_hqs(state, side, None if counter is None else cards()[counter])


def name_hq(run: EotsRun, side: Side, hq: UnitId) -> None:
    """Name the HQ, and record its activation limit before any unit is activated."""
    limit = activation.activation_limit(run.state, side, hq, ())
    run.add(HqChosen(side=side, hq=hq, limit=limit))


_NAMING_HQ: Final = ExactNaming(
    ChooseHq, _hqs_to_name, _hq_refusals, lambda run, _, role, hq: name_hq(run, role, hq)
)


def _activatable_units(state: State, _frame: OffensiveFrame, role: Side) -> Iterator[UnitId]:
    """Yield the units that the chosen HQ may activate, sorted by id. None before an HQ is chosen.

    Reacting units must be able to reach a battle.
    """
    if activation.activating_hq(state, role) is not None:
        reacts = role is not current_offensive(state).side
        for unit in activation.activatable_units(state, role):
            if not reacts or can_react(state, unit):
                yield unit


def _unit_refusals(
    state: State, _frame: OffensiveFrame, role: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not be activated (7.21, 7.26). One reason is that it can reach no battle."""
    yield from activation.activate_refusals(state, role, unit)
    if role is not current_offensive(state).side and not can_react(state, unit):
        exception_text = " unless ships or aircraft that can bring it there are activated first"
        limit_text = exception_text if counters()[unit].is_ground else ""
        yield Refusal(
            Rule("7.26"),
            f"{unit} cannot reach a battle{limit_text}, and every reacting unit must fight",
        )


def _activate(run: EotsRun, _frame: OffensiveFrame, role: Side, unit: UnitId) -> None:
    """Activate the unit and record the service chosen under rivalry."""
    service = activation.service_under_rivalry(run.state, role, unit)
    run.add(UnitActivated(side=role, unit=unit, service=service))


_ACTIVATING: Final = ExactNaming(Activate, _activatable_units, _unit_refusals, _activate)


def _finish_refusals(state: State, _frame: OffensiveFrame, role: Side) -> Iterator[Refusal]:
    """Refuse to finish until an HQ has been chosen and the card's requirements have been met (5.31)."""
    if activation.activating_hq(state, role) is None:
        yield Refusal(activation.activation_rule(state, role), "name an HQ first")
    else:
        yield from activation.finish_refusals(state, role)


def _ferry_refusals(
    state: State, _frame: OffensiveFrame, role: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Refuse to send a unit to the turn track unless it is an air unit that has just been activated (8.33).

    If no HQ can be chosen, refuse every unit.
    """
    if (
        unit not in current_offensive(state).activated
        or not counters()[unit].is_air
        or state.units[unit].at in OFF_MAP
        or _is_without_hq(state, role)
    ):
        yield Refusal(
            Rule("8.33"),
            f"{unit} is not an air unit on the map or in the China box that has just been activated",
        )


def _ferry_unit(run: EotsRun, _frame: OffensiveFrame, _role: Side, unit: UnitId) -> None:
    """Move an air unit that has just been activated to the turn track.

    A pre-war unit is removed from the game (8.33, 11.1).
    """
    move_to_turn_track(run, unit, Rule("8.33"))


def _is_without_hq(state: State, side: Side) -> bool:
    return activation.activating_hq(state, side) is None and not nameable_hqs(state, side)


def _take_back_refusals(state: State, _frame: OffensiveFrame, role: Side) -> Iterator[Refusal]:
    """Refuse to take the card back if an HQ has been or can be chosen, because the card is usable (CP-04)."""
    if not _is_without_hq(state, role):
        yield Refusal(Rule("7.21"), _BUSY)


def _decline_refusals(state: State, _frame: OffensiveFrame, role: Side) -> Iterator[Refusal]:
    """Refuse to pass once an HQ has been chosen. Before that, reacting is optional (7.26)."""
    if activation.activating_hq(state, role) is not None:
        yield Refusal(Rule("7.26"), _BUSY)


class _ActivatingStep(DecisionHandler[OffensiveFrame]):
    """Base class for steps 1 and 8, in which a side chooses an HQ and activates units."""

    is_plan = True
    wrong_kind_text = _BUSY

    @override
    def prompt(self, state: State, frame: OffensiveFrame, role: Side) -> str:
        """Return the prompt: name an HQ, or activate units, with the number of activations left."""
        hq = activation.activating_hq(state, role)
        if hq is None:
            return "Choose the HQ that will activate units"
        chosen_units = activation.activated_units(state, role)
        limit = activation.activation_limit(state, role, hq, chosen_units)
        return f"Activate units: {max(limit - len(chosen_units), 0)} of {limit} left"

    @override
    def default(
        self, state: State, frame: OffensiveFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Choose the last option, which passes or finishes. No unit is sent to the turn track (8.33)."""
        return options[0] if isinstance(options[-1], Ferry) else options[-1]


class ActivationStep(_ActivatingStep):
    """Step 1: the Offensive player names an HQ and activates units (7.21)."""

    rule = Rule("7.21")
    actions = (
        _NAMING_HQ,
        _ACTIVATING,
        Naming(
            Ferry,
            lambda state, _, _role: sorted(current_offensive(state).activated),
            _ferry_refusals,
            _ferry_unit,
        ),
        PlainAction(
            TakeBack, lambda run, _, _role: conclusion.undo_card_play(run), _take_back_refusals
        ),
        PlainAction(Done, lambda run, frame, _: enter_step(run, frame.step + 1), _finish_refusals),
    )

    @override
    def active_roles(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Return the Offensive player while there is a choice, but only after the event's pre-movement effects.

        If no unit has been activated, the player must finish the step with a command.
        """
        offensive = current_offensive(state)
        if frame.stage == 0 or activation.fixed_units(state, offensive.side):
            return ()
        if offensive.hq is None and _named_hqs(state, offensive.side):
            return ()
        is_open = not offensive.activated or self.has_other_command(state, frame, offensive.side)
        return (offensive.side,) if is_open else ()

    @override
    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Apply the event's pre-movement effects (CP-01), make any forced choices (17.11), then continue."""
        offensive = current_offensive(run.state)
        if frame.stage == 0:
            next_stage(run, frame)
            apply_window(run, Window.STEP1)
            return
        hqs = _named_hqs(run.state, offensive.side) if offensive.hq is None else ()
        for hq in hqs:
            name_hq(run, offensive.side, hq)
        for unit in activation.fixed_units(run.state, offensive.side):
            _activate(run, frame, offensive.side, unit)
        # An HQ that has just been chosen may still activate units, so the step continues.
        if not hqs:
            enter_step(run, frame.step + 1)


def _named_hqs(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return the HQs that are chosen automatically: the only possible HQ, or all HQs if they act together (17.11)."""
    if activation.fixed_units(state, side):
        return ()
    hqs = nameable_hqs(state, side)
    return hqs if len(hqs) == 1 or activation.activates_together(state, side) else ()


class ReactionStep(_ActivatingStep):
    """Step 8: the Reaction player activates and moves units (7.26)."""

    rule = Rule("7.26")
    actions = (
        _NAMING_HQ,
        PlainAction(Pass, end_stage, _decline_refusals),
        _ACTIVATING,
        PlainAction(Done, end_stage, _finish_refusals),
    )

    @override
    def active_roles(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Return the Reaction player while an HQ can be chosen or units can be activated."""
        side = current_offensive(state).side.enemy
        return (side,) if frame.stage == 0 and self.has_other_command(state, frame, side) else ()

    @override
    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Let reacting units move, then commit units to battles. At the end, switch Offensive units between battles."""
        has_reaction = bool(current_offensive(run.state).reaction.activated)
        side = current_offensive(run.state).side.enemy
        if frame.stage == 0 or not has_reaction:
            enter_step(run, 9) if not has_reaction else next_stage(run, frame)
        elif frame.stage == 1:
            next_stage(run, frame)
            run.push(MovementFrame(side=side, purpose=Purpose.REACTION))
        elif frame.stage == _COMMITMENTS:
            next_stage(run, frame)
            run.push(DeclarationFrame(side=side))
        else:
            switch_battles(run)
            enter_step(run, 9)


def switch_battles(run: EotsRun) -> None:
    """Switch Offensive air units and carriers to special reaction hexes that reacting units entered (7.27, OP-8)."""
    offensive = current_offensive(run.state)
    is_unrestricted = SR_SWITCH.uses_alternative(run.state.options)
    for hex_id, battle in sorted(offensive.battles.items()):
        if battle.special and _is_entered(run.state, hex_id):
            switched_battles = tuple(
                unit
                for unit, joined_hex in sorted(offensive.joined.items())
                if unit in offensive.activated
                and (is_unrestricted or run.state.units[unit].at == hex_id)
                and joined_hex != hex_id
                and can_join(run.state, unit, hex_id)
            )
            for unit in switched_battles:
                run.add(UnitJoined(unit=unit, at=hex_id))
            if switched_battles:
                run.add(BattleSwitched(at=hex_id))


def _is_entered(state: State, hex_id: HexId) -> bool:
    return any(
        state.units[unit].at == hex_id for unit in current_offensive(state).reaction.activated
    )
