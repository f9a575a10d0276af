/* Moved: until all include it there. */
#include "url/scope.h"
