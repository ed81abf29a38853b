"""Protocol rules that a search can switch off, each with its section in the requirements."""

from enum import Enum
from typing import Final


class Rule(Enum):
    """One rule that stops an attack. The value is the rule's name on the command line."""

    AGREE_ONCE = "agree-once"
    SETUP_RECOMPUTED = "setup-recomputed"
    KEY_BINDS_HISTORY = "key-binds-history"
    KEY_BINDS_INPUTS = "key-binds-inputs"
    CHALLENGE_FIXED = "challenge-fixed"
    CHALLENGE_BY_ANCHOR = "challenge-by-anchor"
    CHALLENGE_LATER = "challenge-later"
    SLOT_ONCE = "slot-once"
    REVEAL_ONCE = "reveal-once"
    THROWS_FORWARD = "throws-forward"
    COMMAND_FIRST = "command-first"
    ALL_REVEALS = "all-reveals"
    REVEALS_VERIFIED = "reveals-verified"
    REVEAL_BINDS_HISTORY = "reveal-binds-history"
    AUTHOR_SIGNATURE = "author-signature"
    HOST_SIGNATURE = "host-signature"
    ACTOR_ASKED = "actor-asked"
    ASK_ALLOWED = "ask-allowed"
    PICK_CHECKED = "pick-checked"
    ASK_LIMIT = "ask-limit"
    LABEL_RANGE = "label-range"
    FACES_BY_OPEN = "faces-by-open"
    USES_CHECKED = "uses-checked"
    INPUTS_EXACT = "inputs-exact"
    MIX_WHEN_DUE = "mix-when-due"
    PROOF_CHECKED = "proof-checked"
    PROOF_AWAITED = "proof-awaited"
    STAGE_NEEDED = "stage-needed"
    HAND_MIXED = "hand-mixed"
    OPENED_DIRTY = "opened-dirty"
    TAKEBACK_DIRTY = "takeback-dirty"
    CONSENT_BOUND = "consent-bound"
    ACKS_FIRST = "acks-first"
    JOURNAL_FIRST = "journal-first"
    RESUME_FIRST = "resume-first"
    FETCH_FIRST = "fetch-first"
    INDEXED_FIRST = "indexed-first"
    BATCH_WHEN_IDLE = "batch-when-idle"
    RESUME_BEFORE_ALL = "resume-before-all"
    SLOTS_KEPT = "slots-kept"
    RESUMED_COVERED = "resumed-covered"


TEXT: Final = {
    Rule.AGREE_ONCE: "A seat agrees to only one header per match (2.5, 2.8).",
    Rule.SETUP_RECOMPUTED: "A seat recomputes the set-up before it agrees (2.5).",
    Rule.KEY_BINDS_HISTORY: "The mix key depends on the header, the anchor index and T(anchor) (2.3).",
    Rule.KEY_BINDS_INPUTS: "The mix key depends on the input labels and the chosen order (2.3).",
    Rule.CHALLENGE_FIXED: "The challenge depends only on the header, the throw number and the pile (2.3).",
    Rule.CHALLENGE_BY_ANCHOR: "Each mix is challenged by one throw, whose number follows from the anchor (2.3).",
    Rule.CHALLENGE_LATER: "The throw that challenges a mix begins after its anchor (2.3, 2.6).",
    Rule.SLOT_ONCE: "A seat signs at most one message per slot (2.4).",
    Rule.REVEAL_ONCE: "No reveal n is signed if the journal has one for another anchor (2.7).",
    Rule.THROWS_FORWARD: "The number of throws never decreases, not even after a takeback (2.5).",
    Rule.COMMAND_FIRST: "Reveals are released only in state Reveal, after a signed command (2.7).",
    Rule.ALL_REVEALS: "State Reveal ends only when all parties have revealed (2.5).",
    Rule.REVEALS_VERIFIED: "Each seat verifies each reveal against its chain (2.7).",
    Rule.REVEAL_BINDS_HISTORY: "A reveal is anchored at T(ready) (2.4).",
    Rule.AUTHOR_SIGNATURE: "Each message in the transcript has its author's signature (2.4).",
    Rule.HOST_SIGNATURE: "A seat acts only on messages that a host signature covers (2.4).",
    Rule.ACTOR_ASKED: "A request is valid only from the seat that the rules ask (2.7).",
    Rule.ASK_ALLOWED: "An ask is valid only if the kind of command allows it, and only after a throw (2.5).",
    Rule.PICK_CHECKED: "A seat opens only the label that chance picked in the named pile (2.5, 2.7).",
    Rule.ASK_LIMIT: "The number of asks per command is limited (2.5, 2.11).",
    Rule.LABEL_RANGE: "A label outside the pile is refused (H3).",
    Rule.FACES_BY_OPEN: "A face becomes public only when its owner opens the card (2.7).",
    Rule.USES_CHECKED: "Every copy recomputes a proposal's dice, sizes and picks (2.7).",
    Rule.INPUTS_EXACT: "The inputs of a mix are exactly the labels of the pile (2.6).",
    Rule.MIX_WHEN_DUE: "A mix is accepted only where it is due (2.5, 2.6).",
    Rule.PROOF_CHECKED: "Each seat verifies the proof of each mix that a throw challenges (2.6).",
    Rule.PROOF_AWAITED: "A record is complete only once it has the proofs that its throw made due (2.6).",
    Rule.STAGE_NEEDED: "A pick from a pile named or opened after a throw needs a mix and a later throw (2.5).",
    Rule.HAND_MIXED: "If a record leaves a hand dirty, the hand is mixed in state Complete (2.6).",
    Rule.OPENED_DIRTY: "A pile with an opened label still in it is dirty at the end of the record (2.6).",
    Rule.TAKEBACK_DIRTY: "A takeback marks every hand and random segment dirty (2.5).",
    Rule.CONSENT_BOUND: "A consent is anchored at its offer (2.4).",
    Rule.ACKS_FIRST: "A seed needs the acknowledgement of T(end) from every party (2.7).",
    Rule.JOURNAL_FIRST: "A message is on disk before it is sent (2.8).",
    Rule.RESUME_FIRST: "After a start, nothing is released before the other seats have answered (2.8).",
    Rule.FETCH_FIRST: "If an answer shows a longer transcript, the seat fetches it before signing anything (2.8).",
    Rule.INDEXED_FIRST: "A message that another one can precede is anchored at indexed messages, or reveals nothing.",
    Rule.BATCH_WHEN_IDLE: "While an offer is open, a command is sent without its proposal.",
    Rule.RESUME_BEFORE_ALL: "After a start, no message of any kind is signed before the answers.",
    Rule.SLOTS_KEPT: "The state directory keeps the slot and hash of each signed message.",
    Rule.RESUMED_COVERED: "A `resumed` answer counts only if it carries the host's order signature.",
}
"""A one-sentence description of each rule."""

ADDED: Final = frozenset(
    {
        Rule.INDEXED_FIRST,
        Rule.BATCH_WHEN_IDLE,
        Rule.RESUME_BEFORE_ALL,
        Rule.SLOTS_KEPT,
        Rule.RESUMED_COVERED,
    }
)
"""Rules missing from the requirements. If any one is switched off, the search finds a violation."""
