/* What tests ask of an exchange. */
#ifndef TESTS_SUPPORT_EXCHANGES_H
#define TESTS_SUPPORT_EXCHANGES_H

#include "page/exchange.h"

enum {
    EXCHANGE_ALL =
        WISH_REQUEST_HEAD | WISH_RESPONSE_HEAD | WISH_PEER | WISH_EVERY_BODY,
};

/* Fail with both and the names of what it is and of the case. */
void exchange_expect(const char *what, const char *of, struct str expected,
                     struct str got);

/* As at any other time than between take and give_back. */
void exchange_expect_no_bytes(const struct exchange *exchange);

/* What holds for every exchange. */
void exchange_check(const struct exchange *exchange);

#endif
