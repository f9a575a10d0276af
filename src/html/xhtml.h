/* Moved: until all include it there. */
#include "html/xml.h"
