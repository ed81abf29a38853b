"""US air strikes: contact, CAP, anti-aircraft fire and attack (chapter 5)."""
