"""The Quartermaster General map as a chart of squares. Spaces share a side if and only if they share a border (5.1).

Spaces that meet only at a corner are not adjacent. The straits (5.3) run through three such corners: North Sea to
Baltic, North Sea to Mediterranean, and Bay of Bengal to South China Sea. The Suez Canal follows the border between
North Africa and the Middle East. The Panama Canal crosses the narrowest part of Latin America. The left edge connects
to the right edge row by row (5.2).
"""

from typing import Final

from engine.qmg.atlas import SPACES
from tui.maps.areamap.scene import AreaChart

_SQUARES: Final = """
CCCCCCnnnIIIIIoooooooooooSSSSSSSSRRRRRRRRYYYYYYYYYYYVVVVVVVVfffffffffffff9999999
CCCCCCnnnIIIIIoooooooooooSSSSSSSSRRRRRMMMMMMYYYYYYYYVVVVVVVVeeeeeeeffffff9999999
CCCCCCnnnnnnoooooooWWWWWWbbbbbbbbbPPRRMMMMMMYYYYYOOOOOOHHHHHeeeeeeeffffff9999999
EEEEEEnnnnnnoKKKKKoWWWWWWbbbbbbPPPPPUUUUUUZZZZZZZOOOOOOHHHHHeJJJJJe55555fy000000
EEEEEEnnnnnnoKKKKKoWWWWWWGGGGGGPPPPPUUUUUUZZZZZZZXXXXXXHHHHHeJJJJJe55555fy000000
EEEEEEnnnnnnoKKKKKoWWWWWWGGGGGGBBBBBUUUUUUcccccZZXXXXXXHHHHHeeeeeeezzzzzfyyyy000
EEEEEEnnnnnnoooooooWWWWWWTTTTTTBBBBBkkkkkDcccccDDDQQQQFFFFFFx2222222z66666yyy000
LLLLLLnnnnnnoooooooWWWWWWTTTTTTBBBBBkkkkkDDDDDDDDDQQQQggFFFFx2222222z66666yyy000
LLLLLLnnnnnnooNNNNNmmmmmmmmmmmmmmmmmDDDDDDDDDDDgggggggg3xxxxxxxxxxxxzzzzzzzyyyyy
ppppLLLssssssoNNNNNmmmmmmmmmmmmmmmmmDDDDDDgggggggg333333xxxxxxxxxxxxzzzzzzzyyyyy
ppppLLLssssssoNNNNNNNNNNNNNNNNNNNNNNDDDggggggggggg333333xxxxxxxxxxxx44444uuuuyyy
ppppLLLsssssssAAAAAAAAAAAAAAAAggggggggggg1111111ggiiiiiiiii77777777u44444uuuuyyy
ppppppwwwwwwwwAAAAAAAAAAAAAAAAiiiiiiiiiii1111111iiiiiiiiiii77777777uuuuuuu88888y
ppppppwwwwwwwwwwwwwwwwwwwiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiuuuuuuuuuu88888y
"""
"""One character per square. Capital letters and digits are land, lower-case letters are sea."""
_SPACE_BY_LETTER: Final = {
    "C": "canada",
    "E": "eastern_us",
    "L": "latin_america",
    "I": "iceland",
    "K": "united_kingdom",
    "S": "scandinavia",
    "W": "western_europe",
    "G": "germany",
    "T": "italy",
    "B": "balkans",
    "P": "eastern_europe",
    "U": "ukraine",
    "R": "russia",
    "M": "moscow",
    "Y": "siberia",
    "Z": "kazakhstan",
    "O": "mongolia",
    "V": "vladivostok",
    "D": "middle_east",
    "N": "north_africa",
    "A": "africa",
    "1": "madagascar",
    "Q": "india",
    "X": "szechuan",
    "H": "china",
    "F": "southeast_asia",
    "J": "japan",
    "2": "philippines",
    "3": "indonesia",
    "4": "new_guinea",
    "5": "iwo_jima",
    "6": "hawaii",
    "7": "australia",
    "8": "new_zealand",
    "9": "pacific_northwest",
    "0": "western_us",
    "n": "north_atlantic",
    "o": "north_sea",
    "s": "south_atlantic",
    "w": "southern_ocean",
    "p": "southeast_pacific",
    "b": "baltic_sea",
    "m": "mediterranean",
    "k": "black_sea",
    "c": "caspian_sea",
    "g": "bay_of_bengal",
    "i": "indian_ocean",
    "x": "south_china_sea",
    "e": "east_china_sea",
    "f": "north_pacific",
    "z": "central_pacific",
    "y": "east_pacific",
    "u": "south_pacific",
}

CHART: Final = AreaChart(
    tuple(tuple(_SPACE_BY_LETTER[letter] for letter in line) for line in _SQUARES.split())
)
assert {name for row in CHART.rows for name in row} == {space.id for space in SPACES}
