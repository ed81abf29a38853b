"""What a battle would come to, from what one side may see: exact chances, and who may react (7.25, 7.26, 9.0)."""
