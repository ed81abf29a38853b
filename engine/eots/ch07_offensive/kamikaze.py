"""Kamikaze cards: an air unit strikes the ships in a battle, and both lose steps (C3.5, CP-37, CP-40)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.board import board
from engine.eots.cards.modifiers import effects_in_force
from engine.eots.ch09_battle.participants import participants
from engine.eots.commands import Join
from engine.eots.counters import counters
from engine.eots.deck import Card, cards
from engine.eots.deck_offensive import Kamikaze, KamikazeBonus
from engine.eots.flow import Action, DecisionHandler, EotsRun
from engine.eots.frames import KamikazeFrame, LossFrame
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.state import State, current_offensive
from engine.eots.unit_removal import lose_step
from engine.kernel.ids import Refusal, Rule

RULE: Final = Rule("5.32B")


def kamikaze_strike(card: Card) -> Kamikaze | None:
    """Return the strike step of a kamikaze card; None if the card is not a kamikaze card."""
    return next((step for step in card.effects if isinstance(step, Kamikaze)), None)


def is_kamikaze(card: CardId) -> bool:
    """Return whether a card is a kamikaze card."""
    return kamikaze_strike(cards()[card]) is not None


def ships_in(state: State, hex_id: HexId, side: Side) -> tuple[UnitId, ...]:
    """Return a side's ships in a battle. Ships that escort a carrier outside the hex count too (CP-40)."""
    return tuple(
        unit
        for unit in participants(state, hex_id)
        if counters()[unit].is_naval and counters()[unit].side is side
    )


def possible_strikes(
    state: State, card: Card, used_hexes: tuple[HexId, ...] = ()
) -> tuple[Join, ...]:
    """Return every pairing of an air unit with a battle that it may strike, ordered by unit and hex (C3.5-1).

    Args:
        state: A position with an offensive.
        card: The kamikaze card.
        used_hexes: Battles that have already been struck.
    """
    strike = kamikaze_strike(card)
    if strike is None:
        return ()
    goals = tuple(
        hex_id
        for hex_id in sorted(current_offensive(state).battles)
        if hex_id not in used_hexes
        and board().distance(hex_id, strike.max_range_to.hex) <= strike.max_range_to.hexes
        and ships_in(state, hex_id, card.side.enemy)
    )
    if not goals:
        return ()
    return tuple(
        Join(unit=unit, at=hex_id)
        for unit, piece in sorted(state.units.items())
        if counters()[unit].side is card.side and counters()[unit].is_air and piece.is_on_map
        for hex_id in goals
        if board().distance(HexId(piece.at), hex_id) <= counters()[unit].strength(piece.steps).reach
    )


def has_battle_left(state: State, card: Card) -> bool:
    """Return whether enough battles are left for one more kamikaze card (C3.5-1)."""
    # Every card already played will strike a separate battle.
    kamikaze_count = sum(is_kamikaze(name) for name in current_offensive(state).reaction.events)
    return len({join.at for join in possible_strikes(state, card)}) > kamikaze_count


class Striking(Action[KamikazeFrame, Join]):
    """Makes an air unit strike the ships in a battle (C3.5)."""

    kind = Join
    is_exact = True

    @override
    def candidates(self, state: State, frame: KamikazeFrame, role: Side) -> tuple[Join, ...]:
        """Return every battle paired with every air unit that can strike it."""
        return _open_strikes(state, frame)

    @override
    def refusals(
        self, state: State, frame: KamikazeFrame, role: Side, command: Join
    ) -> Iterator[Refusal]:
        """Refuse an air unit that cannot strike the battle."""
        if command not in _open_strikes(state, frame):
            yield Refusal(
                RULE,
                f"{command.unit} cannot reach a battle in {command.at} that the card may strike",
            )

    @override
    def apply(self, run: EotsRun, frame: KamikazeFrame, role: Side, command: Join) -> None:
        _apply_strike(run, frame, command)


class KamikazeHandler(DecisionHandler[KamikazeFrame]):
    """Asks for the battle and the air unit of each card, one card after the other."""

    frame = KamikazeFrame
    actions = (Striking(),)
    rule = RULE
    question = "{frame.waiting[0]}: name the air unit and the battle"
    wrong_kind_text = "name the kamikaze strike first"

    @override
    def active_roles(self, state: State, frame: KamikazeFrame) -> tuple[Side, ...]:
        """Return the cards' owner if more than one strike is possible."""
        return (frame.side,) if len(_open_strikes(state, frame)) > 1 else ()

    @override
    def step(self, run: EotsRun, frame: KamikazeFrame) -> None:
        """Carry out the only possible strike. If there is none, continue with the next card, or finish."""
        strikes = _open_strikes(run.state, frame)
        if strikes:
            _apply_strike(run, frame, strikes[0])
        elif frame.waiting:
            run.replace_top(replace(frame, waiting=frame.waiting[1:]))
        else:
            run.pop()


def _open_strikes(state: State, frame: KamikazeFrame) -> tuple[Join, ...]:
    return possible_strikes(state, cards()[frame.waiting[0]], frame.used) if frame.waiting else ()


def _apply_strike(run: EotsRun, frame: KamikazeFrame, order: Join) -> None:
    """Remove steps from the air unit and the ships. J-45 increases only the first strike (CP-37)."""
    name = frame.waiting[0]
    strike = kamikaze_strike(cards()[name])
    assert strike is not None
    bonuses = (step for _, step in effects_in_force(run.state) if isinstance(step, KamikazeBonus))
    bonus = 0 if frame.used else sum(step.extra for step in bonuses)
    targets = ships_in(run.state, order.at, frame.side.enemy)
    run.replace_top(replace(frame, waiting=frame.waiting[1:], used=(*frame.used, order.at)))
    for _ in range(strike.air_steps):
        lose_step(run, order.unit, Rule(name))
    run.push(
        LossFrame(
            side=frame.side, card=name, targets=targets, steps=strike.steps + bonus, spare=True
        ),
    )
