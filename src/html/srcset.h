/* Moved: until all include it there. */
#include "html/css.h"
