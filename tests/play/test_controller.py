"""The controller of a game without a terminal: choosing, drafting, committing, waiting, seats and offers."""

from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import pytest
from typing_extensions import override

from engine.eots.commands import Activate, OperationsOffensive
from engine.eots.ids import UnitId
from engine.eots.ruleset import EOTS
from engine.kernel.decision import Decision
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from play.choices import Choice, Consequence, OptionState
from play.controller import AutoAdvanceResult, GameController
from play.local_session import LocalSession
from play.negotiation import Negotiation, SessionError
from play.offers import OfferKind
from play.session import Session
from play.texts import GameTexts
from tests.play.tables import First, toy_match, toy_session
from tests.toy_game import BLUE, RED, TOY, Hold, Lay, Roll, ToyView
from tests.toy_six import SIX, STONE, WOOD
from tests.tui.eots.offensives import FLEET, HALSEY, PRESENTER, begun, commanded
from tests.tui.test_several_roles import six_match
from tui.eots.presenter import EotsPresenter

T = TypeVar("T")


class Texts(GameTexts):
    """Texts with every kind of suggestion that a game can make."""

    doubts = ""
    left_undone = ""
    last_word = ""
    next_answer: Command | None = None
    quiet: Command | None = None
    news = ""

    @override
    def places(self, view: View, command: Command) -> tuple[str, ...]:
        return ("hill",) if isinstance(command, Lay) else ("camp",) * isinstance(command, Hold)

    @override
    def consequence(
        self,
        view: View,
        command: Command,
        options: Sequence[Any] = (),
        default: Command | None = None,
    ) -> Consequence:
        return Consequence(question=self.doubts)

    @override
    def unfinished_question(self, view: View) -> str:
        return self.left_undone

    @override
    def commit_question(self, view: View) -> str:
        return self.last_word

    @override
    def only_follow_up(self, view: View, given: Command, options: Sequence[Any]) -> Command | None:
        return self.next_answer

    @override
    def automatic_answer_while_waiting(self, view: View, decision: Decision[Any]) -> Command | None:
        return self.quiet

    @override
    def interruption(self, events: Sequence[Any], *, has_courses: bool = False) -> str:
        return self.news


class Recorder:
    """A frontend that records what it is asked to show and gives every question the same answer."""

    def __init__(self, *, is_sure: bool = True) -> None:
        self.is_sure = is_sure
        self.said: list[str] = []
        self.roles_to_move: list[tuple[str, Any]] = []
        self.shown = self.changed = self.sent = 0
        self.seats: list[tuple[Role, bool]] = []
        self.moves: list[str] = []
        self.controller: GameController | None = None

    def show_question(self) -> None:
        assert self.controller is not None
        self.controller.update()
        self.shown += 1

    def game_changed(self) -> None:
        self.show_question()
        self.changed += 1

    def show_move(self, problem: str) -> None:
        self.moves.append(problem)

    async def let_others_move(self) -> None:
        assert self.controller is not None
        await self.controller.run_others()

    async def seat_changed(self, role: Role, *, needs_cover: bool) -> None:
        self.seats.append((role, needs_cover))

    def show_message(self, sentence: str) -> None:
        self.said.append(sentence)

    def warn(self, title: str, text: str) -> None:
        self.said.append(f"{title}: {text}")

    def report_progress(self, sentence: str) -> None:
        self.said.append(sentence)

    def report_draft(self, command: Command, words: str) -> None:
        self.said.append(words)

    def report_unticked(
        self, view: View, undone: Sequence[Command], lost: Sequence[Command]
    ) -> None:
        self.said.append(f"{len(undone)} undone, {len(lost)} lost")

    async def confirm(self, question: str, about: Command | OfferKind | None) -> bool:
        self.roles_to_move.append((question, about))
        return self.is_sure

    def prepare_send(self) -> None:
        self.sent += 1

    async def deliver(self, request: Coroutine[Any, Any, T]) -> T | None:
        return await request


