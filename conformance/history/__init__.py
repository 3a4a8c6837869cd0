"""Many runs over time: one embedded database, trends, and where something changed first."""
