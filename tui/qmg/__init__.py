"""The Quartermaster General user interface: text, panels and the area map."""
