/* Moved: until all include it there. */
#include "url/filter.h"
