"""Code that all rulesets share: the machine, dice, grids, decisions, errors and the ``Ruleset`` interface."""
