"""Times of calls that are compared with one another."""

import time


def best(*measured, repeats=7, clock=time.perf_counter):
    """Seconds of the fastest call of each; called in turn, so that a busy machine slows all."""
    seconds = [[] for _ in measured]
    for _ in range(repeats):
        for times, call in zip(seconds, measured, strict=True):
            began = clock()
            call()
            times.append(clock() - began)
    return [min(times) for times in seconds]
