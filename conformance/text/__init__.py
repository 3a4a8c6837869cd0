"""Words for people, in English and Chinese."""
