"""The table's layout as a style sheet. `tui.panels.docks` decides which panels are shown."""

from typing import Final

STYLE: Final = """
TableScreen #body { height: 1fr; }
TableScreen #left { width: 1fr; layers: base above; }
TableScreen HexMapView { height: 1fr; }
TableScreen AreaMapView { height: 14; max-height: 100%; }
TableScreen #right { width: 34; border-left: solid $border-blurred; }
TableScreen #decision { height: 1fr; }
TableScreen #sideboard { height: 2fr; }
TableScreen #sideboard > .keys { display: none; }
TableScreen #sideboard:focus-within > .keys { display: block; }
TableScreen #column { height: auto; }
TableScreen #aside { width: 42; border-left: solid $border-blurred; padding-left: 1; }
TableScreen #bottom { height: 10; }
TableScreen .panel {
    border-top: solid $border-blurred;
    border-title-color: $foreground; border-title-style: bold;
}
TableScreen .panel:focus, TableScreen .panel:focus-within {
    border-top: solid $border; border-title-color: $border;
}
TableScreen #hex { height: 8; }
TableScreen #sidelog { height: 10; }
TableScreen #log, TableScreen #seen, TableScreen #dock, TableScreen #hand { width: 1fr; height: 100%; }
TableScreen #dock, TableScreen #minimap { margin-left: 1; }
TableScreen #log { margin-right: 1; }
TableScreen #minimap { width: 40; height: 100%; }
TableScreen .status { height: 1; }
TableScreen.-wordy .status { height: 2; }
TableScreen.-wordy > .keys { display: none; }
TableScreen.-wide #right, TableScreen.-huge #right { width: 44; padding-left: 1; }
TableScreen.-size-120x40 #hex { height: 11; }
TableScreen.-size-120x40.-hand #hex { height: 8; }
TableScreen.-size-120x40.-hand #sidelog { height: 6; }
TableScreen.-size-160x46 #hex { height: 9; }
TableScreen.-size-160x46.-dock #hex { height: 16; }
TableScreen.-size-160x46 #sidelog { height: 7; }
TableScreen.-size-200x60 #aside { width: 54; }
TableScreen.-size-200x60 #hex { height: 11; }
TableScreen.-size-200x60 #bottom { height: 12; }
TableScreen.-size-200x60 #sidelog { height: 11; }
TableScreen.-long #hex { height: 5; }
TableScreen.-long.-size-120x40 #hex { height: 6; }
TableScreen.-long.-size-160x46 #hex { height: 7; }
TableScreen.-long.-size-160x46 #sidelog { height: 4; }
TableScreen.-above #body { layout: vertical; }
TableScreen.-above #left { width: 100%; height: auto; max-height: 70%; align-horizontal: center; }
TableScreen.-above #right { layout: horizontal; width: 100%; height: 1fr; border-left: none; padding: 0; }
TableScreen.-above #question { width: 1fr; height: 100%; }
TableScreen.-above.-hand #question { width: 44; }
TableScreen.-above.-size-80x24.-hand #question { width: 34; }
TableScreen.-above #column { width: 1fr; height: 100%; margin-left: 1; }
TableScreen.-above.-hand #column { width: 42; }
TableScreen.-above #aside { width: 48; height: 100%; margin-left: 1; border-left: none; padding: 0; }
TableScreen.-above #hand { width: 1fr; margin-left: 1; }
TableScreen.-above #hex { height: 1fr; }
TableScreen.-above #sidelog { height: 1fr; }
TableScreen.-above.-size-120x40 #column { layout: horizontal; width: 2fr; }
TableScreen.-above.-size-120x40 #hex { width: 1fr; height: 100%; }
TableScreen.-above.-size-120x40.-hand #column { width: 32; }
TableScreen.-above.-size-120x40 #sidelog { width: 1fr; height: 100%; margin-left: 1; }
"""
"""Style sheet of the table screens."""
