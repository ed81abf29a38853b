"""Summarises a finished game from its records: verdict, score over time, sources of points and decisive battle."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from engine.kernel.ruleset import View
from engine.kernel.scoring import ScoreBand, ScoreEntry, ScoreScale, ScoreSide, Scoring, band_of
from engine.kernel.sentences import count_noun
from engine.registry import AnyRuleset, AnyState
from play.event_history import EventCursor, SeenEvent, known_events
from saves.entries import decode_event
from saves.records import Record

_WINNING_WORDS: Final = ("win", "victory", "defeat")
"""Words in the name of a result that already state who has won."""


class ScoreSample(msgspec.Struct, frozen=True, kw_only=True):
    """A sample of the score, taken after a record."""

    seq: int
    turn: str
    """The turn in which the sample was taken."""
    values: tuple[int, ...]
    """The score on each curve, in the order of the curves."""


class ScoreSource(msgspec.Struct, frozen=True, kw_only=True):
    """A source of points, with the record in which its points last changed."""

    points: int
    text: str
    rule: str
    seq: int
    turn: str


class DecisiveBattle(msgspec.Struct, frozen=True, kw_only=True):
    """The battle that helped the winner most."""

    seq: int
    """Number of the record in which the battle begins."""
    turn: str
    title: str
    sides: tuple[tuple[str, tuple[str, ...]], ...]
    """Each side's name and its units, with their losses."""
    sentences: tuple[str, ...]
    """The battle's results, one sentence each."""
    swing: int
    """Points by which the battle's card or phase moved the score towards the winner; 0 for no such movement."""


class GameSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of the page at the end of a game."""

    game: str
    headline: str
    detail: str
    margin: str
    """How many points more or fewer would have changed the result, in words; empty if points do not decide the game."""
    winner: Role | None
    viewer: Role | None
    """The side whose points count as earned or lost on the page."""
    scale: ScoreScale | None
    sides: tuple[ScoreSide, ...]
    samples: tuple[ScoreSample, ...]
    earned: tuple[ScoreSource, ...]
    """Sources of points that helped the viewer's side; for a spectator, those that helped the winner."""
    lost: tuple[ScoreSource, ...]
    battle: DecisiveBattle | None
    battle_count: int
    """Number of battles in the record; in some games, each part of a battle counts."""
    record_count: int

    @property
    def sentence(self) -> str:
        """The verdict as one sentence."""
        return verdict_sentence(self.headline, self.detail)


class FinishedGame(NamedTuple):
    """The records of a finished game, as one person may see them."""

    rules: AnyRuleset
    records: Sequence[Record]
    cursor: Callable[[int], EventCursor[Any]]
    """Returns a cursor placed just after the record with this number; -1 is before the first record."""
    outcome: Outcome
    role: Role | None
    """The role whose view is shown; None for a spectator."""
    project: Callable[[Any], View]
    """Returns the viewer's view of a state."""


BattleFinder = Callable[[Sequence[SeenEvent], View, View], "Sequence[FoundBattle]"]
"""Finds the battles among events, given the views before and after them."""


class FoundBattle(NamedTuple):
    """A battle found among the events of an interval."""

    seq: int
    title: str
    sides: tuple[tuple[str, tuple[str, ...]], ...]
    sentences: tuple[str, ...]
    losses: int
    """Number of units that took losses."""


def verdict_sentence(headline: str, detail: str) -> str:
    """Join a verdict and its explanation. Put a full stop between them if the explanation is a complete sentence."""
    if detail.endswith("."):
        return f"{headline}. {detail}"
    return f"{headline}, {detail}." if detail else f"{headline}."


def describe_outcome(rules: AnyRuleset, outcome: Outcome, state: AnyState) -> tuple[str, str]:
    """Return the verdict and its explanation.

    Args:
        rules: The game's rules.
        outcome: How the match ended, by the rules or by agreement.
        state: The last state.
    """
    scoring = rules.scoring
    if scoring is None:
        if outcome.is_lost:
            return "The game is lost", outcome.reason
        winner = "nobody" if outcome.winner is None else outcome.winner.title()
        return f"Winner: {winner}", outcome.reason
    if rules.outcome(state) is None:  # ended by agreement or on time
        headline = "No result" if outcome.is_draw else scoring.victory_of(outcome.winner)
        return headline, outcome.reason
    return scoring.headline(outcome), scoring.detail(state, outcome)


