"""A package, for what its tests share: `from lessons.by_hand import close`."""
