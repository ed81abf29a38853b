"""One match's state: its record, chat and offers, and clock times."""
