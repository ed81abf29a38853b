"""Layout of the table as a style sheet; `tui.docks` decides which panels are shown."""

from typing import Final

STYLE: Final = """
FrameScreen #body { height: 1fr; }
FrameScreen #left { width: 1fr; }
FrameScreen HexMap { height: 1fr; }
FrameScreen AreaMap { height: 14; max-height: 100%; }
FrameScreen #right { width: 34; border-left: solid $border-blurred; }
FrameScreen #decision { height: 1fr; }
FrameScreen #sideboard { height: 2fr; }
FrameScreen #sideboard > .keys { display: none; }
FrameScreen #sideboard:focus-within > .keys { display: block; }
FrameScreen #column { height: auto; }
FrameScreen #aside { width: 42; border-left: solid $border-blurred; padding-left: 1; }
FrameScreen #bottom { height: 10; }
FrameScreen .panel {
    border-top: solid $border-blurred;
    border-title-color: $foreground; border-title-style: bold;
}
FrameScreen .panel:focus, FrameScreen .panel:focus-within {
    border-top: solid $border; border-title-color: $border;
}
FrameScreen #hex { height: 8; }
FrameScreen #sidelog { height: 10; }
FrameScreen #log, FrameScreen #seen, FrameScreen #dock, FrameScreen #hand { width: 1fr; height: 100%; }
FrameScreen #dock, FrameScreen #minimap { margin-left: 1; }
FrameScreen #log { margin-right: 1; }
FrameScreen #minimap { width: 40; height: 100%; }
FrameScreen .status { height: 1; }
FrameScreen.-wordy .status { height: 2; }
FrameScreen.-wordy > .keys { display: none; }
FrameScreen.-wide #right, FrameScreen.-huge #right { width: 44; padding-left: 1; }
FrameScreen.-size-120x40 #hex { height: 11; }
FrameScreen.-size-120x40.-hand #hex { height: 8; }
FrameScreen.-size-120x40.-hand #sidelog { height: 6; }
FrameScreen.-size-160x46 #hex { height: 9; }
FrameScreen.-size-160x46.-dock #hex { height: 16; }
FrameScreen.-size-160x46 #sidelog { height: 7; }
FrameScreen.-size-200x60 #hex { height: 11; }
FrameScreen.-size-200x60 #bottom { height: 12; }
FrameScreen.-size-200x60 #sidelog { height: 11; }
FrameScreen.-long #hex { height: 5; }
FrameScreen.-long.-size-120x40 #hex { height: 6; }
FrameScreen.-long.-size-160x46 #hex { height: 7; }
FrameScreen.-long.-size-160x46 #sidelog { height: 4; }
FrameScreen.-above #body { layout: vertical; }
FrameScreen.-above #left { width: 100%; height: auto; max-height: 70%; align-horizontal: center; }
FrameScreen.-above #right { layout: horizontal; width: 100%; height: 1fr; border-left: none; padding: 0; }
FrameScreen.-above #question { width: 1fr; height: 100%; }
FrameScreen.-above.-hand #question { width: 44; }
FrameScreen.-above.-size-80x24.-hand #question { width: 34; }
FrameScreen.-above #column { width: 1fr; height: 100%; margin-left: 1; }
FrameScreen.-above.-hand #column { width: 42; }
FrameScreen.-above #aside { width: 42; height: 100%; margin-left: 1; border-left: none; padding: 0; }
FrameScreen.-above #hand { width: 1fr; margin-left: 1; }
FrameScreen.-above #hex { height: 1fr; }
FrameScreen.-above #sidelog { height: 1fr; }
FrameScreen.-above.-size-120x40 #column { layout: horizontal; width: 2fr; }
FrameScreen.-above.-size-120x40 #hex { width: 1fr; height: 100%; }
FrameScreen.-above.-size-120x40.-hand #column { width: 32; }
FrameScreen.-above.-size-120x40 #sidelog { width: 1fr; height: 100%; margin-left: 1; }
"""
"""Style sheet of the table screens."""
