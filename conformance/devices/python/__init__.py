"""Route python: functions that a person names, called in the device process in place of kernels."""
