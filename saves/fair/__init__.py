"""Protocol 7: verification of fair matches' transcripts and records."""
