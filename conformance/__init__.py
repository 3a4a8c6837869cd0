"""The conformance harness: draws cases, runs a device, judges what it answers."""
