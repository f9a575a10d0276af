/* Which outcomes are worth another try, and after how long. */
#ifndef CRAWLER_RETRY_H
#define CRAWLER_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "page/outcome.h"

bool retry_is_worthwhile(enum outcome outcome);

/* Doubles with every try so far, up to a minute. */
uint64_t retry_wait_ms(enum outcome outcome, unsigned tries);

/* Does the outcome concern the whole host, not only this page? */
bool retry_holds_host(enum outcome outcome);

#endif
