/* The reasons why a text is not a URL. The caller that decides what to do about
 * it prints err_message(). */
#ifndef URL_ERR_H
#define URL_ERR_H

#define MUST_CHECK __attribute__((warn_unused_result))

enum err {
    ERR_NONE,
    ERR_URL_SCHEME,
    ERR_URL_RELATIVE,
    ERR_URL_HOST,
    ERR_URL_PORT,
    ERR_URL_TOO_LONG,
    ERR_COUNT,
};

/* A sentence without a full stop; never NULL. */
const char *err_message(enum err err);

#endif
