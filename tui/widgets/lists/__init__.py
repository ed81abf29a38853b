"""Choice lists and tables with a highlight bar, filters and mouse support."""
