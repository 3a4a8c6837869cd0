"""Automatic mutants: kernels with one small change each, judged as a run judges a kernel."""
