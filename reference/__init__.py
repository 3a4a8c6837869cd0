"""Reference definitions of the operators in pure numpy, written from the documents alone."""
