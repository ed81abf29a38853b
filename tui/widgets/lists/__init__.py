"""Lists of choices and tables, with a highlight bar, filters and the mouse."""
