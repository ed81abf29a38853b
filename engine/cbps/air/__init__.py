"""US air missions: fuel, courses, missions in flight and air-to-air fire (chapter 4)."""
