"""The panels of Quartermaster General: hand, goals, rosters, status bar and text pages."""
