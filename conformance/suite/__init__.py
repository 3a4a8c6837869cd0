"""The records that a run judges, on their route, with the wrong calls that every operator has."""
