"""The area map: places that touch if they are adjacent, their drawing, and the widget that shows them."""
