"""A small open game of one side against the system, with an option for the side's number of commanders.

Each round all commanders simultaneously search one of their sectors or stay (1.1). When the last one has answered, a
die and the chart determine what each search finds (1.2). A die decides whether the enemy raids. All commanders are then
asked simultaneously whether they evade (1.3), and one who does not may be hit (1.4). After the last round, the side
wins if its finds exceed its losses by enough (1.5). Each commander may rally once per game, at any time (1.6). The
players can use their own chart.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, TypeAlias, assert_never

import msgspec
from typing_extensions import override

from engine.kernel.decision import Decision, Outcome
from engine.kernel.dice import Dice, Die
from engine.kernel.errors import DataError, PositionError
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.memo import CachedState
from engine.kernel.notation import Notation
from engine.kernel.ruleset import USER_DATA, Command, Event, Ruleset, ScenarioInfo, View
from engine.kernel.rulings import Ruling, check_options

US, SECOND, THIRD, FOURTH = ROLES = tuple(map(Role, ("us", "second", "third", "fourth")))
SIDE = Role("us")
"""The team that wins or loses."""
D10 = Die(0, 9)
SECTORS = 3
"""Sectors of each commander."""
RAIDED, HIT = 6, 7
"""A face below the first number brings a raid, and a face of at least the second is a hit."""
LESSON = "Several commanders search at once.\nWho does not evade may be hit."
_ROUNDS = {"drill": 2, "cruise": 12, "war": 200}
_USUAL_CHART = (0, 0, 0, 0, 0, 1, 1, 1, 2, 3)

Chart = Annotated[tuple[int, ...], msgspec.Meta(min_length=10, max_length=10)]
"""The finds of a search, by the face of the die."""

STAFF = Ruling(
    id="staff",
    rule=Rule("1.1"),
    question="How many commanders share the side?",
    answers={"one": "one", "two": "two", "three": "three", "four": "four"},
    decides_roles=True,
)
RALLY = Ruling(
    id="rally",
    rule=Rule("1.6"),
    question="May commanders rally?",
    answers={"on": "once a game", "off": "never"},
)


def staff_of(options: Mapping[str, str]) -> tuple[Role, ...]:
    """Return the commanders of a match."""
    return ROLES[: STAFF.values.index(STAFF.value(options)) + 1]


class Overlay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The players' own data."""

    chart: Chart


class Search(Command, frozen=True, kw_only=True, tag="search"):
    """Search one of the own sectors (1.1)."""

    sector: int


class Stay(Command, frozen=True, kw_only=True, tag="stay"):
    """Search nothing this round (1.1)."""


class Evade(Command, frozen=True, kw_only=True, tag="evade"):
    """Evade a raid at the cost of a find (1.3)."""


class Stand(Command, frozen=True, kw_only=True, tag="stand"):
    """Let a raid come (1.3)."""


class Rally(Command, frozen=True, kw_only=True, tag="rally"):
    """Win back a loss, once (1.6)."""


StaffCommand: TypeAlias = Search | Stay | Evade | Stand | Rally


