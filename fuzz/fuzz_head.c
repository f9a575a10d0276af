/* Heads of HTTP and WARC, cut into lines. The input is the head. */
#include "fuzz.h"

#include "base/head.h"

static void check_line(const struct head_line *line)
{
    struct head_field field = head_field(line->text);
    bool has_colon = field.value.ptr != NULL;

    assert(line->all.len && fuzz_is_inside(line->text, line->all));
    assert(line->text.len + 2 >= line->all.len);
    assert(str_find(line->text, '\n') == line->text.len);
    assert(fuzz_is_inside(field.name, line->text));
    assert(fuzz_is_inside(field.value, line->text));
    assert(str_find(field.name, ':') == field.name.len);
    assert(has_colon == (field.name.len < line->text.len));
    assert(str_trim(field.value).len == field.value.len);
}

/* The first line of each name is the one that is found. */
static void check_find(struct str head, struct str before, struct str name)
{
    struct str found = head_find(head, name);

    assert(fuzz_is_inside(found, head));
    if (!head_find(before, name).ptr)
        return;
    assert(found.ptr == head_find(before, name).ptr);
}

static void check_list(struct str list)
{
    size_t commas = 0, items = 0;

    for (size_t i = 0; i < list.len; i++)
        commas += list.ptr[i] == ',';
    for (struct str rest = list; rest.len; items++)
        assert(fuzz_is_inside(head_take_item(&rest), list));
    assert(items <= commas + 1 && items >= commas);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str head = fuzz_input(data, size), rest = head;
    struct head_line line;
    size_t at = 0, len = head_len(head);
    bool is_over = false;

    assert(len <= head.len && head_status(head) >= 0);
    assert(head_status(head) <= 999);
    while (head_next(&rest, &line)) {
        assert(line.all.ptr == head.ptr + at);
        at += line.all.len;
        assert(rest.len == head.len - at);
        assert(is_over || !len || at <= len);
        is_over |= at == len;
        check_line(&line);
        check_find(head, str_first(head, at),
                   str_trim(head_field(line.text).name));
        check_list(head_field(line.text).value);
    }
    assert(at == head.len && (is_over || !len));
    return 0;
}
