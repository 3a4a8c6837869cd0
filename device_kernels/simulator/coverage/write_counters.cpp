// In libopapi.so of a build that counts which lines are run.

extern "C" void __gcov_dump();

/// Adds the counters of this process to the .gcda files. The device process ends without the
/// library's destructors, which would do so.
extern "C" __attribute__((visibility("default"))) void ascendsimWriteCounters() { __gcov_dump(); }
