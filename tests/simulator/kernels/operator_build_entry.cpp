// The launch of a kernel that the operator build has compiled.
#include <cstdint>

extern "C" void scale(uint8_t* x, uint8_t* y, uint8_t* workspace, uint8_t* tiling);

extern "C" void entry_scale(void* const* args) {
    scale(static_cast<uint8_t*>(args[0]), static_cast<uint8_t*>(args[2]),
          static_cast<uint8_t*>(args[1]), static_cast<uint8_t*>(args[3]));
}
