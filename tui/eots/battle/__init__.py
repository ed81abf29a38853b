"""Empire of the Sun battles: boards, forecasts and possible reactions."""
