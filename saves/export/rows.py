"""Computes the rows of one record file."""

from collections.abc import Collection, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from engine.kernel.decision import Decision, Outcome
from engine.kernel.ids import BOT_PREFIX, Role
from engine.kernel.memo import trim_cache
from engine.kernel.ruleset import Command
from engine.registry import AnyRuleset, AnyState
from saves.codec import codec
from saves.entries import decode_command
from saves.export.tables import (
    DecisionRow,
    DieRow,
    EventRow,
    GameRow,
    GivenCommandRow,
    ResultRow,
    Row,
    TableName,
)
from saves.headers import FULL, Header, audience_role
from saves.logfile import Log
from saves.records import Record
from saves.teams import find_side, match_info
from saves.terms import current_terms
from saves.timeline import Timeline, attribute_errors, mainline

Rows: TypeAlias = dict[TableName, list[Row]]
_encode_json: Final = msgspec.json.Encoder(order="deterministic").encode


class RecordRows:
    """Computes one file's rows in a single pass over its records."""

    def __init__(
        self, number: int, file: str, log: Log, rules: AnyRuleset, tables: Collection[TableName]
    ) -> None:
        """Prepare the rows of a file.

        Args:
            number: The file's ``game_no``.
            file: The file's path, for the table of games.
            log: The file's contents.
            rules: The game's rules.
            tables: The tables whose rows are wanted.
        """
        self._number = number
        self._file = file
        self._log = log
        self._rules = rules
        self._tables = tables
        self._rows: Rows = {table: [] for table in tables}

    def compute(self) -> Rows:
        """Return the rows of each table.

        Raises:
            BrokenChainError: The rules cannot process a record.
        """
        header, records, rules = self._log.header, self._log.records, self._rules
        main = frozenset(mainline(records))
        timeline: Timeline[Any] = Timeline(rules)
        if not self._needs_states:
            for record in records:
                with attribute_errors(record.seq):
                    self._add_events(record)
            return self._rows
        for record in records:
            before = timeline.state
            with attribute_errors(record.seq):
                if record.kind == "command":
                    self._add_command(record, before, is_undone=record.seq not in main)
                events = self._add_events(record)
            timeline.add(record, self._state_after(timeline, record, events))
        with attribute_errors(len(records) - 1):
            terms = current_terms(rules, header, records)
            outcome = terms.outcome(timeline.state)
            how = "rules" if terms.ending is None else terms.ending.how
            self._add_game(header, records, outcome, how)
            self._add_results(header, outcome)
        # The caches refer to the states that own them, so they would live until the next garbage
        # collection.
        trim_cache(timeline.state, 0)
        return self._rows

    @property
    def _needs_states(self) -> bool:
        """Return whether a table depends on the states, which take longer to compute than the events."""
        return any(table not in {"events", "dice"} for table in self._tables)

    def _state_after(
        self, timeline: Timeline[Any], record: Record, events: Sequence[Any]
    ) -> AnyState:
        if record.takeback_to is not None:
            return timeline.state_at(record.takeback_to)
        with attribute_errors(record.seq):
            return self._rules.fold(timeline.state, tuple(events))

    def _add_command(self, record: Record, state: AnyState, *, is_undone: bool) -> None:
        rules, seq = self._rules, record.seq
        command = None if record.command is None else decode_command(rules, record.command)
        line = "" if command is None else rules.notation.line(command)
        if "commands" in self._rows:
            self._rows["commands"].append(
                GivenCommandRow(
                    self._number,
                    seq,
                    rules.turn_name(state),
                    record.role,
                    "" if command is None else rules.notation.verb(command),
                    line,
                    is_undone,
                )
            )
        if "decisions" in self._rows and self._knows_decisions_of(record.role):
            decision = self._decision(state, record.role)
            if decision is not None:
                self._rows["decisions"].append(_decision_row(self._number, seq, decision, command))

    def _knows_decisions_of(self, role: Role) -> bool:
        header = self._log.header
        return header.audience == FULL or role == audience_role(header)

    def _decision(self, state: AnyState, role: Role) -> Decision[Any] | None:
        """Return a role's open decision; None if the role gave an any-time command and had no decision to make."""
        rules = self._rules
        return rules.decision(state, role) if role in rules.active_roles(state) else None

    def _add_events(self, record: Record) -> list[Any]:
        """Add a record's event and die-roll rows, and return its visible events."""
        rules, number, seq = self._rules, self._number, record.seq
        decode = codec(rules).event
        event_rows, die_rows = self._rows.get("events"), self._rows.get("dice")
        events = []
        for index, entry in enumerate(record.events, start=1):
            if entry.body is None:
                continue
            event = decode(entry.tag, entry.v, entry.body)
            events.append(event)
            if event_rows is not None:
                data = msgspec.Raw(_encode_json(event))
                event_rows.append(EventRow(number, seq, index, entry.tag, data))
            if die_rows is not None:
                die_rows.extend(
                    DieRow(
                        number,
                        seq,
                        index,
                        roll.face,
                        roll.modifier,
                        roll.rule,
                        roll.purpose,
                        roll.about,
                        roll.result,
                    )
                    for roll in rules.die_rolls(event)
                )
        return events

    def _add_game(
        self, header: Header, records: Sequence[Record], outcome: Outcome | None, how: str
    ) -> None:
        if "games" not in self._rows:
            return
        self._rows["games"].append(
            GameRow(
                self._number,
                self._file,
                header.match_id,
                header.game,
                header.edition,
                header.rules_version,
                header.data_digest,
                header.scenario,
                msgspec.Raw(_encode_json(dict(header.options))),
                header.audience,
                len(records),
                sum(record.kind == "command" for record in records),
                sum(len(record.events) for record in records),
                outcome is not None,
                "" if outcome is None else outcome.winner_name,
                "" if outcome is None else outcome.level,
                None if outcome is None else outcome.score,
                "" if outcome is None else how,
                0 if self._log.torn is None else self._log.torn.dropped_bytes,
                records[-1].chain.hex(),
            )
        )

    def _add_results(self, header: Header, outcome: Outcome | None) -> None:
        if "results" not in self._rows:
            return
        info = match_info(self._rules, header)
        for seat in header.seats:
            side = find_side(info, seat.role) or seat.role
            self._rows["results"].append(
                ResultRow(
                    self._number,
                    seat.role,
                    side,
                    seat.player,
                    seat.player.removeprefix(BOT_PREFIX)
                    if seat.player.startswith(BOT_PREFIX)
                    else "",
                    _result(outcome, side),
                )
            )


def _decision_row(
    number: int, seq: int, decision: Decision[Any], command: Command | None
) -> DecisionRow:
    options = decision.options
    return DecisionRow(
        number,
        seq,
        decision.role,
        decision.rule,
        decision.prompt,
        len(options),
        options.index(command) if command in options else None,
        command == decision.default,
        decision.is_window,
    )


def _result(outcome: Outcome | None, side: str) -> str:
    if outcome is None:
        return ""
    if outcome.is_draw:
        return "draw"
    return "win" if outcome.winner == side else "loss"
