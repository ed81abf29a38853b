"""The rules to switch off, the property that then fails, and the limits of the complete rule set."""

from typing import Final, NamedTuple

from docs.model.rules import Rule


class Mutation(NamedTuple):
    """Rules that are switched off together, and the property that then fails."""

    off: tuple[Rule, ...]
    scope: str
    fails: str
    """Name of the property."""
    attack: str = ""
    """Id of the attack in the requirements, sections 1 and 3."""

    @property
    def name(self) -> str:
        """Return a name made of the rules and the property, without spaces."""
        return "+".join(rule.value for rule in self.off) + ":" + self.fails


MUTATIONS: Final = (
    Mutation((Rule.AGREE_ONCE,), "opening", "P-b", "AT-1"),
    Mutation((Rule.AGREE_ONCE,), "opening", "P-g", "AT-1"),
    Mutation(
        (Rule.AGREE_ONCE, Rule.KEY_BINDS_HISTORY, Rule.KEY_BINDS_INPUTS), "opening", "P-c", "C1"
    ),
    Mutation((Rule.SETUP_RECOMPUTED,), "opening", "P-h", "C1"),
    Mutation((Rule.KEY_BINDS_HISTORY,), "takeback", "P-c", "C1"),
    Mutation((Rule.KEY_BINDS_HISTORY, Rule.KEY_BINDS_INPUTS), "takeback", "P-c", "C1"),
    Mutation((Rule.CHALLENGE_FIXED,), "restored whole", "P-a", "AT-4"),
    Mutation((Rule.CHALLENGE_BY_ANCHOR,), "commands", "P-a", "AT-4"),
    Mutation((Rule.CHALLENGE_LATER,), "cheating owner", "P-j", "AT-2"),
    Mutation((Rule.SLOT_ONCE,), "commands", "P-b", "H2"),
    Mutation((Rule.SLOT_ONCE,), "commands", "P-e", "H2"),
    Mutation((Rule.REVEAL_ONCE,), "restored in part, two records", "P-g", "AT-7"),
    Mutation((Rule.THROWS_FORWARD,), "takeback", "P-g", "AT-6"),
    Mutation((Rule.THROWS_FORWARD,), "takeback", "P-f", "AT-6"),
    Mutation((Rule.COMMAND_FIRST,), "commands", "P-g", "H4"),
    Mutation((Rule.ALL_REVEALS,), "commands", "P-h", "H4"),
    Mutation((Rule.ALL_REVEALS,), "commands", "P-c", "H4"),
    Mutation((Rule.REVEALS_VERIFIED,), "commands", "P-h", "H2"),
    Mutation((Rule.REVEALS_VERIFIED,), "commands", "P-c", "AT-7"),
    Mutation((Rule.REVEAL_BINDS_HISTORY,), "two of three", "P-d", "AT-5"),
    Mutation((Rule.AUTHOR_SIGNATURE,), "commands", "P-k", "H2"),
    Mutation((Rule.HOST_SIGNATURE,), "two honest seats", "P-d", "AT-11"),
    Mutation((Rule.ACTOR_ASKED,), "commands", "P-h", "AT-8"),
    Mutation((Rule.ASK_ALLOWED,), "commands", "P-c", "H1"),
    Mutation((Rule.PICK_CHECKED,), "commands", "P-c", "H1"),
    Mutation((Rule.ASK_LIMIT,), "commands", "P-c", "H1"),
    Mutation((Rule.LABEL_RANGE,), "commands", "P-f", "H3"),
    Mutation((Rule.FACES_BY_OPEN,), "commands", "P-k", "H2"),
    Mutation((Rule.USES_CHECKED,), "commands", "P-h", "H5"),
    Mutation((Rule.INPUTS_EXACT,), "cheating owner", "P-j", "H5"),
    Mutation((Rule.MIX_WHEN_DUE,), "cheating owner", "P-l", "AT-20"),
    Mutation((Rule.PROOF_CHECKED,), "cheating owner", "P-j", "AT-2"),
    Mutation((Rule.PROOF_AWAITED,), "cheating owner", "P-j", "AT-2"),
    Mutation((Rule.STAGE_NEEDED,), "stage", "P-l", "AT-36"),
    Mutation((Rule.HAND_MIXED,), "draw", "P-i", "AT-33"),
    Mutation((Rule.OPENED_DIRTY,), "stage", "P-i", "AT-33"),
    Mutation((Rule.TAKEBACK_DIRTY,), "takeback", "P-i", "AT-23"),
    Mutation((Rule.CONSENT_BOUND,), "offers", "P-k", "AT-23"),
    Mutation((Rule.ACKS_FIRST,), "end of two", "P-c", "AT-26"),
    Mutation((Rule.JOURNAL_FIRST,), "killed", "P-b", "AT-16"),
    Mutation((Rule.RESUME_FIRST,), "restored whole, with a witness", "P-b", "AT-13"),
    Mutation((Rule.RESUME_FIRST,), "restored whole, with a witness", "P-g", "AT-13"),
    Mutation((Rule.FETCH_FIRST,), "restored whole, with a witness", "P-b", "AT-13"),
    # Rules that the requirements do not contain.
    Mutation((Rule.INDEXED_FIRST,), "takeback", "P-f"),
    Mutation((Rule.INDEXED_FIRST,), "takeback", "P-i"),
    Mutation((Rule.BATCH_WHEN_IDLE,), "offers and commands", "P-f"),
    Mutation((Rule.RESUME_BEFORE_ALL,), "restored whole, with a witness", "P-b", "AT-13"),
    Mutation((Rule.SLOTS_KEPT,), "restored in part", "P-b", "AT-13"),
    Mutation((Rule.SLOTS_KEPT,), "restored in part", "P-g", "AT-13"),
    Mutation((Rule.SLOTS_KEPT,), "restored in part beside an honest seat", "P-g", "AT-13"),
    Mutation((Rule.RESUMED_COVERED,), "killed", "P-f", "AT-15"),
)
"""The mutations to search. Each rule appears in at least one, alone or with others that stop the same attack."""