def summarise(game: FinishedGame, find_battles: BattleFinder) -> GameSummary:
    """Compute the summary of a finished game. Each record is read only once."""
    scoring = game.rules.scoring
    history = None if scoring is None else _History(game, scoring)
    if history is not None:
        history.read()
        state = history.state
    else:
        state = game.cursor(-1).advance_to(len(game.records) - 1)
    headline, detail = describe_outcome(game.rules, game.outcome, state)
    empty_summary = GameSummary(
        game=game.rules.game,
        headline=headline,
        detail=detail,
        margin="",
        winner=game.outcome.winner,
        viewer=None,
        scale=None,
        sides=(),
        samples=(),
        earned=(),
        lost=(),
        battle=None,
        battle_count=0,
        record_count=len(game.records),
    )
    if history is None or scoring is None or not history.samples:
        return empty_summary
    scale = scoring.scale(state)
    winner = _winning_side(scoring, game.outcome)
    viewer = scoring.side_of(game.role) or winner or scoring.sides[0].id
    sources = history.sources()
    is_by_rules = game.rules.outcome(state) is not None
    return msgspec.structs.replace(
        empty_summary,
        margin=(
            _margin(scale, scoring.sides, history.samples[-1].values[0], winner)
            if is_by_rules
            else ""
        ),
        winner=winner,
        viewer=viewer,
        scale=scale,
        sides=scoring.sides,
        samples=tuple(history.samples),
        earned=tuple(source for side, source in sources if side == viewer),
        lost=tuple(source for side, source in sources if side != viewer),
        battle=history.decisive_battle(winner, scale, find_battles),
        battle_count=len(history.battles),
    )


def _winning_side(scoring: Scoring[Any, Any], outcome: Outcome) -> Role | None:
    if outcome.winner is None:
        return scoring.sides[1].id if outcome.is_lost else None
    return scoring.side_of(outcome.winner)


def _margin(scale: ScoreScale, sides: Sequence[ScoreSide], points: int, winner: Role | None) -> str:
    """Return how many points more or fewer would have led to which other result, as a sentence; empty if none would."""
    band = band_of(scale.bands, points)
    if band is None or band.winner != winner:
        return ""
    unit_name = scale.title.removesuffix("s") if scale.title.endswith(" points") else "point"
    band_index = scale.bands.index(band)
    texts: list[str] = []
    if band_index + 1 < len(scale.bands) and band.most is not None:
        rise_text = count_noun(band.most + 1 - points, f"more {unit_name}")
        result = _result_words(scale.bands[band_index + 1], sides)
        texts.append(f"with {rise_text}, the result would have been {result}")
    if band_index and band.least is not None:
        drop = points - band.least + 1
        drop_text = f"{drop} fewer" if texts else count_noun(drop, f"fewer {unit_name}")
        verb = "" if texts else "the result would have been "
        texts.append(f"with {drop_text}, {verb}{_result_words(scale.bands[band_index - 1], sides)}")
    sentence = "; ".join(texts)
    return f"{sentence[0].upper()}{sentence[1:]}." if texts else ""


def _result_words(band: ScoreBand, sides: Sequence[ScoreSide]) -> str:
    """Return a result in quotation marks, followed by the winner unless the result's own words state it."""
    if any(word in band.text.casefold() for word in _WINNING_WORDS):
        return f'"{band.text}"'
    name = next((side.name for side in sides if side.id == band.winner), "")
    return f'"{band.text}" ({f"a win for {name}" if name else "nobody wins"})'


class _Interval(NamedTuple):
    """The records between two samples."""

    first_seq: int
    last_seq: int
    advantage_before: int
    """The winner's advantage before the interval."""
    advantage_after: int


