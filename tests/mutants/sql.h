/* A mutant of the program is the program with one function replaced: the file
 * of its name has that function as __wrap_NAME, and the linker leads all calls
 * of NAME to it (the Makefile reads the names here; ld(1), --wrap).
 *
 * This is for mutants that change one statement. One that is not found any more
 * stays as it is: then the mutant is no mutant, and its test says so. */
#ifndef TESTS_MUTANTS_SQL_H
#define TESTS_MUTANTS_SQL_H

#include <stdio.h>

#include "fleet/postgres.h"

/* `sql` with `by` in the place of `part`, in `out`. */
static inline const char *sql_replace(const char *sql, const char *part,
                                      const char *by, char out[PG_SQL_MAX])
{
    const char *at = strstr(sql, part);

    if (!at)
        return sql;
    snprintf(out, PG_SQL_MAX, "%.*s%s%s", (int)(at - sql), sql, by,
             at + strlen(part));
    return out;
}

void __real_pg_send(struct postgres *pg, struct pg_args *args, const char *sql);
void __wrap_pg_send(struct postgres *pg, struct pg_args *args, const char *sql);

#endif
