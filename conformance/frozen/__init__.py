"""Cases that stay: the frozen corpus, and regressions that people promoted from bundles."""
