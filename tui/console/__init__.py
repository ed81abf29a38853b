"""Line-by-line play, lessons and replays."""
