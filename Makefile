# make            ./crawler and ./playground
# make demo       crawl the playground's letters site and show the result
# make check      the unit tests and some of the command line: after every edit
# make test       build and run every test (BUILD=debug for a variant; BUILD=asan
#                 or tsan runs what tests/SUITES has for it; VALGRIND=1 runs the
#                 unit tests under valgrind)
# make differential
#                 compare links with parse5's, URLs with whatwg-url's (npm)
# make demo-fleet a PostgreSQL and three crawlers on this machine, one is killed
# make test-fleet fleets under random faults (FLEET_RUNS, 50), and the loss of
#                 the leader of three servers (Patroni, etcd)
# make test-archive
#                 archives before judges of others: warcio.js, a browser (npm)
# make test-browser
#                 pages of ours in a real browser, before axe-core (npm)
# make test-judges
#                 broken links of whole sites, as linkchecker finds them
# make guard      fails where a page costs more than bench/guard.json says;
#                 GUARD=update writes that file
# make lint       format, static analysis, warnings with gcc and clang
# make bench      figures; make fuzz runs the fuzzers (FUZZ_SECONDS each),
#                 compares 100,000 spoiled pages and URLs (FUZZ_SEED) and
#                 crawls beside 10,000 tarpits
# make install    DESTDIR and PREFIX as usual; make uninstall takes it back
# make deb        a Debian package in build/

BUILD   ?= release
PREFIX  ?= /usr/local
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
OUT     := build/$(BUILD)$(if $(filter clang%,$(CC)),-clang)

VERSION := $(shell cat VERSION)

# V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1) $@')

WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
CFLAGS.release := -O2 -g
CFLAGS.debug   := -O0 -g
CFLAGS.asan    := -O1 -g -fsanitize=address,undefined \
                  -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS.tsan    := -O1 -g -fsanitize=thread
# For tools/fuzz, with CC=clang.
CFLAGS.fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
                  -fno-sanitize-recover=all
ifeq ($(CFLAGS.$(BUILD)),)
$(error BUILD is one of release, debug, asan, tsan, fuzz, not '$(BUILD)')
endif

CPPFLAGS += -Isrc -D_GNU_SOURCE -DCRAWLER_VERSION='"$(VERSION)"'
CFLAGS   += -std=c17 $(WARN) $(CFLAGS.$(BUILD)) -pthread
LDFLAGS  += $(filter -fsanitize%,$(CFLAGS.$(BUILD))) -pthread
LDLIBS   += -lcurl -lpsl -lidn2 -lexpat -ldeflate -lisal -lz -lbrotlidec -lzstd -lsqlite3 \
            -lssl -lcrypto -lcares -lpcre2-8 -lpq
PLAY_LIBS := -ldeflate -lm