def table(
    session: Session | None = None,
    texts: GameTexts | None = None,
    *,
    is_sure: bool = True,
    takes_only_option: bool = True,
) -> tuple[GameController, Recorder]:
    shown = Recorder(is_sure=is_sure)
    controller = GameController(
        session or toy_session(BLUE),
        texts or Texts(TOY),
        shown,
        takes_only_option=takes_only_option,
    )
    shown.controller = controller
    controller.update()
    return controller, shown


def hand(controller: GameController) -> tuple[Command, ...]:
    view = controller.view
    assert isinstance(view, ToyView)
    return tuple(Lay(card=card) for card in view.hand)


# -- choosing and drafting


async def test_a_chosen_line_is_drafted_and_a_complete_draft_offers_the_commit() -> None:
    controller, shown = table()
    assert [line.command for line in controller.lines][-1] == Hold()
    await controller.choose(controller.lines[-1])
    assert list(controller.session.draft.commands) == [Hold()]
    assert shown.said == ["Planned: hold"]
    assert [line.is_commit for line in controller.lines] == [True]
    await controller.commit()
    assert list(controller.session.draft.commands) == []
    assert shown.said[1:] == ["Sending your plan.", "Committed."]
    assert (shown.changed, shown.sent) == (1, 2)


async def test_obsolete_choice_is_ignored_and_an_illegal_typed_one_refused() -> None:
    controller, shown = table()
    await controller.give(Roll())
    assert shown.said == []
    await controller.enter("roll")
    assert shown.said[0].startswith("Not now: 'roll' is not legal now: 1.1:")
    await controller.enter("dance")
    assert shown.said[1].startswith("Not a command: ")
    await controller.enter("hold")
    assert controller.session.draft.commands == (Hold(),)


@pytest.mark.parametrize("is_sure", [True, False])
async def test_doubtful_command_asks_for_confirmation(*, is_sure: bool) -> None:
    texts = Texts(TOY)
    texts.doubts = "Really hold?"
    controller, shown = table(texts=texts, is_sure=is_sure)
    await controller.give(Hold())
    assert shown.roles_to_move == [("Really hold?", Hold())]
    assert bool(controller.session.draft.commands) is is_sure


async def test_a_session_can_object_to_a_legal_command() -> None:
    class Strict(LocalSession):
        @override
        def objection(self, command: Command) -> str:
            return "Not yet." if command == Hold() else ""

    controller, shown = table(Strict(toy_match(), {BLUE: First()}))
    await controller.give(Hold())
    assert shown.said == ["Not now: Not yet."]
    assert not controller.session.draft.commands
    await controller.give(hand(controller)[0])
    assert controller.session.draft.commands


@pytest.mark.parametrize("takes_only_option", [True, False])
async def test_only_sensible_answer_is_drafted_automatically(*, takes_only_option: bool) -> None:
    session = begun()
    card = next(one for one in session.offered_commands() if isinstance(one, OperationsOffensive))

    class Eager(EotsPresenter):
        @override
        def only_follow_up(
            self, view: View, given: Command, options: Sequence[Any]
        ) -> Command | None:
            return session.parse(HALSEY) if given == card else None

    controller, shown = table(session, Eager(EOTS), takes_only_option=takes_only_option)
    await controller.give(card)
    assert session.draft.commands == (
        (card, session.parse(HALSEY)) if takes_only_option else (card,)
    )
    assert len(shown.said) == len(session.draft.commands)


async def test_undo_removes_the_last_drafted_command() -> None:
    controller, shown = table()
    assert controller.undo() is None
    assert shown.shown == 0
    await controller.give(Hold())
    assert controller.undo() == Hold()
    assert not controller.session.draft.commands


