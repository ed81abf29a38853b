"""Chapter 6: headquarters, supply, activation, air zones of influence and control of hexes."""
