"""The dispatcher: one small process a runs folder that owns machine, queue and warm parent."""
