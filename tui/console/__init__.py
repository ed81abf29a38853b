"""Line-by-line play, lessons and replays, without full-screen drawing."""
