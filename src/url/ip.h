/* Moved: until all include it there. */
#include "url/host.h"
