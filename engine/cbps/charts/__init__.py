"""The charts as data: their layouts and result types."""
