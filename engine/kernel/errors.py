"""The one tree of errors.

::

    FlagplotError
    +-- IllegalCommandError         a refused order; expected, shown to the player
    +-- DataError                   a file breaks its schema, or a name is unknown
    |   +-- PositionError           a scenario file that no game could reach
    |   +-- ScriptError             a script line that cannot be read
    |       +-- ScriptFailure       a script line that does not hold
    +-- NotationError               a command line that cannot be read
    +-- ScriptedDiceError           a script rolled more often than it said
    +-- ExpectationError            an expectation of a script does not hold
    +-- ChanceRevealedError         a draft came to a die or a card
    +-- HiddenError                 a seat's copy was asked for what it does not know
    +-- UnreadableError             bytes of another shape                  (saves)
    +-- CorruptLogError             a record file that is damaged           (saves)
    +-- ImportRefusedError          text that is not a whole export         (saves)
    +-- LogInUseError               another process writes this record      (saves)
    +-- StorageError                the disk refused                        (saves)
    +-- MemoryLimitError            there is not enough memory              (saves)
    +-- LibraryError                a library has a known fault             (saves)
    +-- BrokenChainError            a record does not continue this copy    (saves)
    +-- OlderRulesError             a match has other rules                 (saves)
    +-- FairPlayError               a party gave what it did not promise    (saves)
    |   +-- DeckCheatError            a seat cheated with cards in cipher
    |   +-- BrokenDeckError           a card that cannot be in its deck
    +-- PointError                  no point of the cards' group            (saves)
    +-- GroupElementError           no point or scalar of protocol 7        (saves)
    +-- MixProofError               a mix or its proof is false             (saves)
    +-- BoxError                    a box does not open                     (saves)
    +-- BlindingReuseError          a blinding would hide two cards         (saves)
    +-- LabelError                  a move that fits no label               (saves)
    +-- Problem                     a message that is refused               (saves)
    +-- DivergedError               a copy resolves a command otherwise     (saves)
    +-- StopError                   a resolution waits for a mix or a card  (saves)
    +-- LinksNeededError            chance waits for the parties            (saves)
    +-- ComparisonError             copies that cannot be compared          (saves)
    +-- FalseRecordError            a record is not what was promised       (saves)
    |   +-- RulesDisagreeError      today's rules would not make it         (saves)
    +-- WorkerDiedError             a process that helped ended too early   (saves)
    +-- StaleCommandError           a command answers an older position     (saves)
    +-- MatchError                  a match cannot do this now              (saves)
    |   +-- RedactedCopyError       only the judge's copy can               (saves)
    +-- NetworkError                the network or the other side failed    (netplay)
    |   +-- ForeignError            the other side said or is something wrong
    |   |   +-- ProtocolError         it broke the protocol
    |   |   +-- SeatRefusedError      the host keeps this key out of this seat
    |   +-- FoulPlayError           the host did what no honest host does
    |   +-- ConnectionLostError     the peer cannot be reached
    |   +-- AddressError            an address that cannot be listened on
    |   +-- FolderInUseError        another host serves the folder
    |   +-- MoveFileError           a move file that is not taken; nothing has changed
    |   |   +-- OtherMatchError         of a match or a seat that is not known here
    |   +-- InviteError             an invite file that cannot be used
    |   +-- UnavailableError        the host cannot do this for now
    |   +-- BrokenMatchError        a match that ended its process again and again
    +-- SeatInUseError              another program uses this seat          (netplay)
    +-- SlotUsedError               a second message for one slot           (netplay)
    +-- SeatHaltedError             a seat has stopped                      (netplay)
    +-- SeatResumingError           a seat waits for answers after a start  (netplay)
    +-- WorkerEndedError            a worker process ended before its answer (netplay)
    +-- StandingOrderError          what was said is not a standing order   (play)
    +-- BotProcessError             a bot's process gave no answer          (play)
    +-- LessonError                 a lesson waits for something else       (play)
    +-- NotesError                  notes that cannot be kept               (play)
    +-- SessionError                a table cannot do this, such as a replay (play)
    +-- TerminalError               the terminal cannot show the program    (tui)
    +-- NoInputError                the input ended before the first line   (tui)
    +-- SeatError                   a role that this copy does not show     (tools)
    +-- UnknownParagraphError       the reference has no such number        (tools)
    +-- OtherCheckoutError          another checkout that cannot be measured (tools)
    +-- BaselineError               another engine that cannot be measured  (tools)
    +-- DifferentRollError          a seat's copy rolls otherwise           (tools)

Packages derive their own leaves; none raises a bare ``Exception``.
"""

from typing import ClassVar

from engine.kernel.ids import Refusal


class FlagplotError(Exception):
    """Base class of every expected failure; ``str()`` is one sentence for the user."""

    exit_code: ClassVar[int] = 1
    """Exit status if this ends a command: 1 check failed, 2 usage, 3 bad file or name, 4 network, 5 terminal."""


class IllegalCommandError(FlagplotError):
    """A command that the rules refuse; the state is unchanged."""

    exit_code = 1

    def __init__(self, line: str, refusals: tuple[Refusal, ...]) -> None:
        """Store the command in notation and every reason against it."""
        self.line = line
        self.refusals = refusals
        reasons = "; ".join(str(refusal) for refusal in refusals)
        super().__init__(f"'{line}' is not legal now: {reasons}")


class DataError(FlagplotError):
    """A file violates its schema; the message names the file and the path to the field."""

    exit_code = 3

    def __init__(self, file: str, path: str, problem: str) -> None:
        """Store the location of the problem and its description."""
        self.file = file
        self.path = path
        self.problem = problem
        where = f"{file} at {path}" if path else file
        super().__init__(f"{where}: {problem}")


class PositionError(DataError):
    """A scenario file describes a position that the rules do not allow."""


class NotationError(FlagplotError):
    """A command line that names no command, or gives a command the wrong arguments."""

    exit_code = 2

    def __init__(self, line: str, problem: str) -> None:
        """Store the line as typed and the problem with it."""
        self.line = line
        self.problem = problem
        super().__init__(f"cannot read '{line}': {problem}")


class HiddenError(FlagplotError):
    """A copy of the game was asked for information that is hidden from its seat."""


class ScriptedDiceError(FlagplotError):
    """Scripted dice ran out, or a roll was scripted with a face that the die does not have."""
