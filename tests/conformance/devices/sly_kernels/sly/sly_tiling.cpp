// The operator has no tiling; the build wants a file of it.
