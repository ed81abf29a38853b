"""Card effects: data executed by small interpreters (5.3)."""
