"""The Quartermaster General user interface: texts, panels and the area map."""
