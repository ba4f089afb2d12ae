"""What a venue shows of its own beside the boards: a logo, sponsors, the charity's name, a message, colors.

    FOLDER/venue.toml ──► VenueKeys ──┐
    FOLDER/*.png …    ──► images ─────┴──► dress ──► Venue: files of the site, and what is wrong

keys        the keys of `venue.toml`
colors      contrast, and the nearest color that can be read
images      raster images, decoded and encoded again in a process of their own
dressing    the whole, checked: files that the page loads, or every mistake with its key and fix

The page shows it in a strip of its own: no part of it is ever on a board, and the colors of states are not its to
change.
"""

from .dressing import NO_VENUE, Venue, VenueMistake, dress
from .keys import VENUE_FILE, VenueKeys

__all__ = ["NO_VENUE", "VENUE_FILE", "Venue", "VenueKeys", "VenueMistake", "dress"]
