#include "cli/input.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNK = 64 * 1024 };

static bool read_all(FILE *in, struct buf *out)
{
    char *at;

    while ((at = buf_reserve(out, CHUNK))) {
        size_t len = fread(at, 1, CHUNK, in);
        out->len += len;
        if (len < CHUNK)
            return !ferror(in);
    }
    errno = EFBIG;
    return false;
}

bool input_read(const char *name, struct buf *out)
{
    bool is_stdin = !strcmp(name, "-");
    FILE *in = is_stdin ? stdin : fopen(name, "rb");

    if (!in)
        return false;
    bool good = read_all(in, out);
    int why = errno;
    if (!is_stdin)
        fclose(in);
    errno = why;
    return good;
}

bool input_lines(void (*each)(void *user, struct str line), void *user)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    while ((len = getline(&line, &room, stdin)) >= 0) {
        struct str text = {line, (size_t)len};
        if (str_ends(text, STR("\n")))
            text.len--;
        each(user, text);
    }
    int why = errno;
    free(line);
    errno = why;
    return !ferror(stdin);
}
