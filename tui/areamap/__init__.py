"""The area map: places in a coarse grid with links between neighbours, its drawing, and its widget."""
