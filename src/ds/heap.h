/* Forwards to base/heap.h until its users include that. */
#include "base/heap.h"
