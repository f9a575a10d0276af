/* Forwards to base/mem.h until its users include that. */
#include "base/mem.h"
