"""The Quartermaster General map: a chart of squares, and the scene."""
