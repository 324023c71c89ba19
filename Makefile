# Token by Token. `make` alone prints help.
#
#   MODE=release|debug|asan|tsan|wasm   ARCH=native|x86-64-v3|x86-64-v4|armv8-a|…   CXX=g++|clang++   NO_INSTALL=1   V=1
#
# Everything built goes to build/ (build-asan/, build-x86-64-v3/, … for other modes), and so do models that you train.
# Besides, `make check` keeps its score in exercises/.progress, and `make lessons UPDATE=1` rewrites the outputs in the
# lessons.
#
# The parts are in lib/build: compiler.mk (flags), objects.mk (from .cpp files to programs), tests.mk, exercises.mk,
# models.mk, page.mk, checks.mk, bench.mk.

MODE ?= release
ARCH ?= native
BUILD ?= build$(if $(filter-out release,$(MODE)),-$(MODE))$(if $(filter-out native,$(ARCH)),-$(ARCH))
SHELL := /bin/sh
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help
ifneq ($(words $(BUILD)),1)
$(error BUILD=$(BUILD): expected one word, a folder whose name has no spaces)
endif
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: force
# make 4.2 and 4.3 read a number sign inside $(shell) differently, but they agree on a variable.
HASH := \#
space := $(subst x, ,x)

.PHONY: help
help:
	@printf '%s\n' \
	'Token by Token: text generation from scratch, as a course that runs.' '' \
	'  make run                 write text with the shipped model (PROMPT="Once upon a time" MODEL=DIR ARGS="…")' \
	'  make chat                talk with it' \
	'  make serve               answer clients of OpenAI'"'"'s interface, and a browser (MODEL=DIR MPI=4 ARGS="…")' \
	'  make install PREFIX=~/.local  the generator and the server, with the models that ship' \
	'  make run-02              run the program of a chapter (ARGS="--help" shows its options)' \
	'  make learn               the exercises, one after the other, on one screen' \
	'  make check EX=05_2       check one (make hint, solution, try, watch, reset; make progress, next)' \
	'  make mine                the generator of what you have written there (PROMPT="…" ARGS="…")' \
	'  make test                build and run all tests' \
	'  make bench               measure the limits of this machine and our share of them (ONLY=matmul …)' \
	'  make page                the course as pages with search, in build/page/index.html, and the playground' \
	'  make test-learn          make learn in a terminal, and what a learner reads when code crashes (needs tmux)' \
	'  make fuzz                look for bytes that break what reads them (clang; ONLY=json SECONDS=60)' \
	'  make test-bits           the same bits from other processors, compilers and levels (make hashes writes them anew)' \
	'  make test-sanitized      226 command lines of the generator under the sanitizers (MODE=tsan: of threads)' \
	'  make test-arm64          the same bits on arm64, emulated by qemu' \
	'  make test-serving        a thousand requests alone and all together, memory, replicas, real clients (minutes)' \
	'  make test-wasm           the same texts from the playground'"'"'s program as from this one (COUNT=1000)' \
	'  make test-page           look at the pages in a real browser (needs node, npm and chromium)' \
	'  make lessons             check that the lessons still say what the programs print' \
	'  make mutants             put well-known bugs in and see that the tests catch them (ONLY=random: random ones)' \
	'  make structure           the rules of the house, in a second (make tidy: what clang-tidy sees, in minutes)' \
	'  make train               train the shipped models again, in build/models (hours; stop and resume freely)' \
	'  make report MODEL=DIR    look at what a model can do: a table of rates' \
	'  make decoders            chapter 24: every decoder against the true distribution (hours; resumable)' \
	'  make evaluate MODEL=DIR TEXTS=FILE  perplexity, diversity and repetition of texts' \
	'  make adopt MODEL=sketch  put a model trained there in the place of the one that ships' \
	'  make clean               remove what was built' '' \
	'Chapters:'
	@printf '  %s\n' $(patsubst chapters/%/main.cpp,%,$(sort $(wildcard chapters/*/main.cpp)))
	@printf '%s\n' '' 'Options: MODE=release|debug|asan  ARCH=native|x86-64-v3|…  CXX=clang++  NO_INSTALL=1  V=1'

# make clean test: one after the other.
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
.PHONY: clean
clean:
	rm -rf build-* $(filter-out build/models,$(wildcard build/* build/.[a-z]*))
	@if [ -d build/models ]; then echo "build/models, the models trained here, are kept"; fi

# The rest is not needed for help and clean.
ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),help)),)

include lib/build/compiler.mk

# Shows what is being compiled, and the progress: "  CXX   [3/17] lib/core/gpt.cpp". When the first step begins, a dry
# run of make counts the steps. V=1 shows the commands instead.
ifeq ($(V),)
Q := @
COUNTED := run run-% chat serve all tools learn test lessons bench check $(BUILD)/%
DRY_RUN = $(MAKE_COMMAND) -n -r STEPS=0 BUILD='$(BUILD)' MODE='$(MODE)' ARCH='$(ARCH)' CXX='$(CXX)' \
	CXXFLAGS='$(CXXFLAGS)' OPENMP='$(OPENMP)' TEXT_LIBS='$(TEXT_LIBS)' ONLY='$(ONLY)' EX='$(EX)' MPI='$(MPI)' \
	ARGS='$(if $(strip $(ARGS)),x)' $(MAKECMDGOALS)
count_steps = $(shell MAKEFLAGS= MAKELEVEL=0 $(DRY_RUN) 2>/dev/null | grep -c "^printf '  %-5s")
STEPS = $(eval STEPS := $(if $(filter-out $(COUNTED),$(MAKECMDGOALS)),0,$(count_steps)))$(STEPS)
STEP :=
next_step = $(eval STEP += x)$(if $(filter-out 0,$(STEPS)),[$(words $(STEP))/$(STEPS)] )
say = @printf '  %-5s %s\n' $(1) "$(next_step)"$(2) >&2
endif

include lib/build/objects.mk

# PROMPT is passed through the environment, unexpanded, so that quotes and dollars in it do no harm.
override PROMPT := $(value PROMPT)
export PROMPT
.PHONY: run chat serve
# MODEL=DIRECTORY serves another model than the storyteller.
# MPI=4: the model on four processes (chapter 28).
MPIRUN = mpirun $(if $(filter 0,$(shell id -u)),--allow-run-as-root) --oversubscribe -n
serve: $(BUILD)/$(if $(MPI),mpi_serve,serve)
	@exec $(if $(MPI),$(MPIRUN) $(MPI)) $< $(if $(MODEL),--model $(MODEL)) $(ARGS)
# MODEL=DIRECTORY: another model here, too. Without options (and without escapes to read) the generator of one screen is
# enough, and quickly compiled; it writes the same text.
run: $(BUILD)/$(if $(strip $(ARGS)$(MODEL))$(findstring \,$(PROMPT)),23_text_generator,plain_generate)
	@$< $(if $(PROMPT),$(if $(filter 23%,$(<F)),-p) "$$PROMPT") $(if $(MODEL),--model $(MODEL)) $(ARGS)
chat: $(BUILD)/23_text_generator
	@$< --chat $(if $(MODEL),--model $(MODEL)) $(ARGS)
# make install PREFIX=~/.local: the generator, the server, and what they read.
PREFIX ?= /usr/local
SHARE = $(patsubst ~/%,$(HOME)/%,$(PREFIX))/share/token-by-token
BIN = $(patsubst ~/%,$(HOME)/%,$(PREFIX))/bin
.PHONY: install
install: $(BUILD)/23_text_generator $(BUILD)/serve
	mkdir -p "$(DESTDIR)$(BIN)" "$(DESTDIR)$(SHARE)"
	install $(BUILD)/23_text_generator "$(DESTDIR)$(BIN)/token-by-token"
	install $(BUILD)/serve "$(DESTDIR)$(BIN)/token-by-token-serve"
	cp -R data/models data/page data/schemas data/grammars "$(DESTDIR)$(SHARE)"
# make run-03, or with the chapter's whole name: make run-03_temperature
# or a part of it: run-3, run-top_k.
number = $(if $(filter 0 1 2 3 4 5 6 7 8 9,$(1)),0$(1),$(1))
chapter = $(firstword $(filter $(1),$(CHAPTERS)) $(filter $(call number,$(1))_%,$(CHAPTERS)) \
	$(foreach c,$(CHAPTERS),$(if $(findstring _$(1),$(c)),$(c))))
WANTED := $(filter run-%,$(MAKECMDGOALS))
$(foreach goal,$(WANTED),$(eval $(goal): $(patsubst %,$(BUILD)/%,$(call chapter,$(goal:run-%=%)))))
.PHONY: $(WANTED)
$(WANTED):
	@$(if $<,$< $(ARGS),echo "make: there is no chapter '$(@:run-%=%)'; the chapters are: $(CHAPTERS)" >&2; exit 2)

include lib/build/tests.mk
include lib/build/exercises.mk
include lib/build/models.mk
include lib/build/page.mk
include lib/build/checks.mk
include lib/build/bench.mk

endif
