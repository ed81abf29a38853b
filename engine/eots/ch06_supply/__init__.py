"""Chapter 6: headquarters, supply, activation, air zones of influence and hex control."""
