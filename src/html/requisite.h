/* Moved: until all include them there. */
#include "html/css.h"
#include "html/html.h"
