"""From a contract and an observation to a verdict."""
