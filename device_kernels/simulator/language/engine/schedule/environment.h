// The environment that this library was loaded with. What is loaded after it, such as the library
// whose kernels are judged, may set variables as it likes: nothing here reads them again.
#pragma once

namespace ascendsim {

/// The value of a variable whose name begins with ASCENDSIM_, null where there was none.
const char* Variable(const char* name);

}  // namespace ascendsim
