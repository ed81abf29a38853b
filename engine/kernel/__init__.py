"""Parts shared by all rulesets: grids, dice, ledger, decisions, errors."""
