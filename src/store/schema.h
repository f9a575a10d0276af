/* The tables and views of the state file. Private to src/store/. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

/* "crwl": what file(1) and other programs tell it by. */
enum { SCHEMA_APPLICATION_ID = 0x6372776c };

/* All of them, for an empty database. */
extern const char schema_tables[], schema_views[];

#endif
