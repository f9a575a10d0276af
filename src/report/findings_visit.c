/* Findings in order: counted once, then shown. */
#include "base/mem.h"
#include "base/words.h"
#include "report/findings_internal.h"
#include "web/url.h"

enum { DETAIL_MAX = 64 << 10 };

/* A group has at least two pages. */
static bool is_group(enum finding_kind kind)
{
    return kind == FINDING_DUPLICATE || kind == FINDING_SAME_TITLE;
}

static bool counts(enum finding_kind kind, uint64_t places)
{
    return !is_group(kind) || places > 1;
}

/* --- words on a subject -------------------------------------------------- */

static void put_answer(struct buf *out, unsigned outcome, unsigned status)
{
    const struct outcome_details details = {.status = (int)status};

    outcome_put(out, (enum outcome)outcome, &details);
}

static void put_outside(struct buf *out, const struct outside_answer *answer)
{
    if (answer->is_refused)
        buf_put(out, str_of(verdict_text((enum verdict)answer->verdict)));
    else
        put_answer(out, answer->outcome, answer->status);
}

/* The URLs that a redirect leads to, one after the other. */
static void put_path(struct findings *findings, struct buf *out,
                     uint64_t number)
{
    struct site *site = &findings->site;
    struct site_path path = site_follow(site, number);
    uint64_t at = number;

    for (unsigned i = 0; i < path.hops && at; i++) {
        const struct str *target = site_target(site, at);
        buf_printf(out, "%s%u to ", i ? ", " : "", site->url[at].status);
        at = site_next(site, at);
        if (at)
            buf_put(out, site_url_text(site, at));
        else
            buf_put(out, target ? *target : STR("another site"));
    }
    if (path.is_loop)
        buf_put(out, STR(", and so on"));
}

static void put_url_detail(struct findings *findings, struct buf *out,
                           const struct finding_record *record)
{
    const struct site_url *url = &findings->site.url[record->number];

    if (site_is_beyond_redirects(&findings->site, record->number))
        buf_put(out, str_of(verdict_text(TOO_MANY_REDIRECTS)));
    else if (site_lacks_robots(url))
        buf_put(out, STR("robots.txt could not be fetched"));
    else
        put_answer(out, url->outcome, url->status);
}

/* It is a link as it is written. */
static void put_mistake(struct buf *out, struct str href)
{
    const char *mistake = url_mistake(href);

    buf_put(out, mistake ? str_of(mistake) : STR("not a valid URL"));
}

/* Words on a subject. */
static void put_detail(struct findings *findings, struct buf *out,
                       const struct finding_record *record)
{
    const struct outside_answer *answer;

    switch (record->kind) {
    case FINDING_BROKEN:
    case FINDING_REQUISITE:
    case FINDING_UNKNOWN:
    case FINDING_EXTERNAL:
    case FINDING_LINK_ELEMENT:
    case FINDING_FORM:
        if (record->number)
            put_url_detail(findings, out, record);
        else if ((answer = findings_answer(findings, record->subject)))
            put_outside(out, answer);
        else
            put_mistake(out, record->subject);
        break;
    case FINDING_LOOP:
    case FINDING_CHAIN:
    case FINDING_REDIRECT:
        put_path(findings, out, record->number);
        break;
    case FINDING_ROBOTS:
        buf_printf(out, "line %u of robots.txt",
                   (unsigned)findings->site.url[record->number].line);
        break;
    case FINDING_NO_TITLE:
        buf_put(out, findings->site.url[record->number].flags & SITE_NO_TITLE
                         ? STR("no title")
                         : STR("an empty title"));
        break;
    case FINDING_DUPLICATE:
        buf_put(out, str_of(words_bytes(record->order).text));
        break;
    case FINDING_SLOW:
        buf_put(out, str_of(words_duration(~record->order).text));
        break;
    case FINDING_LARGE:
        buf_put(out, str_of(words_bytes(~record->order).text));
        break;
    default:
        break;
    }
}

/* --- counting ------------------------------------------------------------ */

/* Reads records one by one, and knows where a subject ends. */
struct walk {
    struct findings *findings;
    struct buf last; /* kind, order and subject of the record before */
    bool is_first;
};

static void walk_begin(struct walk *walk, struct findings *findings)
{
    *walk = (struct walk){.findings = findings, .is_first = true};
    buf_init(&walk->last, DETAIL_MAX);
    sorter_rewind(findings->found);
}

/* `*is_new` is true if the record begins a subject. */
static bool walk_next(struct walk *walk, struct finding_record *record,
                      bool *is_new)
{
    struct str text;

    do {
        if (!sorter_next(walk->findings->found, &text))
            return false;
    } while (!finding_parse(text, record));
    struct str key =
        str_between(text.ptr, record->subject.ptr + record->subject.len);
    *is_new = walk->is_first || !str_eq(key, buf_str(&walk->last));
    walk->is_first = false;
    if (*is_new) {
        buf_clear(&walk->last);
        buf_put(&walk->last, key);
    }
    return true;
}

