"""Defines the exported tables. ``docs/export.md`` lists their columns.

A column has the same name and type in every format. Rows of one file have the same ``game_no`` in all tables.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

TableName: TypeAlias = Literal["games", "results", "commands", "events", "dice", "decisions"]
GameNo: TypeAlias = Annotated[
    int, Meta(description="number of the record file in this export, from 0")
]
Seq: TypeAlias = Annotated[int, Meta(description="number of the step in the record, from 0")]
Number: TypeAlias = Annotated[int, Meta(description="number of the event in its step, from 1")]


class GameRow(msgspec.Struct, frozen=True, gc=False):
    """One record file."""

    game_no: GameNo
    file: Annotated[str, Meta(description="path of the file, as it was given")]
    match_id: Annotated[str, Meta(description="id of the match, the same in all its copies")]
    game: Annotated[str, Meta(description="id of the game: cbps, eots or qmg")]
    edition: Annotated[str, Meta(description="edition of the rulebook")]
    rules_version: Annotated[int, Meta(description="version of the rules under which it was begun")]
    data_digest: Annotated[str, Meta(description="digest of the rules' data files")]
    scenario: Annotated[str, Meta(description="id of the scenario; empty for a custom position")]
    options: Annotated[msgspec.Raw, Meta(description="the chosen rulings by id, in JSON")]
    audience: Annotated[
        str,
        Meta(
            description="whose copy it is: `*` full, `-` host without hands, a role, or empty for spectators"
        ),
    ]
    steps: Annotated[int, Meta(description="number of steps in the record")]
    commands: Annotated[int, Meta(description="number of commands")]
    events: Annotated[int, Meta(description="number of events, including hidden ones")]
    is_over: Annotated[bool, Meta(description="whether the game has ended")]
    winner: Annotated[
        str,
        Meta(
            description="winning side; `nobody` for a draw, `game` if all lost; empty if it goes on"
        ),
    ]
    level: Annotated[str, Meta(description="degree of victory; empty if there is none")]
    score: Annotated[
        int | None, Meta(description="victory points; missing if the game does not use them")
    ]
    ended_by: Annotated[
        str,
        Meta(description="`rules`, `resigned`, `draw`, `time` or `stopped`; empty if it goes on"),
    ]
    dropped_bytes: Annotated[
        int, Meta(description="bytes that an interrupted write has left at the end")
    ]
    chain: Annotated[str, Meta(description="chain value of the last step, in hex")]


class ResultRow(msgspec.Struct, frozen=True, gc=False):
    """The result for one role."""

    game_no: GameNo
    role: Annotated[str, Meta(description="the role")]
    side: Annotated[str, Meta(description="the side with which it wins or loses")]
    player: Annotated[str, Meta(description="name of the player")]
    bot: Annotated[str, Meta(description="name of the bot; empty for a person")]
    result: Annotated[str, Meta(description="`win`, `loss`, `draw`, or empty if the game goes on")]


class GivenCommandRow(msgspec.Struct, frozen=True, gc=False):
    """One command."""

    game_no: GameNo
    seq: Seq
    turn: Annotated[str, Meta(description="name of the turn in which it was given")]
    role: Annotated[str, Meta(description="role that gave it")]
    verb: Annotated[str, Meta(description="kind of command; empty if this copy hides it")]
    command: Annotated[str, Meta(description="the command in the game's notation; empty if hidden")]
    is_undone: Annotated[bool, Meta(description="whether it was taken back later")]


class EventRow(msgspec.Struct, frozen=True, gc=False):
    """One event. Events whose kind is hidden are omitted."""

    game_no: GameNo
    seq: Seq
    number: Number
    kind: Annotated[str, Meta(description="kind of event")]
    data: Annotated[msgspec.Raw, Meta(description="the event's fields, in JSON")]


class DieRow(msgspec.Struct, frozen=True, gc=False):
    """One roll of one die."""

    game_no: GameNo
    seq: Seq
    number: Number
    face: Annotated[int, Meta(description="face, before modifiers")]
    modifier: Annotated[int, Meta(description="sum of the modifiers")]
    rule: Annotated[str, Meta(description="number of the rule; empty if the purpose names a chart")]
    purpose: Annotated[str, Meta(description="what was rolled for, or the id of the chart")]
    about: Annotated[str, Meta(description="piece or place that the roll concerns; may be empty")]
    result: Annotated[
        str, Meta(description="result as printed on the chart; empty without a chart")
    ]


class DecisionRow(msgspec.Struct, frozen=True, gc=False):
    """The decision that a command answered."""

    game_no: GameNo
    seq: Annotated[int, Meta(description="number of the step with the command")]
    role: Annotated[str, Meta(description="role that decided")]
    rule: Annotated[str, Meta(description="rule that required the decision")]
    prompt: Annotated[str, Meta(description="prompt shown to the player")]
    options: Annotated[int, Meta(description="number of legal commands")]
    choice: Annotated[
        int | None,
        Meta(description="number of the chosen option, from 0; missing for an any-time command"),
    ]
    is_default: Annotated[bool, Meta(description="whether the default option was chosen")]
    is_window: Annotated[bool, Meta(description="whether it was a response window")]


Row: TypeAlias = GameRow | ResultRow | GivenCommandRow | EventRow | DieRow | DecisionRow
TABLES: Final[Mapping[TableName, type[Row]]] = {
    "games": GameRow,
    "results": ResultRow,
    "commands": GivenCommandRow,
    "events": EventRow,
    "dice": DieRow,
    "decisions": DecisionRow,
}
"""The row type of each table."""
