"""The area map: places that touch where they are adjacent, their drawing, and the widget."""
