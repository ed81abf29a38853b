"""The area map, on which adjacent places touch: its scene, drawing and widget."""
