"""Devices: where a case is run. Every device lives in a child process and answers Observations."""
