#include "crawler/record_codes.h"

enum url_end verdict_end(enum verdict verdict)
{
    switch (verdict) {
    case ACCEPT:
        return URL_QUEUED;
    case DUPLICATE:
        return URL_NONE;
    case EXTERNAL:
        return URL_OUTSIDE;
    /* Its host was tried in vain. */
    case ROBOTS_UNKNOWN:
    case HOST_DEAD:
        return URL_FAILED;
    default:
        return URL_REFUSED;
    }
}

enum url_end outcome_end(enum outcome outcome)
{
    switch (outcome) {
    case FETCHED:
        return URL_SAVED;
    case REDIRECTED:
    case CANONICAL:
        return URL_REDIRECTED;
    /* Not what was asked for, or not to be kept. */
    case NOT_HTML:
    case TOO_LARGE:
    case NOINDEX:
    case NOARCHIVE:
        return URL_NOT_KEPT;
    /* We cut it short ourselves, so it stays queued. */
    case ABANDONED:
        return URL_QUEUED;
    default:
        return URL_FAILED;
    }
}

const struct store_codes *crawler_codes(void)
{
    static struct store_code verdicts[VERDICTS], outcomes[OUTCOMES];
    static const struct store_codes codes = {verdicts, outcomes, VERDICTS,
                                             OUTCOMES};

    for (int i = 0; i < VERDICTS; i++)
        verdicts[i] = (struct store_code){verdict_name((enum verdict)i),
                                          verdict_end((enum verdict)i)};
    for (int i = 0; i < OUTCOMES; i++)
        outcomes[i] = (struct store_code){outcome_name((enum outcome)i),
                                          outcome_end((enum outcome)i)};
    return &codes;
}
