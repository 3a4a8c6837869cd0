"""The route of torch_npu: the wheel, what it needs of a host without CANN, and calls through it."""
