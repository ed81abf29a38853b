"""A record told line by line: what was done, what happened, and the comments between."""

from typing import Final

from play.replay_session import ReplaySession
from tui.clean import clean
from tui.plain import Read, Write
from tui.plain_reading import PlainReading
from tui.presenter import Presenter

_PROMPT: Final = "[Enter] "
_HELP: Final = "Enter goes on, q leaves; hand, hex 4021, map 4021, find NAME, page t, rules 8.45 and log look around."


class PlainReplay:
    """A replay that stops after every comment, or without comments after every phase."""

    def __init__(
        self, session: ReplaySession, presenter: Presenter, read: Read, write: Write
    ) -> None:
        """Prepare to tell a record; what is read and written is as for :class:`~tui.plain.PlainGame`."""
        self._session = session
        self._reading = PlainReading(session, presenter)
        self._read: Read | None = read
        self._write = write

    async def run(self) -> None:
        """Tell the record to its end, or until the reader leaves; nobody is waited for where nobody is."""
        session = self._session
        self._say(session.title)
        self._say(_HELP)
        session.to_record(0)
        heading = session.heading()
        self._tell()
        while session.step_command(1):
            self._tell()
            stops = session.is_remark if session.has_remarks else session.heading() != heading
            heading = session.heading()
            if stops and not await self._goes_on():
                return

    def _tell(self) -> None:
        """Tell the present record."""
        session = self._session
        remark = session.remark()
        if session.is_remark and remark is not None:
            self._say("")
            self._say(f"[{remark.number}/{remark.total}] {remark.text}")
            return
        if session.command_line():
            self._say(f"> {session.command_line()}")
        for line in session.log(session.seq - 1):
            self._say(f"  {line.text}")

    async def _goes_on(self) -> bool:
        """Answer words until the reader wants to go on or leaves."""
        while self._read is not None:
            try:
                line = (await self._read(_PROMPT)).strip()
            except EOFError:
                self._read = None
                self._say("")
                break
            word, _, rest = line.partition(" ")
            if word.lower() in {"q", "quit"}:
                return False
            if not word:
                break
            for each in self._reading.answer(word.lower(), rest.strip()) or (_HELP,):
                self._say(each)
        return True

    def _say(self, text: str) -> None:
        self._write(clean(text, 2000))
