"""Code shared by all rulesets: the state machine, dice, grids, decisions, errors and the ``Ruleset`` interface."""
