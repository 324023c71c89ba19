# Token by Token. `make` alone prints help.
#
#   MODE=release|debug|asan|wasm   ARCH=native|x86-64-v3|x86-64-v4|armv8-a|…   CXX=g++|clang++   NO_INSTALL=1   V=1
#
# Everything built goes to build/ (build-asan/, build-x86-64-v3/, … for other modes), models that you train too. Besides,
# `make check` keeps its score in exercises/.progress, and `make lessons UPDATE=1` rewrites the outputs in the lessons.

MODE ?= release
ARCH ?= native
BUILD ?= build$(if $(filter-out release,$(MODE)),-$(MODE))$(if $(filter-out native,$(ARCH)),-$(ARCH))
SHELL := /bin/sh
MAKEFLAGS += --no-builtin-rules
# As many jobs as there are cores, with a GB of memory for each, unless told otherwise (make -j1).
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell cat /proc/meminfo 2>/dev/null | awk -v jobs="$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" \
	'/^MemAvailable/ && $$2 < jobs * 1000000 {jobs = int($$2 / 1000000)} END {print (jobs < 1 ? 1 : jobs)}')
endif
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:

ifeq ($(origin CXX),default)
CXX := $(if $(shell command -v g++ 2>/dev/null),g++,clang++)
endif
# A number sign inside $(shell) is read differently by make 4.2 and 4.3; a variable is not.
HASH := \#
UNAME_S := $(shell uname -s)
UNAME_M := $(shell uname -m)

# ---- compiler flags ---------------------------------------------------------------------------------------
# MODE=wasm: chapter 23's program for browsers, by emscripten (make page). No threads; libraries that are headers only are those of
# this system, seen through links.
ifeq ($(MODE),wasm)
HOST_CXX := $(CXX)
override CXX := em++
OPENMP :=
LIBRARY_LACKS := -include lib/machine/wasm_library.hpp
endif
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-psabi
# gcc 12 takes its own AVX-512 intrinsics for uninitialised reads (gcc bug 105593).
# g++ may be clang by another name, as on macOS.
CLANG := $(shell $(CXX) --version 2>/dev/null | grep -i clang)
WARNINGS += $(if $(CLANG),,-Wno-maybe-uninitialized -Wno-uninitialized)
# Floating point as written: no contraction, no reassociation; fused multiply-adds are spelled out in the code.
COMMON := -std=c++20 $(WARNINGS) -ffp-contract=off -I. -MMD -MP
# g++ looks for memory to free from a few MB on, which takes it a tenth of its time.
COMMON += $(if $(CLANG)$(filter wasm,$(MODE)),,--param ggc-min-heapsize=500000)
ifeq ($(MODE),wasm)
COMMON += -Wno-shorten-64-to-32 -msimd128 -fwasm-exceptions -Ilib/kernels/wasm -I$(BUILD)/include
else ifneq ($(filter arm64 aarch64,$(UNAME_M)),)
COMMON += $(if $(filter native,$(ARCH)),-mcpu=native,-march=$(ARCH))
else
COMMON += -march=$(ARCH)
endif
OPT_release := -O3 -g1
OPT_wasm := -O2
# Without the numbers of lines that a debugger reads, rooms compile faster.
NO_LINES := $(if $(filter release,$(MODE)),-g0)
OPT_debug := -O0 -g -D_GLIBCXX_ASSERTIONS
OPT_asan := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS
OPT_tsan := -O1 -g -fsanitize=thread
# make fuzz
OPT_fuzz := -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS
ifeq ($(OPT_$(MODE)),)
$(error MODE=$(MODE): choose release, debug, asan, tsan or wasm)
endif
LIBS =
ifeq ($(UNAME_S),Darwin)
BREW := $(shell brew --prefix 2>/dev/null || echo /usr/local)
COMMON += -I$(BREW)/include -I$(BREW)/opt/libomp/include
LIBS += -L$(BREW)/lib -L$(BREW)/opt/libomp/lib
openmp_flag = $(if $(wildcard $(BREW)/opt/libomp),-Xpreprocessor -fopenmp)
LIBS += $(if $(wildcard $(BREW)/opt/libomp),-lomp)
else
openmp_flag = $(shell printf '$(HASH)include <omp.h>\nint main(){}' | $(CXX) -fopenmp -x c++ - -o /dev/null 2>/dev/null && echo -fopenmp)
endif
# OPENMP= (empty) builds without threads.
ifeq ($(origin OPENMP),undefined)
OPENMP := $(openmp_flag)
endif
# Tokenizers (lib/text) read unusual patterns with PCRE2 and compose characters with utf8proc. Without them (wasm, or with
# TEXT_LIBS= and -DTBT_NO_TEXT_LIBS) such a tokenizer is refused.
TEXT_LIBS = $(if $(filter wasm,$(MODE)),,-lpcre2-8 -lutf8proc)
LIBS += $(TEXT_LIBS)
CXXFLAGS_ALL = $(COMMON) $(OPT_$(MODE)) $(OPENMP) $(CXXFLAGS)
LINK = $(CXX) $(OPT_$(MODE)) $(OPENMP) $(LDFLAGS)

ifeq ($(V),)
Q := @
say = @printf '  %-5s %s\n' $(1) $(2) >&2
endif

