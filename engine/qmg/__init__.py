"""Quartermaster General WW2, second edition, with Total War, for two to six players in two teams."""
