"""How the elements of tensors are made: families of values, address codes, rounding boundaries."""
