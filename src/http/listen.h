/* Forwards to http/server.h until its users include that. */
#include "http/server.h"
