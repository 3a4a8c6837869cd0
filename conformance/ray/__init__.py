"""A run whose items are judged by workers of a Ray cluster; imported with ``--ray`` alone."""
