"""A battle in progress for tests, with everything that can be on the map."""

from engine.cbps.state import (
    AirUnit,
    Battle,
    Boat,
    Force,
    Group,
    Hull,
    LandBase,
    Mission,
    Raid,
    Search,
    UsShip,
)


def battle() -> Battle:
    """Return the battle of the target picture with some additions."""
    in_flight = {"hornet-1": "intercept-1", "hornet-2": "intercept-1", "bataan-1": "strike-3"}
    units = {name: AirUnit(place="mission", at=at) for name, at in in_flight.items()}
    return Battle(
        units=units,
        groups={
            "58.1": Group(hex="1109", heading="W"),
            "58.2": Group(hex="1109", heading="W", is_lit=True),
            "58.7": Group(hex="1010", is_detached=True, heading="NW"),
        },
        missions={
            "intercept-1": Mission(kind="intercept", cap="58.1", fuel=14),
            "intercept-2": Mission(kind="intercept", hex="1111", fuel=9),
            "strike-3": Mission(kind="strike", hex="1212", fuel=0),
        },
        searches={
            "search-1": Search(
                kind="standard", origin="1109", group="58.1", bearing=270, radius="1119", hex="1115"
            ),
            "search-2": Search(
                kind="narrow", origin="1109", group="58.1", radius="0103", hex="0606", is_back=True
            ),
        },
        boats={"albacore": Boat(hex="1414"), "cavalla": Boat(hex="1414"), "finback": Boat()},
        ships={"hornet": UsShip(group="58.1"), "dakota": UsShip(hex="1108")},
        hulls={"zuikaku": Hull(force="B", hex="0821"), "shokaku": Hull(force="B")},
        forces={
            "A": Force(hex="1117", level=2, detection="L", heading="E", is_carrier=True),
            "C": Force(hex="0919", level=1, detection="S", heading="SE"),
            "F": Force(hex="1320"),
            "3": Force(hex="1419", level=4, detection="?"),
        },
        raids={
            "A-a": Raid(origin="A", slot="a", hex="1113", target="58.1", points=12),
            "Guam-a": Raid(origin="Guam", hex="1408", target="dakota", fighters=2, attackers=3),
        },
        guam=LandBase(boxes={"aall": 5, "lost": 2}),
        oilers={"oiler-1": "0824"},
    )
