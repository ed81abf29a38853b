"""The map of Quartermaster General: a chart of squares and the scene."""
