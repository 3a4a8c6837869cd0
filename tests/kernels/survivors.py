"""Why mutants survive that do: what each of them changes, or why nobody can see that."""

REASONS: dict[str, str] = {}
