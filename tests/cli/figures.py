"""The figures of a crawl, from all that tell them; they must be the same.

    figures.py PAGE_DIRECTORY STATUS ERR SAVED REDIRECTED NOT_KEPT FAILED REFUSED QUEUED

STATUS and ERR are files with what `crawler status` and the crawl printed. A
figure given as - may be any, but the same everywhere.
"""
import json
import os
import re
import sqlite3
import sys

NAMES = ["saved", "redirected", "not_kept", "failed", "refused", "queued"]


def agree(directory, status, err, expected):
    """Fail unless all have these figures; status and err are texts."""
    figures = {}
    pages = re.search(r"^  pages    (\d+) saved, .*; (\d+) redirected, (\d+) not kept, "
                      r"(\d+) failed, (\d+) refused$", status, re.M).groups()
    queue = re.search(r"^  queue    (\d+) URLs?(?:, (\d+) of them to be tried again)?$",
                      status, re.M)
    figures["status"] = [*map(int, pages), int(queue[1])]
    rows = re.findall(r"^" + r" +(\d+)" * len(NAMES) + r"  \S", status, re.M)
    if not re.search(r"^  and \d+ more$", status.split("domain\n")[-1], re.M):
        figures["domains of status"] = [sum(map(int, column)) for column in zip(*rows)]

    record = sqlite3.connect(directory + "/.crawler")

    def ask(sql):
        return [value or 0 for value in record.execute(sql).fetchone()]
    figures["urls"] = ask("SELECT " + ", ".join(
        f"sum(state = '{name}')" for name in NAMES) + " FROM urls")
    figures["domains"] = ask("SELECT sum(pages), sum(redirected), sum(not_kept), sum(failed), "
                             "sum(refused), sum(queued) FROM domains")
    others = ask("""SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM queue),
        (SELECT count(*) FROM queue WHERE fetches > 0)""")
    assert others == [figures["urls"][0], figures["urls"][5], int(queue[2] or 0)], others
    # A URL has one end.
    again = record.execute("SELECT url, count(*), group_concat(state) FROM urls "
                           "GROUP BY url HAVING count(*) > 1").fetchall()
    assert not again, again
    record.close()

    file = directory + "/.crawler-stats.json"
    if os.path.exists(file):
        with open(file, encoding="utf-8") as text:
            stats = json.load(text)
        figures["stats.json"] = [stats["urls"][name] for name in NAMES]
        assert stats["pages"] == figures["urls"][0], stats["pages"]
        assert stats["queued"] == figures["urls"][5], stats["queued"]
    end = re.findall(r"^URLs: " + ", ".join(r"(\d+) " + name.replace("_", " ") for name in NAMES) + "$", err, re.M)
    if end:
        figures["end"] = [*map(int, end[-1])]
        line = re.findall(r"^crawler: (\d+) pages? saved, \d+ bytes?, (\d+) not kept, "
                          r"(\d+) failed, ", err, re.M)[-1]
        assert [*map(int, line)] == [figures["urls"][i] for i in (0, 2, 3)], line

    for who, numbers in figures.items():
        assert numbers == figures["urls"], figures
        for name, number, wanted in zip(NAMES, numbers, expected, strict=True):
            assert wanted in ("-", str(number)), (who, name, wanted, figures)
    assert figures["urls"][0] == len([name for name in os.listdir(directory)
                                      if name.isdigit()]), figures


if __name__ == "__main__":
    agree(sys.argv[1], open(sys.argv[2], encoding="utf-8").read(),
          open(sys.argv[3], encoding="utf-8").read(), sys.argv[4:])
