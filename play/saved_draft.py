"""Saves uncommitted commands when a player leaves a game, and restores them when the player returns.

Each role has a small file next to the record. Drafts are not part of the record and are never sent.
"""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from engine.kernel.errors import FlagplotError
from engine.kernel.sentences import pluralise
from engine.registry import AnyRuleset
from play.draft import Draft
from saves.decoding import decode
from saves.errors import UnreadableError
from saves.files import FILES, Files, read_file, replace_file

DRAFT_SUFFIX: Final = ".tries"
_MAX_COMMANDS: Final = 10_000
_MAX_BYTES: Final = 4 << 20


class _SavedCommand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One drafted command."""

    line: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    """The command in notation."""
    by_itself: bool = False
    """True if a standing order gave the command."""


class _SavedDraft(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One role's drafted commands, oldest first."""

    tries: Literal[1] = 1
    """Version of the file format."""
    seq: Annotated[int, msgspec.Meta(ge=0)]
    """Number of the game's last record when the draft was saved."""
    lines: Annotated[tuple[_SavedCommand, ...], msgspec.Meta(max_length=_MAX_COMMANDS)]


_DECODER: Final = msgspec.json.Decoder(_SavedDraft)


def restored_draft_notice(count: int) -> str:
    """Return a notice that a returning player still has uncommitted commands; empty if there are none."""
    if not count:
        return ""
    count_text = pluralise(count, "command is", "commands are")
    return f"Plan restored: {count_text} not committed yet. c commits, u undoes."


def save_draft(
    path: Path, ruleset: AnyRuleset, seq: int, draft: Draft | None, files: Files = FILES
) -> None:
    """Save a role's draft with the number of the last record. If the draft is empty, delete its file.

    Disk errors are ignored, because the player has already left. The draft is then lost, but all committed commands are
    safe.
    """
    with suppress(OSError):
        if draft is None or not draft.entries:
            path.unlink(missing_ok=True)
            return
        format_command = ruleset.notation.line
        lines = tuple(
            _SavedCommand(line=format_command(entry.command), by_itself=entry.is_automatic)
            for entry in draft.entries
        )
        content = msgspec.json.encode(_SavedDraft(seq=seq, lines=lines)) + b"\n"
        replace_file(files, path, content)


def restore_draft(path: Path, ruleset: AnyRuleset, seq: int, draft: Draft) -> None:
    """Draft the saved commands again, up to the first one that is impossible now.

    If the game has advanced since the draft was saved, do nothing.
    """
    try:
        saved_draft = decode(_DECODER, read_file(path, _MAX_BYTES), _MAX_BYTES)
    except (OSError, UnreadableError):
        return
    if saved_draft.seq != seq:
        return
    with suppress(FlagplotError):
        for entry in saved_draft.lines:
            command = ruleset.notation.parse(entry.line)
            if not draft.is_open or not draft.attempt(
                command, is_automatic=entry.by_itself, is_restored=True
            ):
                return