_OPENED: Final = "cards opened after the image was made stay known"
_ASTRAY: Final = "a restored copy can be misled; the seat signs nothing based on it"
_TWICE: Final = "risk 4: the seat answers again after a complete restore"
_HIDDEN: Final = "risk 4: an honest seat answers, but the host withheld messages from it"

LIMITS: Final = (
    Mutation((), "restored in part", "P-i", _OPENED),
    Mutation((), "restored in part, two records", "P-i", _OPENED),
    Mutation((), "restored in part beside an honest seat", "P-d", _ASTRAY),
    Mutation((), "restored in part beside an honest seat", "P-i", _OPENED),
    Mutation((), "restored whole, with a witness", "P-d", _ASTRAY),
    Mutation((), "restored whole, with a witness", "P-i", _OPENED),
    Mutation((), "restored whole", "P-b", _TWICE),
    Mutation((), "restored whole", "P-e", _TWICE),
    Mutation((), "restored whole", "P-g", _TWICE),
    Mutation((), "restored whole", "P-i", _OPENED),
    Mutation((), "restored whole beside an honest seat", "P-b", _HIDDEN),
    Mutation((), "restored whole beside an honest seat", "P-d", _ASTRAY),
    Mutation((), "restored whole beside an honest seat", "P-e", _HIDDEN),
    Mutation((), "restored whole beside an honest seat", "P-g", _HIDDEN),
    Mutation((), "restored whole beside an honest seat", "P-i", _OPENED),
    Mutation((), "end of two, without waiting", "P-c", "2.7: ack_wait ran out, the end was false"),
)
"""Properties that fail even with all rules on. Each of them is skipped in the scope in which it fails."""
