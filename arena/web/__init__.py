"""Pages: replays in one file, the site of leagues, and the table at which people play."""
