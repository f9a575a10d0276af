/* Moved: until all include it there. */
#include "html/html.h"
