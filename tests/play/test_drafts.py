"""The drafts of a person's roles, and their files."""

from pathlib import Path

from play.drafts import Drafts
from tests.play.tables import toy_match
from tests.toy_game import BLUE, RED, TOY, Hold


def test_each_role_has_its_own_draft() -> None:
    state, drafts = toy_match().state, Drafts(TOY)
    draft = drafts.draft_of(RED, state)
    assert draft.attempt(Hold())
    assert drafts.draft_of(RED, state).commands == (), "a new draft is not stored until it is set"
    drafts.set(draft)
    assert drafts.draft_of(RED, state) is draft
    assert drafts.draft_of(BLUE, state).commands == ()
    drafts.discard(RED)
    assert drafts.draft_of(RED, state).commands == ()


def test_emptied_draft_restarts_on_the_current_state() -> None:
    match, drafts = toy_match(), Drafts(TOY)
    draft = drafts.draft_of(RED, match.state)
    draft.attempt(Hold())
    drafts.set(draft)
    assert draft.undo() == Hold()
    match.submit(BLUE, Hold(), match.seq)
    assert drafts.draft_of(RED, match.state).base is match.state


def test_drafts_are_rebased_on_the_new_state_or_dropped() -> None:
    match, drafts = toy_match(), Drafts(TOY)
    draft = drafts.draft_of(RED, match.state)
    draft.attempt(Hold())
    drafts.set(draft)
    match.submit(BLUE, Hold(), match.seq)
    drafts.rebase_all(match.state)
    moved = drafts.draft_of(RED, match.state)
    assert (moved.base, moved.commands) == (match.state, (Hold(),))
    match.submit(RED, Hold(), match.seq)
    drafts.rebase(RED, match.state)
    assert drafts.draft_of(RED, match.state).commands == ()


def test_draft_is_restored_only_if_no_record_was_added(tmp_path: Path) -> None:
    match, path = toy_match(), tmp_path / "red.tries"
    drafts = Drafts(TOY, lambda role: path if role == RED else None)
    draft = drafts.draft_of(RED, match.state)
    draft.attempt(Hold())
    drafts.set(draft)
    drafts.save((RED, BLUE), match.seq)
    again = Drafts(TOY, lambda _: path)
    again.restore(RED, match.state, match.seq)
    assert (again.draft_of(RED, match.state).commands, again.restored_count) == ((Hold(),), 1)
    late = Drafts(TOY, lambda _: path)
    late.restore(RED, match.state, match.seq + 1)
    assert late.restored_count == 0
    late.save((RED,), match.seq)
    assert not path.exists(), "an empty draft has no file"
