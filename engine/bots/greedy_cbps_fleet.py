"""Movement of ships and submarines by the greedy bot for Carrier Battle (6.3, 14.1)."""

from typing import Final

from engine.bots.greedy_cbps_orders import Answer, Options, of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import Targets
from engine.cbps import commands as orders
from engine.cbps.ids import TASK_FORCE

HUNT: Final = 4
"""Maximum distance, in hexes, at which a submarine pursues a force."""


class Fleet:
    """The ships at one moment."""

    def __init__(self, now: CbpsSituation, targets: Targets) -> None:
        """Initialise for the current situation."""
        self.now = now
        self.targets = targets

    def sail(self, options: Options) -> Answer:
        """Move towards the nearest carriers or, if none are known, west by day."""
        now = self.now
        moves = [
            one
            for one in of_kind(options, orders.Sail)
            if one.group == TASK_FORCE and self._is_on_leash(one.hex)
        ]
        if not moves:
            return None
        here = now.here
        if self._known():
            best = max(moves, key=lambda one: self._pull(one.hex))
            return best if self._pull(best.hex) > self._pull(here) else None
        if int(here[2:]) >= now.stance.west or not now.is_day:
            return None
        west = now.grid.step(here, "W")
        return next((one for one in moves if one.hex == west), None)

    def _is_on_leash(self, hex_id: str) -> bool:
        """Return whether a hex is close enough to cover the invasion fleet, if the fleet still needs cover."""
        now = self.now
        saipan = now.book.sea.saipan
        away = now.distance(hex_id, saipan)
        is_nearer = away < now.distance(now.here, saipan)
        return away <= now.stance.leash or is_nearer or now.phases_left <= now.stance.covered

    def _known(self) -> dict[str, str]:
        """Return the forces to approach: invaders, and known carriers or, if there are none, detected forces."""
        found = self.targets.carriers_known() or self.targets.detected()
        return {**found, **self.targets.invaders()}

    def _pull(self, hex_id: str) -> int:
        """Return the value of a hex. It rises toward valuable forces, up to the minimum useful distance."""
        total = 0
        for name, where in self._known().items():
            near = max(self.now.distance(hex_id, where), self.now.stance.close)
            total += 1_000 * self.targets.worth(name) // (near * near)
        return total

    # -- submarines

    def boats(self, options: Options) -> Answer:
        """Attack carriers, shadow other forces, and lie in wait where a force is near."""
        now = self.now
        torpedoes = of_kind(options, orders.Torpedo)
        shadows = of_kind(options, orders.Shadow)
        if torpedoes and shadows:
            contact = getattr(now.view.frames[-1], "contact", "")
            return torpedoes[0] if self._is_prey(contact) else shadows[0]
        for option in torpedoes:
            boat = now.view.boats[option.boat]
            if not boat.shadowing or self._is_prey(boat.shadowing):
                return option
        contacts = of_kind(options, orders.Contact)
        if contacts:
            return max(contacts, key=lambda option: self.targets.worth(option.target))
        return self._hunt(of_kind(options, orders.Hunt))

    def _is_prey(self, name: str) -> bool:
        """Return whether a force or a lone ship is worth torpedoes."""
        force = self.now.view.forces.get(name)
        return force is None or force.is_carrier

    def _hunt(self, moves: list[orders.Hunt]) -> Answer:
        """Move a submarine towards the best force near it."""
        now = self.now
        ranked = []
        for option in moves:
            here = now.view.boats[option.boat].hex
            for name, force in now.view.forces.items():
                way = now.distance(here, force.hex)
                if 0 < way <= HUNT and now.distance(option.hex, force.hex) < way:
                    ranked.append((self.targets.worth(name) - 6 * way, option))
        return max(ranked, key=lambda one: one[0])[1] if ranked else None
