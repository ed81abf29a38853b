"""The area map: places that touch each other if they are adjacent, their drawing, and the widget that shows them."""