# ---- what there is ----------------------------------------------------------------------------------------
LIB_SRC := $(wildcard lib/*/*.cpp lib/grammar/*/*.cpp)
# In a chapter: main.cpp is its program, NAME_main.cpp a further tool called NAME, other .cpp files belong to all.
CHAPTER_CPP := $(sort $(wildcard chapters/*/*.cpp chapters/*/*/*.cpp))
CHAPTER_MAIN := $(sort $(wildcard chapters/*/main.cpp))
TOOL_MAIN := $(filter %_main.cpp,$(CHAPTER_CPP))
CHAPTER_SRC := $(filter-out $(CHAPTER_MAIN) $(TOOL_MAIN),$(CHAPTER_CPP))
# A test's group is its folder: 03, lib, golden. Each group is a program, build/tests-03.
TEST_SRC := $(sort $(wildcard $(patsubst %,tests/%/*.cpp,lib chapters/* golden api bits)) tests/fuzz/replay.cpp)
group_of = $(notdir $(patsubst %/,%,$(dir $(1))))
TEST_GROUPS := $(sort $(foreach t,$(TEST_SRC),$(call group_of,$(t))))
BENCH_SRC := $(wildcard tests/bench/*.cpp)
CHAPTERS := $(patsubst chapters/%/main.cpp,%,$(CHAPTER_MAIN))
TOOLS := $(patsubst %_main,%,$(basename $(notdir $(TOOL_MAIN))))
object = $(patsubst %.cpp,$(BUILD)/obj/%.o,$(1))

# ---- help -------------------------------------------------------------------------------------------------
.PHONY: help
help:
	@printf '%s\n' \
	'Token by Token: text generation from scratch, as a course that runs.' '' \
	'  make run                 write text with the shipped model (PROMPT="Once upon a time" ARGS="…")' \
	'  make chat                talk with it' \
	'  make run-02              run the program of a chapter (ARGS="--help" shows its options)' \
	'  make learn               the exercises, one after the other, on one screen' \
	'  make check EX=05_2       check one (make hint, solution, try, watch, reset; make progress, next)' \
	'  make test                build and run all tests' \
	'  make bench               measure the limits of this machine and our share of them (ONLY=matmul …)' \
	'  make page                the course as pages with search, in build/page/index.html, and the playground' \
	'  make test-learn          make learn in a terminal, and what a learner reads when code crashes (needs tmux)' \
	'  make fuzz                look for bytes that break what reads them (clang; ONLY=json SECONDS=60)' \
	'  make test-bits           the same bits from other processors, compilers and levels (make hashes writes them anew)' \
	'  make test-sanitized      226 command lines of the generator under the sanitizers (MODE=tsan: of threads)' \
	'  make test-arm64          the same bits on arm64, emulated by qemu' \
	'  make test-serving        a thousand requests, each alone and all together: the same texts (COUNT=1000)' \
	'  make test-wasm           the same texts from the playground'"'"'s program as from this one (COUNT=1000)' \
	'  make test-page           look at the pages in a real browser (needs node, npm and chromium)' \
	'  make lessons             check that the lessons still say what the programs print' \
	'  make mutants             put well-known bugs in and see that the tests catch them (ONLY=random: random ones)' \
	'  make structure           the rules of the house, in a second (make tidy: what clang-tidy sees, in minutes)' \
	'  make train               train the shipped models again, in build/models (hours; stop and resume freely)' \
	'  make report MODEL=DIR    judge a model: a table of rates' \
	'  make decoders            chapter 24: every decoder against the true distribution (hours; resumable)' \
	'  make evaluate MODEL=DIR TEXTS=FILE  perplexity, diversity and repetition of texts' \
	'  make adopt MODEL=sketch  put a model trained there in the place of the one that ships' \
	'  make clean               remove what was built' '' \
	'Chapters:'
	@printf '  %s\n' $(CHAPTERS)
	@printf '%s\n' '' 'Options: MODE=release|debug|asan  ARCH=native|x86-64-v3|…  CXX=clang++  NO_INSTALL=1  V=1'

# ---- packages ---------------------------------------------------------------------------------------------
# Checked once per build folder; what is missing is installed by the system's package manager, saying so.
PACKAGES := $(BUILD)/.packages
TEST_PACKAGES := $(BUILD)/.packages-test
$(BUILD)/.packages-page: lib/install_packages.sh
	@mkdir -p $(@D)
	@CXX="$(CXX)" CXXFLAGS="$(COMMON)" NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh page
	@touch $@
$(PACKAGES): lib/install_packages.sh
	@mkdir -p $(@D)
ifeq ($(MODE),wasm)
	@CXX="$(HOST_CXX)" CXXFLAGS=-MMD NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh wasm $(BUILD)/include
else
	@CXX="$(CXX)" CXXFLAGS="$(COMMON) $(CXXFLAGS)" NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh run
endif
	@touch $@
$(TEST_PACKAGES): lib/install_packages.sh | $(PACKAGES)
	@mkdir -p $(@D)
	@CXX="$(CXX)" CXXFLAGS="$(COMMON) $(CXXFLAGS)" NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh test
	@touch $@

# Other flags than last time: everything is built again.
FLAGS := $(BUILD)/.flags
.PHONY: force
$(FLAGS): force
	@mkdir -p $(@D)
	@echo '$(CXXFLAGS_ALL)' | cmp -s - $@ || echo '$(CXXFLAGS_ALL)' > $@

# The files of a room are in a list of its own: with another one in it, the room is compiled again.
ROOM_LISTS := $(BUILD)/.rooms
room_list = $(1:.o=.files)
ALL_ROOMS = $(filter $(BUILD)/obj/rooms/%,$(call objects,$(ROOMED))) $(TEST_ROOMS)
$(ROOM_LISTS): force
	@mkdir -p $(@D) && printf '%s\n' $(foreach r,$(ALL_ROOMS),"$(call room_list,$(r)) $(room_files_$(r))") | sh lib/room_lists.sh
$(BUILD)/obj/%.files: $(ROOM_LISTS) ;

# ---- building ---------------------------------------------------------------------------------------------
# Code that runs once a program, reading options or printing tables, gains nothing at -O3 and compiles half as long again.
COLD = chapters/%/main.cpp %_main.cpp %/options.cpp %/report.cpp %/show.cpp %/tour.cpp chapters/15_regular/% $(patsubst %,lib/grammar/%.cpp,automata/% schema/schema% schema/uri%) \
	$(patsubst %,lib/grammar/schema/%.cpp,formats held_numbers host_names regex_format) \
	$(patsubst %,chapters/06_combining/%.cpp,chain dialects presets trace) chapters/08_penalties/full_chain.cpp \
	$(patsubst %,chapters/10_generate/%.cpp,batch chat generate text_writer) $(patsubst %,lib/grammar/recognizer/%.cpp,compile gbnf grammar rule_words) \
	$(patsubst %,chapters/11_beam_search/%.cpp,beam_search diverse_beams exact_search lattice) \
	lib/machine/command_line.cpp lib/machine/text_options.cpp chapters/11_beam_search/search_lines.cpp \
	chapters/12_speculative/recorded_round.cpp chapters/13_json_grammar/guide%.cpp $(patsubst %,chapters/10_generate/%.cpp,output page prompt_logprobs rare_options recorded_token request trace_json word_options) \
	$(patsubst %,chapters/23_text_generator/%.cpp,command_line talk combinations generation recording text_generator trace_lines) \
	$(filter-out lib/machine/json_file.cpp lib/model/safetensors.cpp chapters/19_training/text_documents.cpp,$(sources_json))
cold = $(if $(filter release wasm,$(MODE)),$(if $(filter $(COLD),$(1)),-O1))
$(BUILD)/obj/%.o: %.cpp $(FLAGS) | $(PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) $(call cold,$<) -include $(call source_pch,$<) $(LIBRARY_LACKS) -c $< -o $@

# sources_NAME: what a program is made of, its main.cpp and the .cpp files behind the headers that it includes, directly or
# through others.
comma := ,
SOURCES := $(shell sh lib/sources.sh)
sources_rule = sources_$(firstword $(subst :, ,$(1))) := $(subst $(comma), ,$(word 2,$(subst :, ,$(1))))
$(foreach line,$(SOURCES),$(eval $(call sources_rule,$(line))))

# A header read by many files is precompiled: -include $(1) finds $(1).gch, and a compiler that cannot use that reads the copy.
define pch_rule
$(1).gch: $(2) $$(FLAGS) | $(4)
	@mkdir -p $$(@D) && cp $(2) $(1)
	$$(call say,PCH,$(2))
	$$(Q)$$(CXX) $$(CXXFLAGS_ALL) $(3) -x c++-header $(2) -o $$@
endef

# What the .cpp files of lib and chapters read of the standard library; with JSON, for those that see it.
source_pch = $(BUILD)/pch/$(if $(filter $(sources_json),$(1)),json,std).hpp
$(eval $(call pch_rule,$(BUILD)/pch/std.hpp,lib/precompiled.hpp,,$(PACKAGES)))
$(eval $(call pch_rule,$(BUILD)/pch/json.hpp,lib/machine/precompiled_json.hpp,,$(PACKAGES)))
$(call object,$(sources_json)): $(BUILD)/pch/json.hpp.gch
$(call object,$(filter-out $(sources_json),$(LIB_SRC) $(CHAPTER_CPP))): $(BUILD)/pch/std.hpp.gch

# Rooms: the .cpp files of a folder are compiled in one go, so that what they include is read once and not for each; but for
# programs and the kernels, which are by themselves. A folder has several rooms: what `make run` needs and what it does not, hot and
# cold. Where files in a room would mistake each other's names (an error, or a warning), each is compiled by itself and they are put
# together. lib/together.sh does it: rooms of sources here, rooms of tests below.
ALONE := $(filter lib/kernels/% lib/model/attention.cpp $(CHAPTER_MAIN) $(TOOL_MAIN),$(LIB_SRC) $(CHAPTER_CPP))
ROOMED := $(filter-out $(ALONE),$(LIB_SRC) $(CHAPTER_CPP))
room_of = $(BUILD)/obj/rooms/$(subst /,-,$(patsubst %/,%,$(dir $(1))))$(if $(filter $(sources_23_text_generator),$(1)),,-more)$(call cold,$(1)).o
$(foreach s,$(ROOMED),$(eval room_files_$(call room_of,$(s)) += $(s)))
# The objects of these .cpp files: their rooms, or their own.
objects = $(sort $(foreach s,$(1),$(if $(filter $(ROOMED),$(s)),$(call room_of,$(s)),$(call object,$(s)))))
define room_rule
$(1): $(2) $(call room_list,$(1)) $$(FLAGS) lib/together.sh $(3).gch | $$(PACKAGES)
	@mkdir -p $$(@D)
	$$(call say,CXX,"$$(dir $(firstword $(2)))*.cpp")
	$$(Q)sh lib/together.sh sources $$@ "$$(CXX)" "$$(CXXFLAGS_ALL) $$(call cold,$(firstword $(2))) $(NO_LINES) -include $(3) $$(LIBRARY_LACKS)" $(2)
endef
$(foreach r,$(call objects,$(ROOMED)),$(eval $(call room_rule,$(r),$(room_files_$(r)),$(call source_pch,$(filter $(sources_json),$(room_files_$(r)))))))

# Archives: one for lib, one each for lib/train and lib/grammar, one for each chapter that has .cpp files. A program, test or exercise is linked with those
# of the chapters whose headers it includes, directly or through others. used_NAME has these chapters (and train, grammar).
define archive_rule
$(1): $(call objects,$(2))
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@ && ar rcs $$@ $$^
endef
LIB := $(BUILD)/libtbt.a
TRAIN := $(BUILD)/libtrain.a
GRAMMAR := $(BUILD)/libgrammar.a
$(eval $(call archive_rule,$(LIB),$(filter-out lib/train/% lib/grammar/%,$(LIB_SRC))))
$(eval $(call archive_rule,$(TRAIN),$(filter lib/train/%,$(LIB_SRC))))
$(eval $(call archive_rule,$(GRAMMAR),$(filter lib/grammar/%,$(LIB_SRC))))
WITH_SOURCE := $(sort $(foreach s,$(CHAPTER_SRC),$(word 2,$(subst /, ,$(s)))))
chapter_source = $(filter chapters/$(1)/%,$(CHAPTER_SRC))
$(foreach c,$(WITH_SOURCE),$(eval $(call archive_rule,$(BUILD)/lib$(c).a,$(call chapter_source,$(c)))))
USES := $(shell sh lib/uses.sh)
uses_rule = used_$(firstword $(subst :, ,$(1))) := $(subst $(comma), ,$(word 2,$(subst :, ,$(1))))
$(foreach line,$(USES),$(eval $(call uses_rule,$(line))))
archives = $(patsubst %,$(BUILD)/lib%.a,$(filter $(WITH_SOURCE) train grammar,$(used_$(1)))) $(LIB)
reversed = $(if $(1),$(call reversed,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
# Everything, for benchmarks and mutants.
LIBRARY := $(patsubst %,$(BUILD)/lib%.a,$(call reversed,$(WITH_SOURCE))) $(TRAIN) $(GRAMMAR) $(LIB)

# Chapter 23's program is made of its rooms, with nothing that it does not need: it is what a fresh clone runs first.
program_parts = $(if $(filter 23_text_generator,$(1)),$(call objects,$(sources_$(1))),\
	$(call object,$(filter $(ALONE) exercises/%,$(filter-out lib/%,$(sources_$(1))))) $(call archives,$(or $(word 2,$(subst /, ,$(filter chapters/%main.cpp,$(sources_$(1))))),$(1))))
define program_rule
$(BUILD)/$(1): $(call program_parts,$(1))
	$$(call say,LINK,$$@)
	$$(Q)$$(LINK) $$^ $$(LIBS) -o $$@
endef
$(foreach program,$(CHAPTERS) $(TOOLS),$(eval $(call program_rule,$(program))))

# Debian's emscripten asks for a module of node that a node from elsewhere does not find by itself.
#
# The module of WebAssembly and the JavaScript that starts it: data/page/playground and tests/page/wasm call its main() with the
# words of a command line.
ifeq ($(MODE),wasm)
WASM_LINK := -sMODULARIZE=1 -sEXPORT_NAME=tbtModule -sINVOKE_RUN=0 -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 -sENVIRONMENT=web,worker,node -sFILESYSTEM=1 -sFORCE_FILESYSTEM=1 \
	-sEXPORTED_RUNTIME_METHODS=callMain,FS,NODEFS -lnodefs.js -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sTOTAL_STACK=4194304
$(BUILD)/text_generator.js: $(call objects,$(sources_23_text_generator) lib/kernels/wasm/fmaf.cpp)
	$(call say,LINK,$@)
	$(Q)NODE_PATH=/usr/share/nodejs $(LINK) -fwasm-exceptions -msimd128 $^ $(WASM_LINK) -o $@
$(call object,lib/kernels/wasm/fmaf.cpp): $(BUILD)/pch/std.hpp.gch
$(BUILD)/playground.html $(BUILD)/playground_gaps.html: $(BUILD)/text_generator.js $(wildcard data/page/*.* data/page/playground/*) \
	chapters/10_generate/page.cpp $(wildcard data/schemas/* data/models/*/*)
	@node data/page/playground/pack.mjs $< $@
endif

.PHONY: all tools $(TOOLS:%=%-tool)
all: $(CHAPTERS:%=$(BUILD)/%) $(TOOLS:%=$(BUILD)/%) $(BUILD)/learn
tools: $(TOOLS:%=$(BUILD)/%)
$(TOOLS:%=%-tool): %-tool: $(BUILD)/%

# ---- running ----------------------------------------------------------------------------------------------
# PROMPT goes through the environment, and unexpanded, so that quotes and dollars in it do no harm.
override PROMPT := $(value PROMPT)
export PROMPT
.PHONY: run chat
run: $(BUILD)/23_text_generator
	@$< $(if $(PROMPT),"$$PROMPT") $(ARGS)
chat: $(BUILD)/23_text_generator
	@$< --chat $(ARGS)

# The models that ship: a tokenizer, the target, the draft, each made by its recipe in a folder of build/models (never in
# data/models; make clean keeps it). Each stops with Ctrl-C and goes on where it was with the same command.
# Storyteller and sketch in two runs each: the corpus as it is drawn, then, by the recipe that stands beside the model, more of
# what is hardest (sums, questions about records, talk), and the law of the finished one.
FIRST_RECIPE := --layers 6 --heads 6 --embd 192 --batch 8 --steps 15000 --warmup 200 --lr 0.002 --precision bf16 --parts 4
FIRST_SKETCH_RECIPE := --layers 2 --heads 3 --embd 96 --batch 8 --steps 4500 --warmup 200 --lr 0.003 --precision bf16 --parts 4
MEDUSA_RECIPE := --heads 3 --inner 256 --draft-vocab 2048 --batch 4 --sequence 256 --steps 5000 --warmup 100 --lr 0.004 --parts 4
TRAINED := build/models
FIRST := $(TRAINED)/first
STORYTELLER := $(TRAINED)/storyteller
MEDUSA := $(TRAINED)/medusa
FIRST_SKETCH := $(TRAINED)/first-sketch
SKETCH := $(TRAINED)/sketch
DIFFUSION := $(TRAINED)/diffusion
resume = $(if $(wildcard $(1)/checkpoint),--resume)
.PHONY: train train-first train-first-sketch train-storyteller train-sketch train-diffusion train-medusa adopt
train: train-sketch
train-first: $(BUILD)/train
	$(if $(wildcard $(FIRST)/checkpoint),,$< tokenizer --out $(FIRST))
	$< --tokenizer $(FIRST) --out $(FIRST) --f16 $(FIRST_RECIPE) $(call resume,$(FIRST)) $(ARGS)
train-storyteller: train-first
	$(BUILD)/train --recipe data/models/storyteller/recipe.json --out $(STORYTELLER) $(call resume,$(STORYTELLER)) $(ARGS)
train-first-sketch: train-first
	$(BUILD)/train --tokenizer $(FIRST) --teacher $(FIRST) --out $(FIRST_SKETCH) --f16 $(FIRST_SKETCH_RECIPE) $(call resume,$(FIRST_SKETCH)) $(ARGS)
train-sketch: train-storyteller train-first-sketch
	$(BUILD)/train --recipe data/models/sketch/recipe.json --out $(SKETCH) $(call resume,$(SKETCH)) $(ARGS)
# Chapter 22's, which fills in masks; it takes the storyteller's tokenizer.
train-diffusion: $(BUILD)/train
	$< --tokenizer data/models/storyteller --recipe data/models/diffusion/recipe.json --out $(DIFFUSION) $(call resume,$(DIFFUSION)) $(ARGS)
# Chapter 21's heads, for the storyteller that ships; after another one was adopted, again.
train-medusa: $(BUILD)/train_heads
	$< --out $(MEDUSA) $(MEDUSA_RECIPE) $(ARGS)
# MODEL=DIRECTORY: what a model can do, as a table (ARGS="--json FILE --failures 3").
.PHONY: report decoders evaluate
report: $(BUILD)/report
	@$< $(or $(MODEL),data/models/storyteller) $(ARGS)
decoders: $(BUILD)/decoders
	@$< $(ARGS)
evaluate: $(BUILD)/evaluate
	@test -n "$(TEXTS)" || { echo "make: which texts? TEXTS=FILE" >&2; exit 2; }
	@$< $(or $(MODEL),data/models/storyteller) $(TEXTS) $(ARGS)
# MODEL=storyteller: shows the trained model beside the one that ships, asks (YES=1: does not), and takes it over.
adopt: $(BUILD)/adopt
	@test -n "$(MODEL)" || { echo "make: which model? MODEL=storyteller or MODEL=sketch" >&2; exit 2; }
	@$< $(TRAINED)/$(MODEL) data/models/$(MODEL) $(if $(YES),--yes)

# make run-03, or the chapter's whole name: make run-03_temperature
.PHONY: $(CHAPTERS:%=run-%)
$(CHAPTERS:%=run-%): run-%: $(BUILD)/%
	@$< $(ARGS)
define short_name
.PHONY: run-$(firstword $(subst _, ,$(1)))
run-$(firstword $(subst _, ,$(1))): run-$(1)
endef
$(foreach chapter,$(CHAPTERS),$(eval $(call short_name,$(chapter))))
run-%:
	@echo "make: there is no chapter '$*'; the chapters are: $(CHAPTERS)" >&2; exit 2

# ---- tests ------------------------------------------------------------------------------------------------
# Tests run once: what they gain by being optimised takes longer to compile. Those that count long are in SLOW.
SLOW := $(if $(filter debug,$(MODE)),,lib 14 16 18 19 20 21)
level = $(if $(filter $(SLOW),$(call group_of,$(1))),O1,O0)
# How a test is compiled, at O0 or O1 (2: _json, where it sees that header); also behind make check and make mutants.
compile_test = $(CXX) $(call test_options,$(1),$(2))
test_options = $(CXXFLAGS_ALL) $(call test_flags,$(1)) -include $(call test_pch,$(1),$(2))
test_flags = -$(1) -Wno-sign-conversion $(if $(filter O0,$(1)),-D_GLIBCXX_ASSERTIONS)
# The Catch2 header is precompiled: it is most of the time of a test file.
test_pch = $(BUILD)/pch/tests-$(1)/catch$(2).hpp
$(foreach o,O0 O1,$(foreach j,. _json,$(eval $(call pch_rule,$(call test_pch,$(o),$(j:.=)),tests/catch$(j:.=).hpp,$(call test_flags,$(o)),$(TEST_PACKAGES)))))
# main.cpp brings Catch's own main parts and so reads the header its own way.
$(BUILD)/obj/tests/main.o: tests/main.cpp $(FLAGS) | $(TEST_PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) -O0 -c $< -o $@

CATCH_LIBS = $(if $(shell printf '$(HASH)include <catch2/catch_all.hpp>\n' | $(CXX) $(COMMON) -x c++ -E - >/dev/null 2>&1 && echo 3),-lCatch2)
group_files = $(foreach t,$(TEST_SRC),$(if $(filter $(1),$(call group_of,$(t))),$(t)))
# Rooms of tests, twelve files each. $(1): the room's name, $(2): files, $(3): O0 or O1, $(4): further flags
sees_json = $(if $(filter $(sources_json),$(1)),_json)
define test_room_rule
TEST_ROOMS += $(BUILD)/obj/tests/$(1).o
room_files_$(BUILD)/obj/tests/$(1).o := $(2)
$(BUILD)/obj/tests/$(1).o: $(2) $(BUILD)/obj/tests/$(1).files lib/together.sh $(call test_pch,$(3),$(call sees_json,$(2))).gch | $(TEST_PACKAGES)
	@mkdir -p $$(@D)
	$$(call say,CXX,"$(2)")
	$$(Q)sh lib/together.sh tests $$@ "$$(CXX)" "$$(call test_options,$(3),$(call sees_json,$(2))) $(NO_LINES) $(4)" $(2)
endef
# The rooms that hold the files $(1), named after $(2); and their rules, with $(3) and $(4) as above.
test_rooms = $(if $(1),$(BUILD)/obj/tests/$(2)-$(words $(1)).o $(call test_rooms,$(wordlist 13,$(words $(1)),$(1)),$(2)))
test_room_rules = $(if $(1),$(eval $(call test_room_rule,$(2)-$(words $(1)),$(wordlist 1,12,$(1)),$(3),$(4)))$(call test_room_rules,$(wordlist 13,$(words $(1)),$(1)),$(2),$(3),$(4)))
define test_rule
$(call test_room_rules,$(call group_files,$(1)),$(1),$(call level,$(1)))
$(BUILD)/tests-$(1): $(call test_rooms,$(call group_files,$(1)),$(1)) $(BUILD)/obj/tests/main.o $(call archives,tests-$(1))
	$$(call say,LINK,$$@)
	$$(Q)$$(LINK) $$^ $$(LIBS) $$(CATCH_LIBS) -o $$@
endef
$(foreach g,$(TEST_GROUPS),$(eval $(call test_rule,$(g))))

# The exercises' tests, against the solutions and against the stubs.
EXERCISE_SRC := $(sort $(wildcard tests/exercises/ex*.cpp))
# Beside the tests of an exercise: limits on time and memory, and the words in which a failure is told.
WITNESSES := $(call object,$(filter-out $(EXERCISE_SRC),$(wildcard tests/exercises/*.cpp)))
$(BUILD)/obj/tests/exercises/%.o: tests/exercises/%.cpp $(call test_pch,O0).gch | $(TEST_PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(call compile_test,O0) -c $< -o $@
# As main.cpp, it reads Catch's header its own way.
$(BUILD)/obj/tests/exercises/report.o: tests/exercises/report.cpp $(FLAGS) | $(TEST_PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) $(call test_flags,O0) -c $< -o $@
define exercise_rules
$(call test_room_rules,$(EXERCISE_SRC),$(1),O0,-I$(1))
$(BUILD)/tests-$(1): $(call test_rooms,$(EXERCISE_SRC),$(1)) $(WITNESSES) $(BUILD)/obj/tests/main.o $(call archives,tests-exercises)
	$$(call say,LINK,$$@)
	$$(Q)$$(LINK) $$^ $$(LIBS) $$(CATCH_LIBS) -o $$@
endef
$(eval $(call exercise_rules,solutions))
$(eval $(call exercise_rules,exercises))

# ONLY=03 or ONLY=lib: one group of tests. ONLY="03 06": several.
ONLY_GROUPS = $(patsubst %,tests-%,$(foreach o,$(ONLY),$(filter $(o) $(firstword $(subst _, ,$(o:ch%=%))),$(TEST_GROUPS))))
.PHONY: test structure tidy
# The rules of the house alone: what may include what, lengths, layout.
structure:
	@sh tests/structure.sh
# Mistakes and waste that clang-tidy sees (minutes); .clang-tidy says what is asked.
tidy:
	@printf '%s\n' $(LIB_SRC) $(CHAPTER_CPP) | xargs -P $$(getconf _NPROCESSORS_ONLN) -I FILE clang-tidy --quiet FILE -- $$(cat compile_flags.txt) $(OPENMP)
ifeq ($(ONLY),)
# Each runs as soon as it is built, beside the compiler: RUN_NAME is how, PART_OF_NAME what it needs.
RUNS := $(SLOW) $(filter-out $(SLOW),$(TEST_GROUPS)) solutions stubs refusals learn parity syntax structure
$(foreach g,$(TEST_GROUPS) solutions,$(eval run_$(g) := $(BUILD)/tests-$(g))$(eval needs_$(g) := $(BUILD)/tests-$(g)))
run_stubs := cat $(patsubst %,%.log,$(call test_rooms,$(EXERCISE_SRC),exercises)) > $(BUILD)/stubs.log; sh tests/exercises/stubs.sh $(BUILD)/tests-exercises $(BUILD)/stubs.log
needs_stubs := $(BUILD)/tests-exercises
run_refusals := sh tests/refusals.sh $(BUILD)
run_learn := sh tests/learn.sh $(BUILD) lines
run_parity := sh tests/parity.sh $(BUILD)
needs_refusals := all
needs_learn := all
needs_parity := all
run_syntax := CXX="$(CXX)" sh tests/syntax.sh
run_structure := sh tests/structure.sh
.PHONY: $(RUNS:%=ran-%)
define run_rule
ran-$(1): $(needs_$(1))
	@mkdir -p $(BUILD)/ran; ($(run_$(1))) > $(BUILD)/ran/$(1) 2>&1 && rm -f $(BUILD)/ran/$(1).failed || : > $(BUILD)/ran/$(1).failed; cat $(BUILD)/ran/$(1)
endef
$(foreach r,$(RUNS),$(eval $(call run_rule,$(r))))
test: all $(RUNS:%=ran-%)
	@failed=''; for r in $(RUNS); do [ ! -f $(BUILD)/ran/$$r.failed ] || failed="$$failed $$r"; done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }
else
test: $(ONLY_GROUPS:%=$(BUILD)/%)
	@$(if $(ONLY_GROUPS),,echo "make: ONLY=$(ONLY): there are no such tests; there are: $(TEST_GROUPS)" >&2; exit 2)
	@failed=0; for t in $^; do $(EMULATOR) $$t || failed=1; done; exit $$failed
endif

# The same bits from other processors, compilers and levels: the hashes of tests/data/hashes.txt in builds of their own.
.PHONY: test-bits hashes
BITS := "" $(if $(filter x86_64,$(UNAME_M)),"ARCH=x86-64-v3") \
	$(if $(shell grep -sowm1 avx_vnni /proc/cpuinfo),"ARCH=x86-64-v3 CXXFLAGS=-mavxvnni BUILD=build-avxvnni") "OPENMP= BUILD=build-serial" "MODE=debug" \
	$(if $(shell command -v clang++ 2>/dev/null),"CXX=clang++ BUILD=build-clang")
test-bits:
	@for way in $(BITS); do echo "make test ONLY=bits $$way"; $(MAKE) --no-print-directory test ONLY=bits $$way || exit 1; done
# After a change that is meant, or another model that ships.
hashes: $(BUILD)/tests-bits
	TBT_WRITE_HASHES=1 $<

# Chapter 23's program with the address and undefined-behaviour sanitizers over a corpus of command lines, or with the thread
# sanitizer (MODE=tsan). By clang where it is installed: it sees offsets of null pointers too, and its OpenMP tells the thread
# sanitizer what waits for what.
.PHONY: test-sanitized
SANITIZER := $(if $(filter tsan,$(MODE)),tsan,asan)
test-sanitized:
	@$(MAKE) --no-print-directory MODE=$(SANITIZER) BUILD=build-$(SANITIZER)-clang \
	    CXX="$(if $(CLANG),$(CXX),$(shell command -v clang++ || echo "$(CXX)"))" build-$(SANITIZER)-clang/23_text_generator
	@sh tests/sanitized/run.sh build-$(SANITIZER)-clang

# Chapter 26's promise in full: so many random requests, each alone and all together.
.PHONY: test-serving
test-serving: $(BUILD)/tests-26
	@TBT_REQUESTS=$(or $(COUNT),1000) $<

# On arm64, emulated: the hashes of texts and logits, and what transformers gives (ONLY="lib 07": others). Installs a cross
# compiler and qemu where they are missing; folders of its own, build-armv8-a.
.PHONY: test-arm64
test-arm64:
	@CXX="$(CXX)" CXXFLAGS="$(COMMON) $(CXXFLAGS)" NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh arm64
	@$(MAKE) --no-print-directory test ONLY="$(or $(ONLY),bits golden)" CXX=aarch64-linux-gnu-g++ ARCH=armv8-a TEXT_LIBS= CXXFLAGS="$(CXXFLAGS) -DTBT_NO_TEXT_LIBS" \
	    EMULATOR="env TBT_EMULATED=1 qemu-aarch64 -L /usr/aarch64-linux-gnu"

# Looks for bytes that break what reads them: ONLY=json, of tests/fuzz/all.hpp; SECONDS=60 for each. What it finds stands in
# build-fuzz, and belongs into tests/fuzz/corpus with the repair.
.PHONY: fuzz
FUZZED := safetensors config tokenizer trace checkpoint corpus json gbnf regex schema command_line chat
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz CXX="$(if $(CLANG),$(CXX),clang++)" OPENMP= build-fuzz/fuzzer
	@for target in $(or $(ONLY),$(FUZZED)); do \
	    mkdir -p build-fuzz/corpus/$$target build-fuzz/found; echo "$$target:"; sh tests/fuzz/words.sh $$target >build-fuzz/$$target.words; \
	    TBT_FUZZ=$$target build-fuzz/fuzzer build-fuzz/corpus/$$target tests/fuzz/corpus/$$target -max_total_time=$(or $(SECONDS),60) \
	        -dict=build-fuzz/$$target.words -timeout=30 -rss_limit_mb=4096 -max_len=4096 -close_fd_mask=3 -print_final_stats=1 -artifact_prefix=build-fuzz/found/$$target- \
	        >build-fuzz/$$target.log 2>&1; status=$$?; grep -e "^stat::number_of_executed" -e "SUMMARY" build-fuzz/$$target.log; \
	    [ $$status -eq 0 ] || { tail -n 30 build-fuzz/$$target.log; exit 1; }; done
ifeq ($(MODE),fuzz)
$(BUILD)/obj/tests/fuzz/fuzzer.o: tests/fuzz/fuzzer.cpp $(FLAGS) | $(PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) -c $< -o $@
$(BUILD)/fuzzer: $(BUILD)/obj/tests/fuzz/fuzzer.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -fsanitize=fuzzer $^ $(LIBS) -o $@
endif

# The lessons as pages that open from disk, and the playground: the generator and its models in one of them.
.PHONY: page
page: $(BUILD)/.packages-page
	@playgrounds="$(BUILD)-wasm/playground.html $(BUILD)-wasm/playground_gaps.html"; \
	$(MAKE) --no-print-directory MODE=wasm BUILD=$(BUILD)-wasm CXX="$(CXX)" $$playgrounds || \
	    { echo "make: the pages come without the playgrounds, which need emscripten (see above)" >&2; playgrounds=; }; \
	sh data/page/course/make.sh $(BUILD)/page $$playgrounds
# The same texts from WebAssembly, where emscripten is installed already (elsewhere it says so, and tests nothing).
.PHONY: test-wasm
test-wasm: $(BUILD)/23_text_generator
	@! command -v em++ >/dev/null || $(MAKE) --no-print-directory MODE=wasm BUILD=$(BUILD)-wasm CXX="$(CXX)" $(BUILD)-wasm/text_generator.js
	@sh tests/page/wasm/rows.sh $(BUILD)-wasm && sh tests/page/wasm/run.sh $(BUILD) $(BUILD)-wasm $(COUNT)
# The page of --html in a real browser: needs node, npm and chromium, and says so where they are missing.
.PHONY: test-page
PAGE_PROGRAMS := $(filter 10_% 11_% 12_% 13_% 14_% 15_% 16_% 21_% 22_% 23_%,$(CHAPTERS))
test-page: $(PAGE_PROGRAMS:%=$(BUILD)/%)
	@sh tests/page/run.sh $(BUILD)

# For learners: make check EX=05_2 and so on.
.PHONY: learn check hint solution try watch reset progress next
$(call object,$(wildcard exercises/learn/*.cpp)): $(BUILD)/pch/std.hpp.gch
$(eval $(call program_rule,learn))
# The check has a make of its own, called as this one was.
LEARN_MAKE = $(MAKE_COMMAND) --no-print-directory MODE=$(MODE) ARCH=$(ARCH) CXX="$(CXX)" NO_INSTALL=$(NO_INSTALL)
# The screen starts at once; the library is built behind it, by the first check.
learn: $(BUILD)/learn | $(TEST_PACKAGES)
	@name=; [ -z "$(EX)" ] || name=$$(sh exercises/exercise.sh find "$(EX)") || exit 2; LEARN_MAKE='$(LEARN_MAKE)' $< $$name
# The note of each throw (tests/exercises/trace.cpp) is found by the standard library's throws too.
EXPORT := $(if $(filter Linux,$(UNAME_S)),-rdynamic -ldl)
# An exercise is linked with what it includes.
EX_NAME := $(if $(EX),$(shell sh exercises/exercise.sh find "$(EX)" 2>/dev/null))
EX_SOURCE := $(if $(EX_NAME),$(wildcard tests/exercises/ex$(EX_NAME).cpp))
# A number that is none, or a chapter's alone, is told before anything is built.
EX_UNKNOWN := $(and $(EX),$(if $(EX_NAME),,yes))
EX_LIBRARY := $(if $(EX_UNKNOWN),,$(call archives,$(if $(EX_SOURCE),$(if $(filter try,$(MAKECMDGOALS)),try-,ex-ex)$(EX_NAME),tests-exercises)))
check watch: $(if $(EX_UNKNOWN),,$(BUILD)/obj/tests/main.o $(WITNESSES) $(call test_pch,O0).gch)
check watch try: $(EX_LIBRARY)
check hint solution try watch reset progress next:
	@BUILD="$(BUILD)" COMPILE_TEST="$(call compile_test,O0)" COMPILE="$(CXX) $(CXXFLAGS_ALL)" LINK="$(LINK)" FEW_ERRORS="$(if $(CLANG),-ferror-limit=3,-fmax-errors=3)" \
	WITNESSES="$(WITNESSES)" LIBRARY="$(EX_LIBRARY)" LIBS="$(LIBS) $(CATCH_LIBS)" EXPORT="$(EXPORT)" LEVEL="$(LEVEL)" FORCE="$(FORCE)" SOLUTION="$(SOLUTION)" ARGS="$(ARGS)" sh exercises/exercise.sh $@ "$(EX)"

# make learn in a terminal, and learners' crashes (minutes).
.PHONY: test-learn
test-learn: $(BUILD)/learn $(BUILD)/obj/tests/main.o $(WITNESSES) $(call test_pch,O0).gch
	@failed=0; for t in tests/learn.sh tests/exercises/crashes.sh; do LEARN_MAKE='$(LEARN_MAKE)' sh $$t $(BUILD) || failed=1; done; exit $$failed

# Are the outputs and code excerpts in the lessons still what the programs print and the files say? UPDATE=1 rewrites outputs.
.PHONY: lessons mutants
lessons: all
	@failed=0; sh tests/lessons.sh $(if $(UPDATE),update,check) || failed=1; sh tests/pages.sh $(BUILD) || failed=1; exit $$failed
# ONLY=random SEED=1 COUNT=100: small random mistakes in place of them, each judged by the tests of its chapter.
comma_list = $(subst $(eval ) ,$(comma),$(strip $(1)))
RANDOM_MUTANTS = CXX="$(CXX)" SOURCE_FLAGS="$(CXXFLAGS_ALL) -O1 -g0 -include $(BUILD)/pch/std.hpp" SLOW="$(SLOW)" MAIN="$(BUILD)/obj/tests/main.o" \
	TEST_FLAGS_O0="$(call test_options,O0)" TEST_FLAGS_O1="$(call test_options,O1)" SEED="$(SEED)" COUNT="$(COUNT)" PLACE="$(PLACE)" SHOW="$(SHOW)" LIMIT="$(LIMIT)" TRUST="$(TRUST)" \
	ROOMS="$(foreach g,$(TEST_GROUPS),$(g):$(call comma_list,$(call test_rooms,$(call group_files,$(g)),$(g))))" MAKE="$(MAKE_COMMAND)"
# Puts well-known bugs into the headers, one at a time, and sees that the tests notice.
mutants: $(LIBRARY) $(call test_pch,O0).gch $(BUILD)/obj/tests/main.o $(WITNESSES)
	@BUILD="$(BUILD)" COMPILE_TEST="$(call compile_test,O0)" LINK="$(LINK)" WITNESSES="$(WITNESSES)" EXPORT="$(EXPORT)" LIBRARY="$(LIBRARY)" LIBS="$(LIBS) $(CATCH_LIBS)" \
	$(if $(filter random,$(ONLY)),$(RANDOM_MUTANTS) sh tests/mutants/random.sh,sh tests/mutants/run.sh $(ONLY))

# ---- benchmarks -------------------------------------------------------------------------------------------
# Opponents are used where the system has them: OpenBLAS, oneDNN.
has_library = $(shell printf '$(HASH)include <$(1)>\nint main(){}' | $(CXX) -x c++ - -o /dev/null -l$(2) 2>/dev/null && echo 1)
BENCH_OPPONENTS = $(if $(call has_library,cblas.h,openblas),-DTBT_OPENBLAS -lopenblas) $(if $(call has_library,dnnl.h,dnnl),-DTBT_ONEDNN -ldnnl)
$(BUILD)/obj/tests/bench/%.o: tests/bench/%.cpp $(FLAGS) | $(PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) $(filter -D%,$(BENCH_OPPONENTS)) -c $< -o $@
$(BUILD)/bench: $(call object,$(BENCH_SRC)) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(filter -l%,$(BENCH_OPPONENTS)) $(LIBS) -o $@
.PHONY: bench
bench: $(BUILD)/bench
	@$(BUILD)/bench $(if $(ONLY),--only $(ONLY)) $(ARGS)

.PHONY: clean
clean:
	rm -rf build-* $(filter-out build/models,$(wildcard build/* build/.[a-z]*))
	@if [ -d build/models ]; then echo "build/models, the models trained here, are kept"; fi

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
