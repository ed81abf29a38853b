"""What a command would do, shown before it is given: possible targets, forecasts and warnings."""
