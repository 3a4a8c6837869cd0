// In each library of a build that counts which lines are run: every library has counters of its
// own.

extern "C" void __gcov_dump();

extern "C" __attribute__((visibility("default"))) void FOREIGN_COUNTERS() { __gcov_dump(); }
