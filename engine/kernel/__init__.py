"""Code shared by all rulesets: the machine, dice, grids, decisions, errors and the ``Ruleset`` interface."""
