"""Game data of Quartermaster General: the map and the cards as JSON."""
