"""The Quartermaster General panels: hand, goals, rosters, status bar and text pages."""
