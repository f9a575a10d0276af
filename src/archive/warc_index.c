#include "archive/warc_index.h"

#include "base/date.h"

/* A key of "dns:..." or "metadata://..." is no SURT. wabac.js takes an index
 * whose blocks all begin with such keys for one without SURTs, and finds
 * nothing in it. */
static bool is_capture(const struct warc_record *record)
{
    return (str_starts_nocase(record->url, STR("http://")) ||
            str_starts_nocase(record->url, STR("https://"))) &&
           (record->type == WARC_RESPONSE || record->type == WARC_REVISIT ||
            record->type == WARC_RESOURCE);
}

/* "text/html; charset=utf-8" -> "text/html" */
static struct str without_parameters(struct str type)
{
    return str_trim(str_cut(type, ';').head);
}

/* False if it has no date. */
static bool fill_entry(struct cdxj_entry *entry,
                       const struct warc_record *record, struct buf *scratch)
{
    struct warc_http http;
    bool has_head = record->type != WARC_RESOURCE &&
                    warc_http_parse(record, scratch, &http);

    entry->url = record->url;
    entry->at = record->at;
    entry->length = record->length;
    entry->digest = record->payload_digest;
    if (has_head && http.status > 0)
        entry->status = (unsigned)http.status;
    if (record->type == WARC_REVISIT)
        entry->mime = STR("warc/revisit");
    else if (has_head)
        entry->mime = http.mime;
    else if (record->type == WARC_RESOURCE)
        entry->mime = without_parameters(record->content_type);
    return date_read_iso(record->date, &entry->date_ms);
}

enum warc_got warc_index(int fd, struct str name,
                         bool (*each)(void *user,
                                      const struct cdxj_entry *entry,
                                      const struct warc_record *record),
                         void *user, struct warc_indexed *indexed)
{
    struct warc_reader *reader = warc_reader_open(fd, 0, 0);
    struct warc_record record;
    struct buf scratch;
    enum warc_got got = WARC_FAILED;
    bool goes_on = true;

    *indexed = (struct warc_indexed){0};
    buf_init(&scratch, WARC_START_MAX);
    while (goes_on && ((got = warc_read(reader, &record)) == WARC_RECORD ||
                       got == WARC_BROKEN)) {
        struct cdxj_entry entry = {.file_name = name};

        indexed->broken += got == WARC_BROKEN;
        if (got == WARC_BROKEN)
            continue;
        indexed->records++;
        if (record.end)
            indexed->end = record.end;
        if (!is_capture(&record))
            continue;
        if (!record.length) {
            indexed->shared++;
            continue;
        }
        if (fill_entry(&entry, &record, &scratch))
            goes_on = each(user, &entry, &record);
        else
            indexed->undated++;
    }
    indexed->is_cut = got == WARC_CUT;
    if (got == WARC_CUT) {
        indexed->cut_at = record.at;
        got = WARC_END;
    }
    buf_release(&scratch);
    warc_reader_free(reader);
    return got;
}

bool warc_index_is_page(const struct cdxj_entry *entry)
{
    return entry->status == 200 &&
           (str_eq_nocase(entry->mime, STR("text/html")) ||
            str_eq_nocase(entry->mime, STR("application/xhtml+xml")));
}
