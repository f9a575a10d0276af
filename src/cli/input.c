#include "cli/input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"

bool input_read(const char *name, struct buf *out)
{
    return strcmp(name, "-") ? io_read_file(name, out)
                             : io_read_all(STDIN_FILENO, out);
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
