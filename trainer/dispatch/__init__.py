"""The dispatcher: one small process a runs folder that owns the machine, its queue and its warm parent."""
