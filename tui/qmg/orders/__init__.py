"""Before an order is given: its possible targets, the forecast, and warnings."""
