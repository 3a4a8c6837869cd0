"""The programs of a bundle: they make its call again and need nothing of this project."""
