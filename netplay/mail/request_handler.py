"""Submits the requests in a seat's move file to the match table in order, as if the seat were connected."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.feed.host_session import HostSession, Verdict
from netplay.mail.lookahead import Simulation, simulate
from netplay.mail.mailboxes import SeatMailState
from netplay.mail.move_files.move_file_report import MoveFileReport
from netplay.mail.move_files.move_payload import MoveFileError, MovePayload
from netplay.match.match_table import MatchTable
from netplay.wire.errors import ProtocolError
from netplay.wire.messages import (
    Accepted,
    Bye,
    MakeOffer,
    OfferAnswer,
    PollUpdates,
    Refused,
    Say,
    Submit,
    decode_request,
)
from netplay.wire.sanitising import REASON_LIMIT, sanitise
from saves.decoding import decode
from saves.errors import UnreadableError
from saves.records import Record

Request = Say | MakeOffer | OfferAnswer

_STALE: Final = "the game has changed in the meantime; look at it again"


@dataclass(frozen=True, slots=True)
class MailRequestHandler:
    """Processes the requests in one move file from a seat."""

    table: MatchTable
    session: HostSession
    role: Role
    seat_state: SeatMailState
    report: MoveFileReport
    """The report on the file, updated as requests are processed."""

    async def submit_commands(self, submits: tuple[Submit, ...]) -> None:
        """Submit commands in order. A command that has already been recorded is not submitted again."""
        match, role, report = self.table.match, self.role, self.report
        commands = [self._decode_command(submit) for submit in submits]
        record_numbers: list[int] = []
        """The record numbers of the commands that have been recorded so far."""
        simulations: dict[int, tuple[int, Simulation]] = {}
        for index, submit in enumerate(submits):
            expected_seq = submit.expected_seq
            record = self._next_own_record(max([expected_seq, *record_numbers]))
            if record is not None:
                if record.command is None or record.command.body != submit.command:
                    report.add_refusal(submits[index:], _STALE)
                    return
                record_numbers.append(record.seq)
                report.already_known += 1
                continue
            if expected_seq not in simulations and 0 <= expected_seq <= match.seq:
                # The state after the expected record already includes the commands recorded up to
                # that point, so only the later ones are simulated.
                known_count = sum(seq <= expected_seq for seq in record_numbers)
                known_commands = list(
                    takewhile(lambda candidate: candidate is not None, commands[known_count:])
                )
                state = match.state_at(expected_seq)
                simulations[expected_seq] = (
                    known_count,
                    simulate(match.ruleset, role, state, known_commands),
                )
            verdict: Verdict | Bye | None = None
            command = commands[index]
            if command is None or (
                expected_seq in simulations
                and self._should_submit(
                    simulations[expected_seq][1], index - simulations[expected_seq][0], command
                )
            ):
                # A file may be read again later. The id contains the record number, so that the
                # table does not return an old refusal.
                request = msgspec.structs.replace(
                    submit, expected_seq=match.seq, request_id=f"{submit.request_id}@{match.seq}"
                )
                verdict = await self.table.request(self.session, request)
            if not isinstance(verdict, Accepted):
                text = verdict.text if isinstance(verdict, Refused) else _STALE
                # The player gave the later commands on the assumption that this one would succeed,
                # so they are refused too.
                report.add_refusal(submits[index:], text)
                return
            record_numbers.append(verdict.seq)
            report.carried_out += 1

    def _decode_command(self, submit: Submit) -> Any:  # noqa: ANN401  # a command of any game
        """Decode the command in a message. Return None if it is not a command of this game."""
        decoder = msgspec.msgpack.Decoder(self.table.match.ruleset.command_type)
        try:
            return decode(decoder, submit.command, len(submit.command))
        except UnreadableError:
            return None

    def _next_own_record(self, after: int) -> Record | None:
        """Return the first record after ``after`` that contains a command by this seat; None if there is none."""
        records = self.table.match.records[max(after, -1) + 1 :]
        return next(
            (record for record in records if record.kind == "command" and record.role == self.role),
            None,
        )

    def _should_submit(self, simulation: Simulation, number: int, command: Command) -> bool:
        """Return whether to submit a command.

        A command is submitted if it is still valid. The first illegal command is also submitted, so that the player
        receives the reason for the refusal.
        """
        match = self.table.match
        return simulation.first_illegal == number or simulation.is_still_valid(
            number, match.ruleset, match.state, command
        )

    async def submit_requests(self, requests: tuple[Request, ...]) -> None:
        """Submit chat and offer messages, except messages that an earlier file contained."""
        seat_state, session, report = self.seat_state, self.session, self.report
        for request in requests:
            if request.request_id in seat_state.requests:
                continue
            # The rate limit is reset, because one file may contain messages from several days.
            session.allowance = type(session.allowance)()
            verdict = await self.table.request(session, request)
            seat_state.add_request(request.request_id)
            if isinstance(verdict, Refused):
                report.refused.append(verdict)
            elif isinstance(request, Say):
                report.chat_texts.append(sanitise(request.text, REASON_LIMIT))


def parse_requests(
    payload: MovePayload, sender: str
) -> tuple[PollUpdates, tuple[Submit, ...], tuple[Request, ...]]:
    """Return the requests in a seat's move file: the request for updates, the commands, and all other requests.

    Raises:
        MoveFileError: No seat could have written such a file.
    """
    try:
        poll, *other_requests = map(decode_request, payload.messages)
    except (ProtocolError, ValueError) as error:
        raise MoveFileError(f"the file from {sender} cannot be read") from error
    submits = tuple(request for request in other_requests if isinstance(request, Submit))
    requests = tuple(
        request for request in other_requests if isinstance(request, Say | MakeOffer | OfferAnswer)
    )
    if not isinstance(poll, PollUpdates) or len(submits) + len(requests) != len(other_requests):
        raise MoveFileError(f"the file from {sender} contains messages that a seat does not send")
    return poll, submits, requests
