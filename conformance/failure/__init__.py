"""A failed case kept and called again: diagnosis, pictures, bundle, replay."""
