"""One file a lab: what it asks of a learner, what it trains, what it promises."""
