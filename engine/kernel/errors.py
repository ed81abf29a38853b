"""All errors of the program, as a tree.

::

    FlagplotError
    +-- IllegalCommandError         an illegal command; expected, shown to the player
    +-- DataError                   a file violates its schema, or a name is unknown
    |   +-- PositionError           a scenario file with a position that no game could reach
    |   +-- ScriptError             a script line that cannot be read
    |       +-- ScriptFailure       a script line that fails
    +-- NotationError               a command line that cannot be read
    +-- ScriptedDiceError           a script needed more rolls than it lists
    +-- ExpectationError            a script's expectation that is not met
    +-- ChanceRevealedError         a draft reached a die roll or a card draw
    +-- HiddenError                 a seat's copy was asked for hidden information
    +-- UnreadableError             bytes in an unexpected format           (saves)
    +-- CorruptLogError             a damaged record file                   (saves)
    +-- ImportRefusedError          text that is not a complete export      (saves)
    +-- LogInUseError               another process is writing this record  (saves)
    +-- StorageError                a disk operation failed                 (saves)
    +-- MemoryLimitError            there is not enough memory              (saves)
    +-- LibraryError                a library has a known fault             (saves)
    +-- MissingLibraryError         an optional library is not installed    (saves)
    +-- BrokenChainError            a record does not continue this copy    (saves)
    +-- OlderRulesError             a match with a different rules version  (saves)
    +-- FairPlayError               a party broke its commitment            (saves)
    |   +-- DeckCheatError            a seat cheated with encrypted cards
    |   +-- BrokenDeckError           a card that cannot be in its deck
    +-- PointError                  not a point in the cards' group         (saves)
    +-- GroupElementError           not a point or scalar in protocol 7     (saves)
    +-- MixProofError               an invalid mix or mix proof             (saves)
    +-- BoxError                    an encrypted box cannot be opened       (saves)
    +-- BlindingReuseError          a blinding that would hide two cards    (saves)
    +-- LabelError                  a move that does not fit any label      (saves)
    +-- InvalidMessageError         a refused message                       (saves)
    +-- DivergedError               a copy resolves a command differently   (saves)
    +-- StopError                   a resolution that waits for a mix or a card (saves)
    +-- LinksNeededError            a random result that waits for the parties (saves)
    +-- ComparisonError             copies that cannot be compared          (saves)
    +-- FalseRecordError            a record that contradicts a commitment (saves)
    |   +-- RulesDisagreeError      the current rules do not produce a record (saves)
    +-- WorkerDiedError             a worker process ended too early        (saves)
    +-- SeatError                   a role that this copy does not show     (saves)
    +-- StaleCommandError           a command for an earlier position       (saves)
    +-- MatchError                  a match cannot do this now              (saves)
    |   +-- RedactedCopyError       only the host's copy can do this (saves)
    +-- NetworkError                the network or the other side failed    (netplay)
    |   +-- ForeignError            the other side, or data from it, is unexpected
    |   |   +-- ProtocolError         the other side violated the protocol
    |   |   +-- SeatRefusedError      the host does not allow this key in this seat
    |   +-- FoulPlayError           the host did something dishonest
    |   +-- ConnectionLostError     the peer cannot be reached
    |   +-- AddressError            an address that the host cannot listen on
    |   +-- FolderInUseError        another host is using the folder
    |   +-- MoveFileError           a move file that was refused; nothing has changed
    |   |   +-- OtherMatchError         a move file for a match or seat that is unknown here
    |   +-- InviteError             an invite file that cannot be used
    |   +-- UnavailableError        the host cannot do this at present
    |   +-- BrokenMatchError        a match that repeatedly crashed its process
    +-- SeatInUseError              another program is using this seat      (netplay)
    +-- SlotUsedError               a second message for one slot           (netplay)
    +-- SeatHaltedError             a seat has stopped                      (netplay)
    +-- SeatResumingError           a restarted seat is waiting for answers (netplay)
    +-- WorkerEndedError            a worker process ended before answering (netplay)
    +-- StandingOrderError          text that is not a standing order       (play)
    +-- BotProcessError             a bot's process did not answer          (play)
    +-- LessonError                 a lesson expects something else         (play)
    +-- NotesError                  notes that cannot be saved (play)
    +-- SessionError                a table cannot do this, such as a replay (play)
    +-- TerminalError               the terminal cannot show the program    (tui)
    +-- NoInputError                the input ended before the first line   (tui)
    +-- UnknownParagraphError       a number that is not in the reference   (tools)
    +-- OtherCheckoutError          another checkout that cannot be measured (tools)
    +-- BaselineError               another engine that cannot be measured  (tools)
    +-- DifferentRollError          a seat's copy rolls differently         (tools)

Packages derive their own leaf classes. No package raises a bare ``Exception``.
"""

from typing import ClassVar

from engine.kernel.ids import Refusal


class FlagplotError(Exception):
    """Base class of every expected failure. ``str()`` returns one sentence for the user."""

    exit_code: ClassVar[int] = 1
    """Exit status if this error ends a command: 1 failed check, 2 usage, 3 bad file or name, 4 network, 5 terminal."""


class IllegalCommandError(FlagplotError):
    """A command that the rules refuse. The state is unchanged."""

    exit_code = 1

    def __init__(self, line: str, refusals: tuple[Refusal, ...]) -> None:
        """Store the command's notation line and all reasons why the command is illegal."""
        self.line = line
        self.refusals = refusals
        reasons = "; ".join(str(refusal) for refusal in refusals)
        super().__init__(f"'{line}' is not legal now: {reasons}")


class DataError(FlagplotError):
    """A file violates its schema. The message names the file and the path to the field."""

    exit_code = 3

    def __init__(self, file: str, path: str, problem: str) -> None:
        """Store the location of the problem and its description."""
        self.file = file
        self.path = path
        self.problem = problem
        location = f"{file} at {path}" if path else file
        super().__init__(f"{location}: {problem}")


class PositionError(DataError):
    """A scenario file describes a position that the rules do not allow."""


class NotationError(FlagplotError):
    """A command line that does not name a command, or has the wrong arguments for it."""

    exit_code = 2

    def __init__(self, line: str, problem: str) -> None:
        """Store the typed line and the problem with it."""
        self.line = line
        self.problem = problem
        super().__init__(f"cannot read '{line}': {problem}")


class HiddenError(FlagplotError):
    """A copy of the game was asked for information that is hidden from its seat."""


class ScriptedDiceError(FlagplotError):
    """There are no scripted faces left, or the scripted face is not on the die."""
