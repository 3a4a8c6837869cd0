"""Shards of one run, judged apart, put together into a run like any other."""
