/* Forwards to base/escape.h until its users include that. */
#include "base/escape.h"
