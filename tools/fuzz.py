"""Plays random legal games with any ruleset and checks invariants (robustness P9; samples run P2 and the leak test)."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.bots.random_player import Habit, RandomPlayer
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from saves.match import derive_secret
from tools.game_series import FAULTS, MAX_COMMANDS

SAMPLE_EVERY = 25
"""Number of commands between two runs of the expensive checks."""
_FREE_EVERY = 11
"""Number of commands between two attempts to give a free action, possibly for a role without a decision."""

HABITS = tuple(Habit)
"""Habits of the random players. Successive seeds cycle through them."""


class FuzzFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A violated invariant, with everything needed to reproduce it."""

    game: str
    scenario: str
    options: Mapping[str, str]
    """Rule options that were set for this game."""
    seed: int
    step: int
    """Number of commands played before the violation."""
    line: str
    """The last command, in notation."""
    problem: str

    @property
    def command_line(self) -> str:
        """Command line that replays this game."""
        options = "".join(f" --option {name}={value}" for name, value in self.options.items())
        return f"flagplot fuzz {self.game} --scenario {self.scenario} --seed {self.seed} --games 1{options}"


class FuzzResult(msgspec.Struct, frozen=True, kw_only=True):
    """One finished fuzz game."""

    seed: int
    scenario: str
    options: Mapping[str, str]
    commands: int
    seconds: float
    result: str
    finding: FuzzFinding | None


class _Run:
    """A game that is being fuzzed."""

    def __init__(
        self, rules: AnyRuleset, scenario: str, options: Mapping[str, str], seed: int
    ) -> None:
        self.rules = rules
        self.scenario = scenario
        self.options = options
        self.seed = seed
        self.secret = derive_secret(f"game {seed}")
        chooser = DerivedDice(derive_secret(f"player {seed}"), 0)
        self.order = DerivedDice(derive_secret(f"order {seed}"), 0)
        """Dice that choose which role acts if several roles have a decision."""
        self.player = RandomPlayer(chooser, HABITS[seed % len(HABITS)])
        self.position = rules.position(scenario, options)
        self.state: Any = rules.initial_state()
        self.copies: dict[Role | None, Any] = {}
        self.step = 0
        self.line = "(set-up)"

    def problem(self, text: str) -> FuzzFinding:
        """Return a finding at the current step."""
        return FuzzFinding(
            game=self.rules.game,
            scenario=self.scenario,
            options=self.options,
            seed=self.seed,
            step=self.step,
            line=self.line,
            problem=text,
        )

    def apply_events(self, events: tuple[Any, ...]) -> None:
        """Fold events into the full state and into the redacted copy of each role."""
        self.state = self.rules.fold(self.state, events)
        for role in (*self.rules.roles(self.state), None):
            copy = self.copies.get(role, self.rules.initial_state())
            self.copies[role] = self.rules.fold(copy, self.rules.redact_all(events, role))

    def check_question(self, decision: Decision[Any]) -> str:
        """Return a description of the error in a decision; empty if the decision is correct."""
        if not decision.options:
            return f"no options at {decision.rule}: {decision.prompt}"
        if len(set(decision.options)) != len(decision.options):
            return f"duplicate options at {decision.rule}: {decision.prompt}"
        if decision.default not in decision.options:
            return f"the default is not an option at {decision.rule}"
        return ""

    def check_copies(self) -> str:
        """Compare each role's redacted copy with the full state to detect leaked or lost information.

        Returns:
            A description of the first difference; empty if there is no difference.
        """
        for role, copy in self.copies.items():
            if self.rules.project(self.state, role) != self.rules.project(copy, role):
                return f"the copy of {role or 'a spectator'} gives a different view than the full state"
            if role is not None and role in self.rules.active_roles(self.state):
                if role not in self.rules.active_roles(copy):
                    return f"the copy of {role} does not show that it has to decide"
                if self.rules.decision(self.state, role) != self.rules.decision(copy, role):
                    return f"the decision of {role} depends on hidden information"
            if role is not None and (
                self.rules.free_actions(self.state, role) != self.rules.free_actions(copy, role)
            ):
                return f"the free actions of {role} depend on hidden information"
        return ""

    def check_notation(self, decision: Decision[Any]) -> str:
        """Return a report on the first option that cannot be parsed back from its notation; empty if there is none."""
        notation = self.rules.notation
        for option in decision.options:
            line = notation.line(option)
            if notation.parse(line) != option:
                return f"'{line}' parses as a different command"
        return ""

    def check_export(self) -> str:
        """Return a description of what is lost when the position is exported as a scenario file and read back (P2).

        Returns an empty string if nothing is lost.
        """
        text = msgspec.json.encode(self.rules.to_position(self.state))
        decoded = msgspec.json.decode(text, type=self.rules.position_type)
        if decoded != self.rules.to_position(self.state):
            return "the exported position differs after a round trip"
        return ""


