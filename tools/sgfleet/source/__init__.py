"""Text -> data with the line and column of every value."""

from sgfleet.source.lean import import_yaml

import_yaml()
