"""The device libraries: Ascend C kernels, their host side, and a simulated Ascend device."""
