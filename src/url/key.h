/* Moved: until all include it there. */
#include "url/normalize.h"
