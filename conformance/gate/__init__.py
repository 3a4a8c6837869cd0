"""The gate: whether a finished run is accepted, beside a baseline and with waivers."""
