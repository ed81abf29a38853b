"""What a commander can work out before he decides: fuel, time, light, chances; from open information alone.

Nothing here is a rule: the numbers come from the charts of the match and from the rules that read them. Chances are
exact fractions.
"""
