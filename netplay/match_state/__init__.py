"""The state of one match: its record, chat and offers, and the time on its clocks."""
