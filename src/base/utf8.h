/* Forwards to base/str.h until its users include that. */
#include "base/str.h"
