/* Forwards to base/words.h until its users include that. */
#include "base/words.h"
