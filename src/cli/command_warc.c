/* crawler warc: the records of WARC files, one JSON object a line. */
#include <errno.h>
#include <unistd.h>

#include "archive/warc_read.h"
#include "base/json.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "cli/warc_file.h"

enum { LINE_MAX_LEN = 1 << 20 };

static void add_text(struct buf *line, const char *name, struct str value)
{
    if (value.len)
        json_add_str(line, name, value);
}

static void add_http(struct buf *line, const struct warc_record *record,
                     struct buf *scratch)
{
    struct warc_http http;

    if (record->type != WARC_RESPONSE && record->type != WARC_REVISIT)
        return;
    if (!warc_http_parse(record, scratch, &http))
        return;
    json_add_number(line, "status", (uint64_t)http.status);
    add_text(line, "mime", http.mime);
    add_text(line, "location", http.location);
}

static void print_record(const char *path, const struct warc_record *record,
                         struct buf *line, struct buf *scratch)
{
    buf_clear(line);
    json_open(line, NULL);
    json_add_str(line, "file", str_of(path));
    json_add_number(line, "offset", record->at);
    if (record->length)
        json_add_number(line, "length", record->length);
    else
        json_add_number(line, "within", record->within);
    add_text(line, "version", record->version);
    add_text(line, "type", warc_field(record, STR("WARC-Type")));
    add_text(line, "id", record->id);
    add_text(line, "url", record->url);
    add_text(line, "date", record->date);
    add_text(line, "content_type", record->content_type);
    json_add_number(line, "content_length", record->block_len);
    add_http(line, record, scratch);
    add_text(line, "digest", record->payload_digest);
    add_text(line, "block_digest", record->block_digest);
    add_text(line, "truncated", record->truncated);
    add_text(line, "profile", record->profile);
    add_text(line, "refers_to", record->refers_to_id);
    add_text(line, "refers_to_url", record->refers_to_url);
    add_text(line, "refers_to_date", record->refers_to_date);
    add_text(line, "concurrent_to", record->concurrent_to);
    json_close(line);
    buf_put_char(line, '\n');
    fwrite(line->ptr, 1, line->len, stdout);
}

/* Standard output and standard error come in one order. */
static void report(const char *path, uint64_t at, const char *text)
{
    fflush(stdout);
    complain("%s: at byte %llu: %s", path, (unsigned long long)at, text);
}

static int print_records(const char *path, struct warc_reader *reader)
{
    struct warc_record record;
    struct buf line, scratch;
    enum warc_got got;
    int status = 0;

    buf_init(&line, LINE_MAX_LEN);
    buf_init(&scratch, WARC_START_MAX);
    while ((got = warc_read(reader, &record)) == WARC_RECORD ||
           got == WARC_BROKEN) {
        if (got == WARC_RECORD) {
            print_record(path, &record, &line, &scratch);
            continue;
        }
        report(path, record.at, warc_reader_problem(reader));
        status = EXIT_FAILURE;
    }
    if (got == WARC_FAILED) {
        status = complain_failure("%s: %s", path, strerror(errno));
    } else if (got == WARC_CUT) {
        report(path, record.at, "the record is cut off");
        status = EXIT_FAILURE;
    }
    buf_release(&line);
    buf_release(&scratch);
    return status;
}

static int list_file(const char *path)
{
    int fd, status = warc_file_open(path, &fd);

    if (status)
        return status;
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    status = print_records(path, reader);
    if (warc_file_is_empty(fd))
        status = complain_failure("%s: it is empty", path);
    warc_reader_free(reader);
    close(fd);
    return status;
}

int command_warc(const struct options *options)
{
    int worst = 0;

    if (!options->argument_count)
        return complain("warc takes one argument or more, FILE");
    for (size_t i = 0; i < options->argument_count; i++) {
        int status = list_file(options->argument[i]);
        if (status > worst)
            worst = status;
    }
    return worst;
}