static void add_subject(struct findings *findings)
{
    findings->size = mem_grow(findings->size, findings->subjects,
                              &findings->subject_room, sizeof(*findings->size));
    findings->size[findings->subjects++] = (struct subject_size){0};
}

/* The subject that was added last is complete. */
static void count_subject(struct findings *findings, enum finding_kind kind)
{
    uint32_t places = findings->size[findings->subjects - 1].places;

    if (!counts(kind, places))
        return;
    findings->summary.counts[kind].subjects++;
    findings->summary.counts[kind].places += places;
}

void findings_count(struct findings *findings)
{
    struct walk walk;
    struct finding_record record, last = {.kind = FINDINGS};
    bool is_new;

    walk_begin(&walk, findings);
    while (walk_next(&walk, &record, &is_new)) {
        if (is_new && last.kind != FINDINGS)
            count_subject(findings, last.kind);
        if (is_new)
            add_subject(findings);
        /* Places come in the order of their pages. */
        struct subject_size *size = &findings->size[findings->subjects - 1];
        size->places += finding_has_place(&record);
        size->pages += finding_is_on_page(&record) &&
                       (is_new || record.page != last.page ||
                        record.source != last.source);
        last = record; /* its texts are not looked at any more */
    }
    if (last.kind != FINDINGS)
        count_subject(findings, last.kind);
    buf_release(&walk.last);
}

/* --- showing ------------------------------------------------------------- */

struct show {
    struct findings *findings;
    const struct findings_visitor *visitor;
    enum finding_kind kind; /* the next that has not begun */
    size_t subject;         /* the next */
    bool is_open, is_shown; /* a subject */
    struct buf detail, text, url, via;
};

static void end_subject(struct show *show)
{
    if (show->is_open && show->is_shown && show->visitor->end_subject)
        show->visitor->end_subject(show->visitor->user);
    show->is_open = false;
}

/* Begin all kinds up to this one. */
static void begin_kinds(struct show *show, enum finding_kind kind)
{
    const struct findings_visitor *visitor = show->visitor;

    for (; show->kind <= kind && show->kind < FINDINGS; show->kind++) {
        if (show->kind && visitor->end)
            visitor->end(visitor->user, show->kind - 1);
        if (visitor->begin)
            visitor->begin(visitor->user, show->kind);
    }
}

static void begin_subject(struct show *show,
                          const struct finding_record *record)
{
    end_subject(show);
    begin_kinds(show, record->kind);
    buf_clear(&show->detail);
    buf_clear(&show->text);
    buf_put(&show->text, record->subject);
    put_detail(show->findings, &show->detail, record);
    const struct finding_subject subject = {
        .kind = record->kind,
        .text = buf_str(&show->text),
        .detail = buf_str(&show->detail),
        .places = show->findings->size[show->subject].places,
        .pages = show->findings->size[show->subject].pages,
    };
    show->subject++;
    show->is_open = true;
    show->is_shown = counts(record->kind, subject.places);
    if (show->is_shown && show->visitor->subject)
        show->visitor->subject(show->visitor->user, &subject);
}

static void show_place(struct show *show, const struct finding_record *record)
{
    struct site *site = &show->findings->site;

    buf_clear(&show->url);
    buf_clear(&show->via);
    struct str named_by = record->page == PLACE_SEED ? STR("a seed")
                          : record->page == PLACE_SITEMAP
                              ? STR("in the sitemap")
                              : STR("");
    if (record->source)
        buf_put(&show->url, site_url_text(site, record->source));
    else if (!named_by.len)
        buf_put(&show->url, site_page_text(site, record->page));
    if (record->via)
        buf_put(&show->via, site_url_text(site, record->via));
    const struct finding_place place = {
        .page = named_by.len ? 0 : record->page,
        .url = buf_str(&show->url),
        .named_by = named_by,
        .text = record->text,
        .via = buf_str(&show->via),
    };
    show->visitor->place(show->visitor->user, &place);
}

bool findings_visit(struct findings *findings,
                    const struct findings_visitor *visitor)
{
    struct show show = {.findings = findings, .visitor = visitor};
    struct finding_record record;
    struct walk walk;
    bool is_new;

    buf_init(&show.detail, 16 * DETAIL_MAX);
    buf_init(&show.text, DETAIL_MAX);
    buf_init(&show.url, DETAIL_MAX);
    buf_init(&show.via, DETAIL_MAX);
    walk_begin(&walk, findings);
    while (walk_next(&walk, &record, &is_new)) {
        if (is_new)
            begin_subject(&show, &record);
        if (finding_has_place(&record) && show.is_shown && visitor->place)
            show_place(&show, &record);
    }
    end_subject(&show);
    begin_kinds(&show, FINDINGS);
    if (visitor->end)
        visitor->end(visitor->user, FINDINGS - 1);
    buf_release(&walk.last);
    buf_release(&show.detail);
    buf_release(&show.text);
    buf_release(&show.url);
    buf_release(&show.via);
    return !sorter_failed(findings->found);
}
