"""Custom-operator packages: where operators are looked for, and whether one package was judged."""
