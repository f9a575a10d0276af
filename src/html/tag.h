/* Moved: until all include it there. */
#include "html/tree.h"
