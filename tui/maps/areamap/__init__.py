"""Area maps, with adjacent places drawn side by side: the scene, the drawing code and the widget."""
