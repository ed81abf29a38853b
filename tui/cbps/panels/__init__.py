"""The panels of Carrier Battle: carrier board, enemy boards, rosters, goals, reports and text pages."""
