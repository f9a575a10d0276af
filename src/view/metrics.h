/* The figures of a crawl as metrics, in the two text forms that Prometheus
 * reads. No metric has a label for hosts: their number has no bound. Pure. */
#ifndef VIEW_METRICS_H
#define VIEW_METRICS_H

#include "view/figures.h"

enum metrics_form {
    METRICS_TEXT,        /* Prometheus text format 0.0.4 */
    METRICS_OPENMETRICS, /* OpenMetrics 1.0.0 */
};

/* The form that the value of an Accept header prefers; the value may be
 * missing (.ptr NULL). */
enum metrics_form metrics_preferred(struct str accept);

struct str metrics_type(enum metrics_form form);

void metrics_put(struct buf *out, const struct figures *figures,
                 enum metrics_form form);

#endif