async def test_commit_needs_a_draft_and_confirmation() -> None:
    texts = Texts(TOY)
    texts.last_word = "A plan without cover. Commit?"
    controller, shown = table(texts=texts, is_sure=False)
    await controller.commit()
    assert shown.said == ["Nothing planned yet."]
    await controller.give(Hold())
    await controller.commit()
    assert shown.roles_to_move == [("A plan without cover. Commit?", None)]
    assert controller.session.draft.commands
    await controller.commit()  # the same question is not asked twice in a row
    assert len(shown.roles_to_move) == 1
    assert not controller.session.draft.commands


async def test_a_refused_commit_is_reported_and_the_question_shown_again() -> None:
    class Broken(LocalSession):
        @override
        async def _send(self, command: Command) -> None:
            raise SessionError("the disk is full")

    controller, shown = table(Broken(toy_match(), {BLUE: First()}))
    await controller.give(Hold())
    await controller.commit()
    assert shown.said[-1] == "Not taken: the disk is full"
    assert shown.changed == 1
    assert not controller.is_sending


async def test_second_command_is_rejected_while_one_is_in_flight() -> None:
    controller, shown = table()

    class Slow(LocalSession):
        @override
        async def _send(self, command: Command) -> None:
            assert controller.is_sending
            await controller.give(Hold(), is_typed=True)

    controller, shown = table(Slow(toy_match(), {BLUE: First()}))
    await controller.give(Hold())
    await controller.commit()
    assert "Still sending; waiting for the host's answer." in shown.said


# -- places, cards and ticks


async def test_choosing_a_place_gives_its_only_command_or_returns_several() -> None:
    controller, shown = table()
    assert await controller.choose_place("moon", controller.lines) == ()
    assert shown.said == ["Nothing to choose in moon; w explains why."]
    assert await controller.choose_place("hill", controller.lines) == hand(controller)
    assert not controller.session.draft.commands
    assert await controller.choose_place("camp", controller.lines) == ()
    assert controller.session.draft.commands == (Hold(),)


async def test_choosing_a_card_gives_its_only_command() -> None:
    controller, shown = table()
    assert await controller.choose_card("c99", controller.lines) == ()
    assert shown.said == ["This card cannot be used now."]
    lay = hand(controller)[0]
    assert await controller.choose_card(lay.card, controller.lines) == ()  # type: ignore[attr-defined]  # a Lay
    assert controller.session.draft.commands == (lay,)


def _line(controller: GameController, unit: str) -> Choice:
    return next(line for line in controller.lines if line.command == Activate(unit=UnitId(unit)))


async def test_ticked_lines_are_unticked_and_blocked_lines_explained() -> None:
    session = await commanded()
    controller, shown = table(session, PRESENTER)
    for unit in FLEET:
        await controller.choose(_line(controller, unit))
    assert len(session.draft.commands) > len(FLEET)
    assert controller.update(), "ticks do not change the question"
    barred = next(line for line in controller.lines if line.state is OptionState.BARRED)
    await controller.choose(barred)
    assert shown.said[-1].startswith("Not possible with the current selection. ")
    ticked = _line(controller, FLEET[0])
    assert ticked.state is OptionState.TICKED
    await controller.choose(ticked)
    assert shown.said[-1] == "1 undone, 0 lost"
    assert _line(controller, FLEET[0]).state is OptionState.OPEN


async def test_all_lines_of_a_place_are_ticked_and_unticked_together() -> None:
    session = await commanded()
    controller, shown = table(session, PRESENTER)
    first = next(line for line in controller.lines if line.group)
    place = PRESENTER.places(controller.view, first.command)[0]
    before = len(session.draft.commands)
    await controller.choose_place(place, controller.lines)
    ticked = len(session.draft.commands) - before
    assert ticked > 0
    assert shown.said[-1].startswith(f"{ticked} ticked")
    await controller.choose_place(place, [line for line in controller.lines if line.state])
    assert len(session.draft.commands) == before
    await controller.tick_all(controller.lines, _line(controller, FLEET[0]))
    assert len(session.draft.commands) > before
    await controller.tick_all((), None)
    assert shown.said[-1] == "There is nothing to select."


