#include "cli/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"

bool input_read(const char *name, struct buf *out)
{
    return strcmp(name, "-") != 0 ? io_read_file(name, out)
                                  : io_read_all(STDIN_FILENO, out);
}

bool input_lines(const char *name, void (*each)(void *user, struct str line),
                 void *user)
{
    FILE *in = strcmp(name, "-") != 0 ? fopen(name, "rb") : stdin;
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
    bool good = !ferror(in);
    int why = errno;
    if (in != stdin)
        fclose(in);
    free(line);
    errno = why;
    return good;
}
