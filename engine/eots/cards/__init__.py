"""Card effects: data run by small interpreters (5.3)."""