# -- waiting, seats and standing orders


async def test_waiting_answers_quiet_questions_until_something_happens() -> None:
    texts = Texts(TOY)
    controller, shown = table(texts=texts)
    assert await controller.auto_advance() == AutoAdvanceResult(0, 0, "")
    texts.quiet, texts.news = Hold(), "Raid!"
    await controller.give(Hold())
    assert await controller.auto_advance() == AutoAdvanceResult(0, 1, "Raid!")
    assert shown.moves, "the bot has moved"
    assert not controller.is_advancing


async def test_choices_are_ignored_during_auto_advance() -> None:
    controller, shown = table()
    controller.is_advancing = True
    await controller.give(Hold())
    assert shown.said == ["The game is advancing automatically; choose when it stops."]
    assert not controller.session.draft.commands


async def test_refused_answer_ends_auto_advance() -> None:
    texts = Texts(TOY)
    texts.quiet = Roll()
    controller, shown = table(texts=texts)
    progress = await controller.auto_advance()
    assert progress.is_refused
    assert shown.said[0].startswith("Not now: ")


async def test_next_hotseat_player_takes_over_behind_a_cover() -> None:
    session = toy_session()
    controller, shown = table(session)
    assert not await controller.change_seat()
    await controller.give(Hold())
    await controller.commit()
    await controller.run_others()
    assert await controller.change_seat()
    assert shown.seats == [(BLUE, True)]
    assert session.role == BLUE


async def test_next_role_cycles_through_a_players_roles() -> None:
    players = dict.fromkeys(WOOD, "Ann") | dict.fromkeys(STONE, "Bob")
    session = LocalSession(six_match(players), {role: First() for role in STONE})
    controller, _ = table(session, Texts(SIX))
    assert [controller.next_role() for _ in WOOD] == [*WOOD[1:], WOOD[0]]
    alone, _ = table()
    assert alone.next_role() is None


async def test_changed_standing_order_lets_other_players_move() -> None:
    controller, shown = table()
    assert controller.change_orders("")
    assert shown.changed == 0
    controller.change_orders("off")
    assert shown.changed == 1
    assert not controller.session.orders.shown_book.orders.by_itself
    with pytest.raises(FlagplotError):
        controller.change_orders("dance")


# -- the other players


async def test_offer_is_confirmed_and_its_result_reported() -> None:
    controller, shown = table(is_sure=False)
    await controller.enter("resign")
    assert [about for _, about in shown.roles_to_move] == [OfferKind.RESIGNATION]
    assert controller.session.outcome() is None
    shown.is_sure = True
    await controller.propose(OfferKind.DRAW)
    assert shown.said == ["a bot never agrees to a draw"]
    await controller.propose(OfferKind.RESIGNATION)
    assert shown.said[-1] == "Red resigned."
    assert controller.session.outcome() is not None


async def test_only_the_displayed_offer_is_answered() -> None:
    answers: list[bool] = []

    class Asked(Negotiation):
        @override
        def offer_question(self) -> str:
            return "A draw?"

        @property
        @override
        def offer_number(self) -> int:
            return 2

        @override
        async def answer_offer(self, *, agree: bool) -> None:
            answers.append(agree)

    session = LocalSession(toy_match(), {BLUE: First()})
    session.negotiation = Asked()
    controller, shown = table(session)
    await controller.answer_offer(1, agree=True)
    assert shown.said == ["That proposal is no longer open."]
    await controller.answer_offer(2, agree=False)
    assert answers == [False]


async def test_unsendable_chat_message_is_reported() -> None:
    controller, shown = table()
    await controller.say("Hello")
    assert shown.said == ["no other person in this game can read your message: Hello"]


def test_typed_lines_are_completed_with_commands_and_offers() -> None:
    controller, _ = table()
    assert "hold" in controller.completions("ho")
    assert controller.completions("res") == ("resign",)
    assert controller.session.role == RED
