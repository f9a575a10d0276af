/* Moved: until all include it there. */
#include "html/text.h"
