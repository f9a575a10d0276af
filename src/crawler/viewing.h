/* The crawler thread's side of the view (view/view.h): it notes what people
 * will ask for, fills in a snapshot once a second, and carries out orders.
 *
 * Without a view there is no `struct viewing`, and nothing is noted. */
#ifndef CRAWLER_VIEWING_H
#define CRAWLER_VIEWING_H

#include "crawler/crawler_thread.h"

struct viewing;

/* NULL where the crawl has no view. */
struct viewing *viewing_new(struct view *view);
void viewing_free(struct viewing *viewing);

/* A fetch has ended; a page was saved. NULL does nothing. */
void viewing_note_fetch(struct viewing *viewing, const struct webpage *page);
void viewing_note_page(struct viewing *viewing, const struct webpage *page,
                       uint32_t number, uint64_t now_ms);

/* view_fd is readable: the next viewing_tend looks at why. */
void viewing_call(struct viewing *viewing);

/* When viewing_tend has something to do next; UINT64_MAX: never. */
uint64_t viewing_due_ms(const struct viewing *viewing, uint64_t now_ms);

/* Hand over a snapshot, if one is due. */
void viewing_tend(struct crawler *crawler);

/* Hand over the last one: the crawl has ended. */
void viewing_end(struct crawler *crawler);

#endif
