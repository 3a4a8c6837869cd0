// Names that shape inference and tilings share; the tilings judged here use none of them.
#pragma once

#include "exe_graph/runtime/shape.h"
