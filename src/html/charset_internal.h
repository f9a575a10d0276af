/* Moved: until all include it there. */
#include "html/charset.h"
