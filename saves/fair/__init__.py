"""Protocol 7: verification of transcripts and records of fair matches."""
