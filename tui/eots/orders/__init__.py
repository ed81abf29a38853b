"""How orders are offered: lists with groups, and warnings about stacking."""