class StaffPosition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position of the game."""

    rounds: int
    round: int = 1
    orders: Mapping[Role, int] = {}
    """Sectors of this round by commander, 0 for staying."""
    raided: tuple[Role, ...] = ()
    """Commanders who still have to answer whether they evade."""
    rallied: tuple[Role, ...] = ()
    found: int = 0
    lost: int = 0
    options: Mapping[str, str] = {}
    chart: Chart = _USUAL_CHART
    own: bytes = b""
    """The overlay with the chart; empty for the default one."""


class StaffState(CachedState, frozen=True, kw_only=True):
    """The whole game, which has no hidden information."""

    at: StaffPosition


class Began(Event, frozen=True, kw_only=True, tag="began"):
    """The game began."""

    position: StaffPosition


class Ordered(Event, frozen=True, kw_only=True, tag="ordered"):
    """A commander searches, or stays with sector 0 (1.1)."""

    role: Role
    sector: int


class Looked(Event, frozen=True, kw_only=True, tag="looked"):
    """A search was read from the chart (1.2)."""

    role: Role
    face: int
    found: int


class RaidCame(Event, frozen=True, kw_only=True, tag="raid-came"):
    """The enemy raids (1.3)."""

    raided: tuple[Role, ...]


class Answered(Event, frozen=True, kw_only=True, tag="answered"):
    """A commander evaded, or was hit or not (1.3, 1.4)."""

    role: Role
    cost: int
    """Finds given up."""
    lost: int


class Rallied(Event, frozen=True, kw_only=True, tag="rallied"):
    """A commander won back a loss (1.6)."""

    role: Role


class RoundEnded(Event, frozen=True, kw_only=True, tag="round-ended"):
    """A round is over."""


StaffEvent: TypeAlias = Began | Ordered | Looked | RaidCame | Answered | Rallied | RoundEnded
StaffLedger: TypeAlias = Ledger[StaffState, StaffEvent]


class StaffView(View, frozen=True, kw_only=True):
    """The view that everyone sees."""

    role: Role | None
    at: StaffPosition


class ToyStaff(Ruleset[StaffState, StaffCommand, StaffEvent, StaffView, StaffPosition]):
    """The game of several commanders."""

    game = "staff"
    title = "Staff"
    edition = "first"
    sequence_rule = Rule("1.0")
    version = 1
    data_digest = "00" * 32
    notation: Notation[StaffCommand] = Notation((Search, Stay, Evade, Stand, Rally))
    command_type = StaffCommand
    event_type = StaffEvent
    position_type = StaffPosition
    is_open = True

    @override
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return games of 2, 12 and 200 rounds for one commander."""
        return tuple(
            ScenarioInfo(
                id=name,
                name=name.title(),
                rule=Rule("1.5"),
                summary=f"{rounds} rounds",
                roles=(US,),
                teams={SIDE: (US,)},
                briefing=LESSON if name == "drill" else "",
            )
            for name, rounds in _ROUNDS.items()
        )

    @override
    def scenario_info(self, scenario: str, options: Mapping[str, str]) -> ScenarioInfo:
        """Return a scenario for the number of commanders set by the option."""
        check_options(self.options(), options)
        info, staff = super().scenario_info(scenario, options), staff_of(options)
        halves = (staff[::2], staff[1::2])
        seatings = ((staff,), halves) if len(staff) > len(halves) else ((staff,),)
        return msgspec.structs.replace(info, roles=staff, teams={SIDE: staff}, seatings=seatings)

    @override
    def options(self) -> tuple[Ruling, ...]:
        """Return the number of commanders, and whether they rally."""
        return (STAFF, RALLY)

    @override
    def position(self, scenario: str, options: Mapping[str, str]) -> StaffPosition:
        self.scenario_info(scenario, options)
        return StaffPosition(rounds=_ROUNDS[scenario], options=dict(options))

    @override
    def with_data(self, position: StaffPosition, overlay: bytes) -> StaffPosition:
        try:
            chart = msgspec.json.decode(overlay, type=Overlay).chart
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(USER_DATA, "chart", str(error)) from error
        return msgspec.structs.replace(position, chart=chart, own=overlay)

    @override
    def user_data(self, position: StaffPosition) -> bytes:
        return position.own

    @override
    def check_position(self, position: StaffPosition) -> None:
        """Accept only positions of known commanders with the chart of their overlay."""
        staff = staff_of(position.options)
        if not {*position.orders, *position.raided, *position.rallied} <= set(staff):
            raise PositionError("staff", "orders", "there is no such commander")
        usual = msgspec.structs.replace(position, chart=_USUAL_CHART)
        if (self.with_data(usual, position.own) if position.own else usual) != position:
            raise PositionError("staff", "chart", "this is not the chart of the overlay")

    @override
    def open_game(self, position: StaffPosition, dice: Dice) -> tuple[StaffEvent, ...]:
        return (Began(position=position),)

    @override
    def initial_state(self) -> StaffState:
        """Return the blank state, in which the game is over."""
        return StaffState(at=StaffPosition(rounds=0))

    @override
    def to_position(self, state: StaffState) -> StaffPosition:
        return state.at

    @override
    def roles(self, state: StaffState) -> tuple[Role, ...]:
        return staff_of(state.at.options)

    @override
    def active_roles(self, state: StaffState) -> tuple[Role, ...]:
        """Return the commanders who have not answered a raid or, otherwise, those who have not ordered a search."""
        at = state.at
        if at.round > at.rounds:
            return ()
        return at.raided or tuple(role for role in self.roles(state) if role not in at.orders)

    @override
    def decision(self, state: StaffState, role: Role) -> Decision[StaffCommand]:
        if state.at.raided:
            return Decision(
                role=role,
                rule=Rule("1.3"),
                prompt="Evade the raid?",
                options=(Evade(), Stand()),
                default=Stand(),
                is_window=True,
            )
        first = ROLES.index(role) * SECTORS + 1
        return Decision(
            role=role,
            rule=Rule("1.1"),
            prompt=f"Search one of the sectors of {role}",
            options=(*(Search(sector=first + add) for add in range(SECTORS)), Stay()),
            default=Stay(),
        )

    @override
    def free_actions(self, state: StaffState, role: Role) -> tuple[StaffCommand, ...]:
        """Return the rally of a commander who has not rallied (1.6)."""
        at = state.at
        may = RALLY.value(at.options) == RALLY.default and role not in at.rallied
        return (Rally(),) if may and at.lost and self.active_roles(state) else ()

    @override
    def resolve(self, ledger: StaffLedger, role: Role, command: StaffCommand) -> None:
        match command:
            case Search(sector=sector):
                ledger.add(Ordered(role=role, sector=sector))
                self._look(ledger)
            case Stay():
                ledger.add(Ordered(role=role, sector=0))
                self._look(ledger)
            case Evade():
                ledger.add(Answered(role=role, cost=min(1, ledger.state.at.found), lost=0))
                _close(ledger)
            case Stand():
                hit = int(ledger.dice.roll(D10) >= HIT)
                ledger.add(Answered(role=role, cost=0, lost=hit))
                _close(ledger)
            case Rally():
                ledger.add(Rallied(role=role))
            case _:
                assert_never(command)

    def _look(self, ledger: StaffLedger) -> None:
        """Read all searches after the last commander has answered, and roll for a raid (1.2, 1.3)."""
        if self.active_roles(ledger.state):
            return
        for role in self.roles(ledger.state):
            if ledger.state.at.orders[role]:
                face = ledger.dice.roll(D10)
                ledger.add(Looked(role=role, face=face, found=ledger.state.at.chart[face]))
        if ledger.dice.roll(D10) < RAIDED:
            ledger.add(RaidCame(raided=self.roles(ledger.state)))
        else:
            ledger.add(RoundEnded())

    @override
    def why_not(self, state: StaffState, role: Role, command: StaffCommand) -> tuple[Refusal, ...]:
        if self.is_legal(state, role, command):
            return ()
        if isinstance(command, Search) and not 0 <= _own(command, role) < SECTORS:
            return (Refusal(Rule("1.1"), "this is another commander's sector"),)
        return (Refusal(Rule("1.1"), "nobody asks for this now"),)

    @override
    def evolve(self, state: StaffState, event: StaffEvent) -> StaffState:
        at, change = state.at, msgspec.structs.replace
        match event:
            case Began(position=position):
                return StaffState(at=position)
            case Ordered(role=role, sector=sector):
                return StaffState(at=change(at, orders={**at.orders, role: sector}))
            case Looked(found=found):
                return StaffState(at=change(at, found=at.found + found))
            case RaidCame(raided=raided):
                return StaffState(at=change(at, raided=raided))
            case Answered(role=role, cost=cost, lost=lost):
                raided = tuple(each for each in at.raided if each != role)
                return StaffState(
                    at=change(at, raided=raided, found=at.found - cost, lost=at.lost + lost)
                )
            case Rallied(role=role):
                return StaffState(at=change(at, rallied=(*at.rallied, role), lost=at.lost - 1))
            case RoundEnded():
                return StaffState(at=change(at, round=at.round + 1, orders={}))
            case _:
                assert_never(event)

    @override
    def outcome(self, state: StaffState) -> Outcome | None:
        """Return whether the side has won, or lost to the system."""
        at = state.at
        if at.round <= at.rounds:
            return None
        score, has_won = at.found - at.lost, at.found > at.lost
        return Outcome(
            winner=SIDE if has_won else None,
            level="",
            score=abs(score),
            reason="1.5: finds against losses",
            is_lost=not has_won,
        )

    @override
    def project(self, state: StaffState, role: Role | None) -> StaffView:
        return StaffView(role=role, at=state.at)

    @override
    def redact(self, event: StaffEvent, role: Role | None) -> StaffEvent:
        return event

    @override
    def redact_command(self, command: StaffCommand, giver: Role, role: Role | None) -> StaffCommand:
        return command

    @override
    def log_sentence(self, event: StaffEvent) -> str:
        match event:
            case Began():
                return f"A game of {event.position.rounds} rounds begins."
            case Ordered():
                return f"{event.role} searches sector {event.sector}." if event.sector else ""
            case Looked():
                return f"{event.role} finds {event.found} (chart: {event.face})."
            case RaidCame():
                return "A raid comes."
            case Answered():
                return f"{event.role} is hit." if event.lost else f"{event.role} is not hit."
            case Rallied():
                return f"{event.role} rallies."
            case RoundEnded():
                return ""
            case _:
                assert_never(event)

    @override
    def heading(self, state: StaffState) -> str:
        return self.turn_name(state)

    @override
    def turn_name(self, state: StaffState) -> str:
        return f"Round {min(state.at.round, state.at.rounds)} of {state.at.rounds}"

    @override
    def violations(self, state: StaffState) -> Iterator[str]:
        if state.at.lost < 0 or state.at.found < 0:
            yield "a count is below zero"


def _own(command: Search, role: Role) -> int:
    """Return which of a commander's sectors is searched. Outside 0 to 2 it belongs to another commander."""
    return command.sector - 1 - ROLES.index(role) * SECTORS


def _close(ledger: StaffLedger) -> None:
    """End the round if no commander is left to answer the raid."""
    if not ledger.state.at.raided:
        ledger.add(RoundEnded())


TOY_STAFF = ToyStaff()
