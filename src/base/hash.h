/* Forwards to base/hashtable.h until its users include that. */
#include "base/hashtable.h"
