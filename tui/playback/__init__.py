"""What happened, played back on the map: steps, sheets, marks and news, in words that no game owns."""
