#include "cli/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 64 * 1024 };

static FILE *open_input(const char *name)
{
    return strcmp(name, "-") != 0 ? fopen(name, "rb") : stdin;
}

/* False with the errno of before if reading failed. */
static bool close_input(FILE *in)
{
    bool good = !ferror(in);
    int why = errno;

    if (in != stdin)
        fclose(in);
    errno = why;
    return good;
}

bool input_read(const char *name, struct buf *out)
{
    FILE *in = open_input(name);
    size_t len = CHUNK;

    if (!in)
        return false;
    while (len == CHUNK) {
        char *at = buf_reserve(out, CHUNK);
        if (!at) {
            close_input(in);
            errno = EFBIG;
            return false;
        }
        len = fread(at, 1, CHUNK, in);
        out->len += len;
    }
    return close_input(in);
}

bool input_lines(const char *name, void (*each)(void *user, struct str line),
                 void *user)
{
    FILE *in = open_input(name);
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    if (!in)
        return false;
    while ((len = getline(&line, &room, in)) >= 0) {
        struct str text = {line, (size_t)len};
        if (str_ends(text, STR("\n")))
            text.len--;
        each(user, text);
    }
    bool good = close_input(in);
    free(line);
    return good;
}
