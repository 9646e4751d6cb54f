"""Named workloads, each a ratio taken within one run; results lie in `bench/results`."""
