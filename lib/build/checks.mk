# Checks that take longer than make test, or need more than a compiler: other machines, sanitizers, fuzzing, planted
# bugs, lessons. Several of them call make again, with a build folder of their own.

# ---- the same bits everywhere -----------------------------------------------------------------------------
# Checks the hashes of tests/data/hashes.txt in builds for other processors and by other compilers and optimisation
# levels.
.PHONY: test-bits hashes test-serving test-arm64
BITS = "" $(if $(filter x86_64,$(UNAME_M)),"ARCH=x86-64-v3") \
	$(if $(shell grep -sowm1 avx_vnni /proc/cpuinfo),"ARCH=x86-64-v3 CXXFLAGS=-mavxvnni BUILD=build-avxvnni") \
	"OPENMP= BUILD=build-serial" "MODE=debug" $(if $(shell command -v clang++ 2>/dev/null),"CXX=clang++ BUILD=build-clang")
test-bits:
	@for way in $(BITS); do \
	    echo "make test ONLY=bits $$way"; $(MAKE) --no-print-directory test ONLY=bits $$way || exit 1; done
# Rewrites the hashes, after an intended change or when another model ships.
hashes: $(BUILD)/tests-bits
	TBT_WRITE_HASHES=1 $<
# Tests all promises of chapter 26: random requests, each alone and all together, in the engine and over HTTP; the
# memory after 10,000 requests; three replicas, of which one is killed and one is stopped, and the share of prompt
# tokens that they have cached (installs haproxy if it is missing); the openai package of npm.
test-serving: $(BUILD)/tests-26 $(BUILD)/tests-serving $(BUILD)/serve
	@$(install) serving
	@failed=0; export TBT_REQUESTS=$(or $(COUNT),1000) TBT_SERVE=$(BUILD)/serve; \
	$(BUILD)/tests-26 || failed=1; $(BUILD)/tests-serving || failed=1; \
	$(BUILD)/tests-serving "[memory]" || failed=1; $(BUILD)/tests-serving "[failover]" || failed=1; \
	$(BUILD)/tests-serving "[hits]" || failed=1; \
	sh tests/serving/openai.sh $(BUILD) || failed=1; exit $$failed
# Tests on emulated arm64: the hashes of texts and logits, and the comparison with transformers (ONLY="lib 07" runs
# other groups). Installs a cross compiler and qemu if they are missing. Its build folder is build-armv8-a.
test-arm64:
	@$(install) arm64
	@$(MAKE) --no-print-directory test ONLY="$(or $(ONLY),bits golden)" CXX=aarch64-linux-gnu-g++ ARCH=armv8-a TEXT_LIBS= \
	    CXXFLAGS="$(CXXFLAGS) -DTBT_NO_TEXT_LIBS" EMULATOR="env TBT_EMULATED=1 qemu-aarch64 -L /usr/aarch64-linux-gnu"

# ---- sanitizers and fuzzing -------------------------------------------------------------------------------
# Runs chapter 23's program over a corpus of command lines, with the address and undefined-behaviour sanitizers, or with
# the thread sanitizer (MODE=tsan). Uses clang if it is installed: it also detects offsets of null pointers, and its
# OpenMP tells the thread sanitizer which thread waits for which.
.PHONY: test-sanitized fuzz
SANITIZER := $(if $(filter tsan,$(MODE)),tsan,asan)
SANITIZED := build-$(SANITIZER)-clang
test-sanitized:
	@$(MAKE) --no-print-directory MODE=$(SANITIZER) BUILD=$(SANITIZED) \
	    CXX="$(if $(CLANG),$(CXX),$(shell command -v clang++ || echo "$(CXX)"))" $(SANITIZED)/23_text_generator
	@sh tests/sanitized/run.sh $(SANITIZED)

# Looks for input bytes that make a parser fail: ONLY=json tests one target of tests/fuzz/all.hpp, SECONDS=60 is the
# time for each. It writes the inputs that it finds to build-fuzz; put them into tests/fuzz/corpus together with the
# repair.
FUZZED := safetensors gguf config tokenizer trace checkpoint corpus json gbnf regex schema command_line chat template
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz CXX="$(if $(CLANG),$(CXX),clang++)" OPENMP= build-fuzz/fuzzer
	@for target in $(or $(ONLY),$(FUZZED)); do \
	    mkdir -p build-fuzz/corpus/$$target build-fuzz/found; echo "$$target:"; \
	    sh tests/fuzz/words.sh $$target >build-fuzz/$$target.words; \
	    TBT_FUZZ=$$target build-fuzz/fuzzer build-fuzz/corpus/$$target tests/fuzz/corpus/$$target \
	        -max_total_time=$(or $(SECONDS),60) -dict=build-fuzz/$$target.words -timeout=60 \
	        -rss_limit_mb=4096 -max_len=4096 -close_fd_mask=3 -print_final_stats=1 \
	        -artifact_prefix=build-fuzz/found/$$target- \
	        >build-fuzz/$$target.log 2>&1; status=$$?; \
	    grep -e "^stat::number_of_executed" -e "SUMMARY" build-fuzz/$$target.log; \
	    [ $$status -eq 0 ] || { tail -n 30 build-fuzz/$$target.log; exit 1; }; done
ifeq ($(MODE),fuzz)
$(BUILD)/fuzzer: $(BUILD)/obj/tests/fuzz/fuzzer.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(whole) $(LINK) -fsanitize=fuzzer $^ $(LIBS) -o NEW
endif

# ---- lessons and planted bugs -----------------------------------------------------------------------------
# Checks that outputs and code excerpts in the lessons are still what the programs print and what the files say.
# UPDATE=1 rewrites the outputs.
.PHONY: lessons mutants
lessons: all
	@failed=0; sh tests/lessons.sh $(if $(UPDATE),update,check) || failed=1; \
	sh tests/why.sh $(BUILD) $(if $(UPDATE),update) || failed=1; \
	sh tests/pages.sh $(BUILD) || failed=1; exit $$failed
# Puts well-known bugs into the code, one at a time, and checks that the tests notice them (ONLY=sampling: one list).
# ONLY=random SEED=1 COUNT=100 plants small random mistakes instead, and tries each on the tests of its chapter.
comma := ,
with_commas = $(subst $(space),$(comma),$(strip $(1)))
for_random_mutants = CXX="$(CXX)" SOURCE_FLAGS="$(CXXFLAGS_ALL) -O1 -g0 $(with_std)" \
	MAIN="$(BUILD)/obj/tests/main.o" TEST_FLAGS="$(CXX) $(test_options)" \
	SEED="$(SEED)" COUNT="$(COUNT)" PLACE="$(PLACE)" FILES="$(FILES)" SHOW="$(SHOW)" LIMIT="$(LIMIT)" TRUST="$(TRUST)" \
	MAKE="$(MAKE_COMMAND)" \
	OBJECTS="$(foreach g,$(TEST_GROUPS),$(g):$(call with_commas,$(call rooms_of,$(g))))"
mutants: $(LIBRARY) $(SERVER) $(CHECK_PARTS)
	@$(for_exercises) LIBRARY="$(SERVER) $(LIBRARY)" LIBS="$(LIBS) $(HTTP_LIBS) $(CATCH_LIBS)" \
	    $(if $(filter random,$(ONLY)),$(for_random_mutants) \
	    sh tests/mutants/random.sh,sh tests/mutants/run.sh $(ONLY))