def draw_settings(
    rules: AnyRuleset, scenarios: Sequence[str], seed: int
) -> tuple[str, dict[str, str]]:
    """Return a scenario and rule options derived from a seed.

    The number of options that differ from their defaults is uniformly distributed.
    """
    dice = DerivedDice(derive_secret(f"options {seed}"), 0)
    scenario, rulings = dice.pick(scenarios), rules.options()
    count = dice.randbelow(len(rulings) + 1)
    options: dict[str, str] = {}
    for number, ruling in enumerate(rulings):
        if dice.randbelow(len(rulings) - number) < count - len(options):
            options[ruling.id] = dice.pick(ruling.values[1:])
    return scenario, options


def play(
    rules: AnyRuleset,
    scenario: str,
    seed: int,
    options: Mapping[str, str] | None = None,
    *,
    sample_every: int = SAMPLE_EVERY,
    max_commands: int = MAX_COMMANDS,
) -> FuzzResult:
    """Play one random game and return its result.

    Args:
        rules: The game.
        scenario: Id of a scenario.
        seed: Determines the whole game.
        options: Rule options to set; all others have their defaults.
        sample_every: Number of commands between two runs of the expensive checks; 0 disables these checks.
        max_commands: Maximum number of commands. A longer game counts as endless.
    """
    started = time.perf_counter()
    run = _Run(rules, scenario, options or {}, seed)
    finding: FuzzFinding | None
    try:
        finding = _run(run, sample_every, max_commands)
    except FAULTS as error:
        finding = run.problem(f"{type(error).__name__}: {error}")
    outcome = rules.outcome(run.state)
    return FuzzResult(
        seed=seed,
        scenario=scenario,
        options=run.options,
        commands=run.step,
        seconds=time.perf_counter() - started,
        result=""
        if outcome is None
        else f"{'draw' if outcome.is_draw else outcome.winner_name} {outcome.level}".strip(),
        finding=finding,
    )


def _run(run: _Run, sample_every: int, max_commands: int) -> FuzzFinding | None:
    rules = run.rules
    run.apply_events(rules.open_game(run.position, DerivedDice(run.secret, 0)))
    while active_roles := rules.active_roles(run.state):
        if run.step >= max_commands:
            return run.problem(f"not finished after {max_commands} commands")
        role = active_roles[run.order.randbelow(len(active_roles))]
        decision, options = (
            rules.decision(run.state, role),
            rules.decision_with_free_actions(run.state, role),
        )
        is_sampled = sample_every > 0 and run.step % sample_every == 0
        problem = run.check_question(options) or _first_violation(rules, run.state)
        if is_sampled and not problem:
            problem = run.check_copies() or run.check_notation(options) or run.check_export()
        if problem:
            return run.problem(problem)
        free_decision = _free_decision(run) if run.step % _FREE_EVERY == 0 else None
        if free_decision is not None:
            role, decision = free_decision
        command = run.player.choose(
            rules.project(run.copies[role], role) if is_sampled else _NO_VIEW, decision
        )
        run.line = f"{role}: {rules.notation.line(command)}"
        events = rules.decide(run.state, role, command, DerivedDice(run.secret, run.step + 1))
        run.apply_events(events)
        run.step += 1
    if rules.outcome(run.state) is None:
        return run.problem("no role has to decide, but the game has no outcome")
    problem = _first_violation(rules, run.state)
    return run.problem(problem) if problem else None


def _free_decision(run: _Run) -> tuple[Role, Decision[Any]] | None:
    """Return the next role in rotation and its free actions; None if this role has no free actions."""
    rules, state = run.rules, run.state
    roles = rules.roles(state)
    role = roles[run.step // _FREE_EVERY % len(roles)]
    options = rules.free_actions(state, role)
    if not options:
        return None
    question = Decision(
        role=role,
        rule=rules.decision(state, rules.active_roles(state)[0]).rule,
        prompt="at any time",
        options=options,
        default=options[0],
    )
    return role, question


class _NoView:
    """Placeholder for a view, which the random player never reads."""


_NO_VIEW: Any = _NoView()


def _first_violation(rules: AnyRuleset, state: object) -> str:
    return next(iter(rules.violations(state)), "")
