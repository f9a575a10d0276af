#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/words.h"
#include "cli/crawl_record.h"
#include "cli/live_client.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "report/report.h"
#include "view/order.h"

/* crawler ctl and crawler watch: orders to a running crawl, and its figures. */

enum { ORDER_MAX_LEN = 16 << 10, PATH_MAX_LEN = 64 };

/* --- ctl --------------------------------------------------------------------
 */

/* {"ok":true,"number":4,"says":"..."} or {"ok":false,"error":"..."} */
static int say_answer(struct str json)
{
    struct json_reader reader;
    struct json_item item;
    struct buf scratch;
    bool ok = false, failed = false;

    buf_init(&scratch, json.len);
    json_read(&reader, json, &scratch);
    json_next(&reader, &item); /* the object */
    while (json_next(&reader, &item)) {
        if (str_eq(item.name, STR("ok"))) {
            ok = item.type == JSON_TRUE;
        } else if (str_eq(item.name, STR("error"))) {
            complain("%.*s", STR_ARGS(item.text));
            failed = true;
        } else if (ok && str_eq(item.name, STR("says"))) {
            terminal_line(stdout, "%.*s", STR_ARGS(item.text));
        }
    }
    if (!failed && (!ok || !json_is_whole(&reader))) {
        complain("the crawl's answer makes no sense");
        failed = true;
    }
    buf_release(&scratch);
    return failed ? EXIT_FAILURE : 0;
}

int command_ctl(const struct options *options)
{
    struct view_order order;
    struct live_reply reply;
    struct buf json;
    const char *problem;

    if (options->argument_count < 2)
        return complain("ctl takes pageDirectory and an order");
    if (!view_order_of_words(options->argument + 1, options->argument_count - 1,
                             &order, &problem))
        return complain("%s", problem);
    buf_init(&json, ORDER_MAX_LEN);
    view_order_put(&json, &order);
    enum live_fault fault =
        live_ask(options->argument[0], "/control", buf_str(&json), &reply);
    int status = fault ? live_complain(options->argument[0], fault, &reply)
                       : say_answer(reply.body);
    live_reply_release(&reply);
    buf_release(&json);
    return status;
}

/* --- watch ------------------------------------------------------------------
 */

static void print_screen(struct str text, bool on_terminal, bool is_first)
{
    if (on_terminal) /* from the top left corner; the rest is wiped */
        fputs(is_first ? "\033[2J\033[H" : "\033[H", stdout);
    while (text.len) {
        struct str_pair line = str_cut(text, '\n');
        printf("%.*s%s\n", STR_ARGS(line.head), on_terminal ? "\033[K" : "");
        text = line.tail;
    }
    if (on_terminal)
        fputs("\033[J", stdout);
    fflush(stdout);
}

/* Ask for a screen that fits, and show it. */
static enum live_fault draw(const char *dir_path, bool on_terminal,
                            bool is_first, struct live_reply *reply)
{
    struct winsize size = {.ws_col = 500, .ws_row = 200};
    char path[PATH_MAX_LEN];

    if (on_terminal)
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    snprintf(path, sizeof(path), "/screen.txt?columns=%u&rows=%u",
             size.ws_col ? size.ws_col : 80u,
             size.ws_row > 1 ? size.ws_row - 1u : 24u);
    enum live_fault fault = live_ask(dir_path, path, STR(""), reply);
    if (!fault && reply->status != 200)
        fault = LIVE_NO_ANSWER; /* it ends before it has figures */
    if (!fault)
        print_screen(reply->body, on_terminal, is_first);
    return fault;
}

/* Say how the crawl ended, as its record tells it. */
static void tell_end(const char *dir_path)
{
    struct crawl_record record;

    crawl_record_read(&record, dir_path);
    if (record.error.status != STORE_OK)
        terminal_line(stdout, "The crawl in %s has ended.", dir_path);
    else
        terminal_line(stdout, "The crawl in %s has ended: %s, %s saved.",
                      dir_path,
                      record.facts.state == STATE_RUNNING
                          ? "killed, or the machine went down"
                          : report_state_text(record.facts.state),
                      words_count(crawl_record_pages(&record), "page").text);
    crawl_record_release(&record);
}

/* On a terminal, show it until the crawl ends; that end is no fault. */
int command_watch(const struct options *options)
{
    const char *dir_path = options->argument[0];
    bool on_terminal = terminal_can_redraw(STDOUT_FILENO), was_there = false;
    const struct timespec second = {.tv_sec = 1};
    unsigned misses = 0;
    int status = 0;

    for (;;) {
        struct live_reply reply;
        enum live_fault fault = draw(dir_path, on_terminal, !was_there, &reply);
        bool has_ended = fault == LIVE_NOT_THERE && was_there;
        misses = fault == LIVE_NO_ANSWER ? misses + 1 : 0;
        was_there = was_there || !fault;
        /* A crawl that ends while it is asked is gone at the next look. */
        bool goes_on = on_terminal && (!fault || (was_there && misses == 1));
        if (has_ended)
            tell_end(dir_path);
        else if (!goes_on)
            status = live_complain(dir_path, fault, &reply);
        live_reply_release(&reply);
        if (!goes_on || nanosleep(&second, NULL))
            return status;
    }
}
