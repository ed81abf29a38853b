"""Information about an order before it is given: possible targets, forecasts and warnings."""
