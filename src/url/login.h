/* Moved: until all include it there. */
#include "url/url.h"
