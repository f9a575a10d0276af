/* Settings of a crawl by name, sorted, each with its last value. */
#ifndef FLEET_SETTINGS_H
#define FLEET_SETTINGS_H

#include "store/rows.h"

struct settings {
    struct arena arena;
    struct store_setting *item;
    size_t count, room;
};

void settings_init(struct settings *settings);
void settings_release(struct settings *settings);

void settings_set(struct settings *settings, const struct store_setting *row);

/* What two values of one name become: the last of them; or, for the figures of
 * several machines, the later of times and the sum of other numbers. */
enum settings_merge { SETTINGS_LAST, SETTINGS_SUM };

/* Add the settings of a packed piece; an empty one is none. False if it is
 * damaged. */
bool settings_unpack(struct settings *settings, struct str piece,
                     enum settings_merge merge);

#endif
