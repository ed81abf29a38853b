"""The user interface of Quartermaster General: texts, panels and the area map."""