LIB_DIRS := base http view web archive frontier names store fleet page crawler report replay cli
LIB_SRC  := $(filter-out src/cli/main.c, \
              $(foreach d,$(LIB_DIRS),$(wildcard src/$(d)/*.c)))
PLAY_SRC := $(filter-out testserver/main.c,$(wildcard testserver/*.c))
SUP_SRC  := $(wildcard tests/support/*.c)
TEST_SRC := $(wildcard tests/unit/test_*.c tests/conformance/test_*.c)
BENCH_SRC := $(wildcard bench/*.c)
FUZZ_SRC := $(wildcard fuzz/fuzz_*.c)

obj = $(patsubst %.c,$(OUT)/%.o,$(1))
TESTS := $(patsubst tests/%.c,$(OUT)/tests/%,$(TEST_SRC) \
           $(wildcard tests/tools/*.c))
MUTANTS := $(patsubst tests/%.c,$(OUT)/tests/%,$(wildcard tests/mutants/*.c))
FUZZERS := $(patsubst fuzz/%.c,$(OUT)/fuzz/%,$(FUZZ_SRC))
BENCHES := $(patsubst bench/%.c,$(OUT)/bench/%,$(BENCH_SRC))

# $(DEPS)GROUP: the packages of that group are installed (tools/install-deps).
DEPS := build/.installed-

.PHONY: all demo demo-fleet check test test-fleet test-archive test-browser test-judges differential bench guard fuzz lint format install install-files \
        uninstall deb clean \
        tests benches fuzzers FORCE
.DELETE_ON_ERROR:

all: crawler playground

# The program in use is a copy of the chosen variant's, so that a switch of
# BUILD never leaves an old one behind.
crawler playground: %: $(OUT)/% FORCE
	@cmp -s $< $@ || cp -f $< $@

$(OUT)/crawler: $(OUT)/src/cli/main.o $(OUT)/libcrawler.a
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Of the crawler it uses these layers and nothing else.
$(OUT)/playground: $(OUT)/testserver/main.o $(OUT)/libplayground.a \
                   $(OUT)/libserve.a
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(PLAY_LIBS)

$(OUT)/libcrawler.a: $(call obj,$(LIB_SRC))
$(OUT)/libserve.a: $(call obj,$(wildcard src/base/*.c src/http/*.c))
$(OUT)/libplayground.a: $(call obj,$(PLAY_SRC))
$(OUT)/libsupport.a: $(call obj,$(SUP_SRC))
%.a:
	@rm -f $@
	$(call say,AR  )
	$(Q)ar rcs $@ $^

$(OUT)/tests/%: $(OUT)/tests/%.o $(OUT)/libsupport.a $(OUT)/libplayground.a \
                $(OUT)/libcrawler.a
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(PLAY_LIBS) -lcmocka -lbrotlienc

# The program with the functions of a mutant in the place of its own.
wraps = $(shell grep -o '__wrap_[a-z_]*' $(1) | sed 's/__wrap_/-Wl,--wrap=/' | sort -u)
$(OUT)/tests/mutants/%: $(OUT)/tests/mutants/%.o $(OUT)/src/cli/main.o \
                        $(OUT)/libcrawler.a
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) $(call wraps,tests/mutants/$*.c) -o $@ $^ $(LDLIBS)

$(OUT)/bench/%: $(OUT)/bench/%.o $(OUT)/libcrawler.a
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(PEER_LIBS)

# What bench/guard.py puts before the C library.
$(OUT)/bench/%.so: bench/preload/%.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $<

$(OUT)/fuzz/%: $(OUT)/fuzz/%.o $(OUT)/libsupport.a $(OUT)/libcrawler.a
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

# The assembler reads the page, which no dependency file tells.
$(OUT)/src/view/page.o: src/view/page.html
$(OUT)/testserver/%.o: CPPFLAGS += -I.
$(OUT)/tests/%.o $(OUT)/bench/%.o $(OUT)/fuzz/%.o: CPPFLAGS += -I. -Itests
# What the scanner is compared with, where it is installed (tools/bench).
PEERS = pkg-config --exists libxml-2.0 gumbo 2>/dev/null && pkg-config
$(OUT)/bench/%: PEER_LIBS = $(shell $(PEERS) --libs libxml-2.0 gumbo)
$(OUT)/bench/%.o: CPPFLAGS += \
    $(shell $(PEERS) --cflags libxml-2.0 gumbo && echo -DHAS_PEERS)

$(call obj,$(TEST_SRC) $(SUP_SRC)): | $(DEPS)test
$(OUT)/%.o: %.c VERSION | $(DEPS)build
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(DEPS)%: tools/install-deps
	@mkdir -p $(@D)
	tools/install-deps $*
	@touch $@
# One after the other, also with -j: apt-get locks others out.
$(DEPS)demo $(DEPS)test $(DEPS)guard $(DEPS)deb: | $(DEPS)build
$(DEPS)valgrind: | $(DEPS)test

-include $(wildcard $(OUT)/*/*.d $(OUT)/*/*/*.d)

tests: all $(TESTS) $(MUTANTS)
benches: $(BENCHES)
fuzzers: $(FUZZERS)

demo: all $(DEPS)demo
	tools/demo

demo-fleet: all $(DEPS)test
	tools/demo-fleet

# One after the other: they are about time.
test-fleet: all $(DEPS)test
	-tools/install-deps fleet
	TEST_JOBS=1 tools/run-tests $(OUT) $(wildcard tests/fleet/*.bats)

check: tests $(DEPS)test
	tools/run-tests --check $(OUT)

test: tests $(DEPS)test $(if $(VALGRIND),$(DEPS)valgrind)
	tools/run-tests $(if $(filter asan tsan,$(BUILD)),--$(BUILD)) $(OUT)

differential: all
	command -v npm >/dev/null || tools/install-deps differential
	tools/run-tests $(OUT) tests/differential/run

test-archive: all
	command -v npm >/dev/null || tools/install-deps differential
	-tools/install-deps archive
	tools/run-tests $(OUT) tests/archive/judges.bats

test-browser: all
	command -v npm >/dev/null || tools/install-deps differential
	-tools/install-deps browser
	tools/run-tests $(OUT) $(wildcard tests/browser/*.bats)

# One after the other: each site keeps two cores busy.
test-judges: all $(DEPS)test
	TEST_JOBS=1 tools/run-tests $(OUT) $(wildcard tests/judges/*.bats)

bench: all
	tools/bench $(OUT)

guard: all $(DEPS)guard $(OUT)/bench/cost $(OUT)/bench/steady.so
	python3 bench/guard.py $(if $(GUARD),--$(GUARD)) $(OUT)

FUZZ_SECONDS ?= 60
FUZZ_SEED    ?= 1
fuzz: all
	tools/fuzz $(FUZZ_SECONDS)
	tests/differential/run spoiled 100000 $(FUZZ_SEED)
	tools/measure-tarpits
	tools/measure-tarpits-https

lint: $(DEPS)build
	tools/lint

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

compile_commands.json: Makefile
	tools/compile-commands > $@

# The program without what only a debugger needs, its man page, and completion
# for the shells, which the program itself prints.
BINARY  ?= crawler
SHARE   := $(DESTDIR)$(PREFIX)/share
ZSH_DIR ?= share/zsh/site-functions
INSTALLED = "$(DESTDIR)$(PREFIX)/bin/crawler" \
            "$(SHARE)/man/man1/crawler.1" \
            "$(SHARE)/bash-completion/completions/crawler" \
            "$(DESTDIR)$(PREFIX)/$(ZSH_DIR)/_crawler" \
            "$(SHARE)/fish/vendor_completions.d/crawler.fish"

install: all install-files

install-files:
	install -D -m 755 -s $(BINARY) "$(DESTDIR)$(PREFIX)/bin/crawler"
	install -D -m 644 docs/crawler.1 "$(SHARE)/man/man1/crawler.1"
	install -d "$(SHARE)/bash-completion/completions" \
	    "$(DESTDIR)$(PREFIX)/$(ZSH_DIR)" "$(SHARE)/fish/vendor_completions.d"
	./$(BINARY) completion bash >"$(SHARE)/bash-completion/completions/crawler"
	./$(BINARY) completion zsh >"$(DESTDIR)$(PREFIX)/$(ZSH_DIR)/_crawler"
	./$(BINARY) completion fish >"$(SHARE)/fish/vendor_completions.d/crawler.fish"

uninstall:
	rm -f $(INSTALLED)

deb: $(DEPS)build $(DEPS)deb
	tools/make-deb

clean:
	rm -rf build crawler playground compile_commands.json

FORCE:
.SECONDARY:
