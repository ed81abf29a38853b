"""What a match publishes to its peers, to spectators and to reminders, and how a copy that differs is found."""
