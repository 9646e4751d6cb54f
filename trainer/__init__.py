"""The engine: runs real training in its own processes and knows no lab and no page."""
