#include "testserver/files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    INDEX_ROOM = 12,         /* for "/index.html" */
    COPY_UP_TO = 256 * 1024, /* larger files go by sendfile */
};

struct files {
    int root_fd;
};

// clang-format off
static const struct mime {
    struct str extension, type;
} mimes[] = {
    {STR_INIT("html"),  STR_INIT("text/html")},
    {STR_INIT("htm"),   STR_INIT("text/html")},
    {STR_INIT("xhtml"), STR_INIT("application/xhtml+xml")},
    {STR_INIT("txt"),   STR_INIT("text/plain")},
    {STR_INIT("css"),   STR_INIT("text/css")},
    {STR_INIT("js"),    STR_INIT("text/javascript")},
    {STR_INIT("json"),  STR_INIT("application/json")},
    {STR_INIT("xml"),   STR_INIT("text/xml")},
    {STR_INIT("rss"),   STR_INIT("application/rss+xml")},
    {STR_INIT("atom"),  STR_INIT("application/atom+xml")},
    {STR_INIT("svg"),   STR_INIT("image/svg+xml")},
    {STR_INIT("png"),   STR_INIT("image/png")},
    {STR_INIT("jpg"),   STR_INIT("image/jpeg")},
    {STR_INIT("jpeg"),  STR_INIT("image/jpeg")},
    {STR_INIT("gif"),   STR_INIT("image/gif")},
    {STR_INIT("webp"),  STR_INIT("image/webp")},
    {STR_INIT("ico"),   STR_INIT("image/vnd.microsoft.icon")},
    {STR_INIT("pdf"),   STR_INIT("application/pdf")},
    {STR_INIT("gz"),    STR_INIT("application/gzip")},
    {STR_INIT("zip"),   STR_INIT("application/zip")},
    {STR_INIT("woff"),  STR_INIT("font/woff")},
    {STR_INIT("woff2"), STR_INIT("font/woff2")},
    {STR_INIT("ttf"),   STR_INIT("font/ttf")},
    {STR_INIT("mp4"),   STR_INIT("video/mp4")},
};
// clang-format on

struct str files_type(struct str name)
{
    size_t dot = name.len;

    while (dot > 0 && name.ptr[dot - 1] != '.' && name.ptr[dot - 1] != '/')
        dot--;
    struct str extension = str_skip(name, dot);
    for (size_t i = 0; dot > 0 && i < ARRAY_LEN(mimes); i++)
        if (str_eq_nocase(mimes[i].extension, extension))
            return mimes[i].type;
    return STR("application/octet-stream");
}

/* Take one character off `s`: "%41" is 'A'. -1 for a broken escape. */
static int take_char(struct str *s)
{
    bool escaped = s->ptr[0] == '%';
    int c = escaped ? percent_value(*s) : (unsigned char)s->ptr[0];

    *s = str_skip(*s, escaped && c >= 0 ? 3 : 1);
    return c;
}

static bool leads_out(struct str path)
{
    while (path.len) {
        struct str_pair parts = str_cut(path, '/');
        if (str_eq(parts.head, STR("..")))
            return true;
        path = parts.tail;
    }
    return false;
}

bool files_decode_path(struct str path, char *out, size_t room)
{
    size_t len = 0;

    while (path.len && len + 1 < room) {
        int c = take_char(&path);
        if (c <= 0)
            return false;
        if (len > 0 || c != '/')
            out[len++] = (char)c;
    }
    if (path.len || leads_out((struct str){out, len}))
        return false;
    if (!len && room > 1)
        out[len++] = '.';
    out[len] = '\0';
    return true;
}

static void redirect_to_directory(const struct http_request *request,
                                  struct buf *scratch, struct reply *reply)
{
    struct buf where;

    buf_init(&where, request->target.len + 1);
    buf_put(&where, request->path);
    buf_put_char(&where, '/');
    if (request->query.len) {
        buf_put_char(&where, '?');
        buf_put(&where, request->query);
    }
    reply_set_redirect(reply, 301, buf_str(&where), scratch);
    buf_release(&where);
}

/* Put the file into the reply, which takes over `fd`. */
static void send_file(int fd, uint64_t size, struct buf *scratch,
                      struct reply *reply)
{
    if (size > COPY_UP_TO) {
        reply->http.file_fd = fd;
        reply->http.file_len = size;
        return;
    }
    char *at = buf_reserve(scratch, (size_t)size);
    ssize_t n = read(fd, at, (size_t)size);
    if (n > 0)
        scratch->len += (size_t)n;
    close(fd);
    reply_set_body(reply, buf_str(scratch));
}

static bool answer(void *self, const struct http_request *request,
                   struct buf *scratch, struct reply *reply)
{
    const struct files *files = self;
    char path[PATH_MAX];
    struct stat info;

    if (!files_decode_path(request->path, path, sizeof(path) - INDEX_ROOM))
        return false;
    if (str_ends(request->path, STR("/"))) {
        size_t len = strlen(path);
        snprintf(path + len, sizeof(path) - len, "/index.html");
    }

    int fd = openat(files->root_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (!fstat(fd, &info) && S_ISREG(info.st_mode)) {
        reply->http.type = files_type(str_of(path));
        send_file(fd, (uint64_t)info.st_size, scratch, reply);
        return true;
    }
    close(fd);
    if (!S_ISDIR(info.st_mode))
        return false;
    redirect_to_directory(request, scratch, reply);
    return true;
}

static void free_files(void *self)
{
    struct files *files = self;

    close(files->root_fd);
    free(files);
}

bool files_source(const char *root, struct source *source)
{
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return false;
    struct files *files = NEW(struct files);
    files->root_fd = fd;
    *source =
        (struct source){.answer = answer, .free = free_files, .self = files};
    return true;
}