class _History:
    """The score over time, read record by record."""

    def __init__(self, game: FinishedGame, scoring: Scoring[Any, Any]) -> None:
        self._game = game
        self._scoring = scoring
        self.samples: list[ScoreSample] = []
        self.battles: list[int] = []
        """Record numbers of the battles, one for each event that begins or resolves one."""
        self._losses: dict[int, int] = {}
        """Number of loss events by record."""
        self._gains: list[tuple[int, str, ScoreEntry]] = []
        """Points that events scored: record number, turn and score entry."""
        self._entries: list[Mapping[str, ScoreEntry]] = []
        """Sources of points by key, at each sample."""
        self._advantages: list[int] = []
        self.state: Any = None

    # -- reading

    def read(self) -> None:
        """Read all records. Records that were taken back are left out."""
        game, scoring = self._game, self._scoring
        cursor = game.cursor(-1)
        moment: Any = None
        turn = ""
        for record in game.records:
            state_before = cursor.state
            state = cursor.advance_to(record.seq)
            if record.takeback_to is not None:
                self._drop_after(record.takeback_to)
            self._read_events(record, state_before, turn)
            new_moment = scoring.moment(state)
            is_last = record.seq == len(game.records) - 1
            if new_moment is not None and (new_moment != moment or is_last):
                name = game.rules.turn_name(state) if not self.samples else turn
                self._add_sample(record.seq, name, state)
            moment, turn = new_moment, game.rules.turn_name(state)
        self.state = cursor.state

    def _drop_after(self, seq: int) -> None:
        keep = bisect_left(self.samples, seq + 1, key=lambda sample: sample.seq)
        del self.samples[keep:], self._entries[keep:], self._advantages[keep:]
        self.battles = [number for number in self.battles if number <= seq]
        self._losses = {number: count for number, count in self._losses.items() if number <= seq}
        self._gains = [gain for gain in self._gains if gain[0] <= seq]

    def _read_events(self, record: Record, state_before: AnyState, turn: str) -> None:
        scoring = self._scoring
        for entry in record.events:
            if entry.tag in scoring.battle_tags:
                self.battles.append(record.seq)
            if entry.tag in scoring.loss_tags:
                self._losses[record.seq] = self._losses.get(record.seq, 0) + 1
        # The opening has no earlier state, and its events only set the starting points.
        if (
            record.seq
            and scoring.has_gains(state_before)
            and any(entry.tag in scoring.gain_tags for entry in record.events)
        ):
            self._read_gains(record, state_before, turn)

    def _read_gains(self, record: Record, state_before: AnyState, turn: str) -> None:
        rules, scoring = self._game.rules, self._scoring
        entries = [entry for entry in record.events if entry.body is not None]
        events = [event for entry in entries if (event := decode_event(rules, entry)) is not None]
        state = state_before
        for number, entry in enumerate(entries):
            if entry.tag in scoring.gain_tags:
                gain = scoring.gain(events, number, scoring.values(state))
                if gain is not None:
                    self._gains.append((record.seq, turn, gain))
            state = rules.evolve(state, events[number])

    def _add_sample(self, seq: int, turn: str, state: AnyState) -> None:
        scoring = self._scoring
        if self.samples and self.samples[-1].seq == seq:
            return
        self.samples.append(ScoreSample(seq=seq, turn=turn, values=scoring.values(state)))
        self._entries.append({entry.key: entry for entry in scoring.entries(state)})
        self._advantages.append(scoring.advantage(state))

    # -- sources

    def sources(self) -> list[tuple[Role, ScoreSource]]:
        """Return the sources of points, each with the side that it helps; most points first."""
        found_sources = [*self._sources_from_samples(), *self._sources_from_gains()]
        return sorted(found_sources, key=lambda found_source: -abs(found_source[1].points))

    def _sources_from_samples(self) -> Iterator[tuple[Role, ScoreSource]]:
        for key, entry in self._entries[-1].items():
            last_index = len(self._entries) - 1
            while last_index and _points(self._entries[last_index - 1], key) == entry.points:
                last_index -= 1
            sample = self.samples[last_index]
            seq = self._change_between(last_index, entry) if last_index else sample.seq
            yield (
                entry.side,
                ScoreSource(
                    points=entry.points,
                    text=entry.text,
                    rule=entry.rule,
                    seq=seq,
                    turn=sample.turn,
                ),
            )

    def _change_between(self, index: int, entry: ScoreEntry) -> int:
        """Return the number of the record in which a source got its final points, in the interval before a sample.

        If the points changed several times within the interval, it is one of these records.
        """
        low, high = self.samples[index - 1].seq, self.samples[index].seq
        while high - low > 1:
            middle_seq = (low + high) // 2
            state = self._game.cursor(middle_seq).state
            points = _points(
                {score_entry.key: score_entry for score_entry in self._scoring.entries(state)},
                entry.key,
            )
            if points == entry.points:
                high = middle_seq
            else:
                low = middle_seq
        return high

    def _sources_from_gains(self) -> Iterator[tuple[Role, ScoreSource]]:
        totals: dict[str, tuple[int, int, str, ScoreEntry]] = {}
        for seq, turn, gain in self._gains:
            total = totals[gain.key][0] if gain.key in totals else 0
            totals[gain.key] = total + gain.points, seq, turn, gain
        for total, seq, turn, gain in totals.values():
            yield (
                gain.side,
                ScoreSource(points=total, text=gain.text, rule=gain.rule, seq=seq, turn=turn),
            )

    # -- the decisive battle

    def decisive_battle(
        self, winner: Role | None, scale: ScoreScale, find_battles: BattleFinder
    ) -> DecisiveBattle | None:
        """Return the battle in the interval that moved the score most towards the winner.

        If no battle did, return the battle in the interval with the most losses. Without a winner, the greatest
        movement in either direction counts. Return None if no battle is found.
        """
        sign = 0 if winner is None else 1 if winner == scale.high else -1
        intervals = [interval for interval in self._intervals() if self._has_battle(interval)]
        for interval in sorted(
            intervals,
            key=lambda interval: (
                max(_swing(interval, sign), 0),
                self._loss_count(interval),
                interval.last_seq,
            ),
            reverse=True,
        )[:_MOST_TRIED]:
            found_battles = self._battles_in(interval, find_battles)
            if found_battles:
                battle, swing = self._most_decisive(interval, found_battles, sign)
                return DecisiveBattle(
                    seq=battle.seq,
                    turn=self._turn_of(battle.seq),
                    title=battle.title,
                    sides=battle.sides,
                    sentences=battle.sentences,
                    swing=swing,
                )
        return None

    def _most_decisive(
        self, interval: _Interval, battles: Sequence[FoundBattle], sign: int
    ) -> tuple[FoundBattle, int]:
        """Return the battle that moved the score most towards the winner, with this change in points.

        A battle's change is counted from its record to the record of the next battle.
        """
        starts = sorted({battle.seq for battle in battles})
        edges = [
            interval.advantage_before,
            *map(self._advantage_before, starts[1:]),
            interval.advantage_after,
        ]
        swings = {
            seq: _swing(_Interval(seq, seq, before, after), sign)
            for seq, before, after in zip(starts, edges, edges[1:], strict=False)
        }
        battle = max(battles, key=lambda battle: (swings[battle.seq], battle.losses, battle.seq))
        return battle, max(swings[battle.seq], 0)

    def _advantage_before(self, seq: int) -> int:
        return self._scoring.advantage(self._game.cursor(seq - 1).state)

    def _intervals(self) -> Iterator[_Interval]:
        for index in range(1, len(self.samples)):
            yield _Interval(
                self.samples[index - 1].seq + 1,
                self.samples[index].seq,
                self._advantages[index - 1],
                self._advantages[index],
            )

    def _has_battle(self, interval: _Interval) -> bool:
        index = bisect_left(self.battles, interval.first_seq)
        return index < len(self.battles) and self.battles[index] <= interval.last_seq

    def _loss_count(self, interval: _Interval) -> int:
        return sum(
            count
            for seq, count in self._losses.items()
            if interval.first_seq <= seq <= interval.last_seq
        )

    def _turn_of(self, seq: int) -> str:
        index = bisect_left(self.samples, seq, key=lambda sample: sample.seq)
        return self.samples[min(index, len(self.samples) - 1)].turn

    def _battles_in(self, interval: _Interval, find_battles: BattleFinder) -> Sequence[FoundBattle]:
        game = self._game
        records = game.records[interval.first_seq : interval.last_seq + 1]
        if any(record.takeback_to is not None for record in records):
            return ()
        seen_events = tuple(
            seen_event for record in records for seen_event in known_events(game.rules, record, ())
        )
        view_before = game.project(game.cursor(interval.first_seq - 1).state)
        view_after = game.project(game.cursor(interval.last_seq).state)
        return find_battles(seen_events, view_before, view_after)


_MOST_TRIED: Final = 4
"""Maximum number of intervals to search for a battle board."""


def _swing(interval: _Interval, sign: int) -> int:
    change = interval.advantage_after - interval.advantage_before
    return change * sign if sign else abs(change)


def _points(entries: Mapping[str, ScoreEntry], key: str) -> int:
    return entries[key].points if key in entries else 0
