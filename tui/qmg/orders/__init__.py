"""The effects of a command, shown before it is given: possible targets, forecasts and warnings."""
