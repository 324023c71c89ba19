# make test: each group of tests is a program, such as BUILD/tests-03, which runs as soon as it is built, while others
# are still compiled. Its output is kept in BUILD/ran, and tests/total.sh adds up the results. Besides the groups there
# are scripts (tests/*.sh) that test the programs.

# ---- compiling --------------------------------------------------------------------------------------------
# Tests are compiled at -O0: they run once, and optimising them would take longer than it saves. Most of a test file's
# compile time is the Catch2 header, so it is precompiled.
TEST_FLAGS = $(CXXFLAGS_ALL) -O0 -Wno-sign-conversion -D_GLIBCXX_ASSERTIONS
TEST_HEADER := $(BUILD)/pch/catch.hpp
TEST_PACKAGES := $(BUILD)/.packages-test
$(TEST_HEADER).gch: tests/catch.hpp $(FLAGS) | $(TEST_PACKAGES)
	$(call precompile,$(TEST_FLAGS))
# The options to compile a test (make check, make mutants).
test_options = $(TEST_FLAGS) -include $(TEST_HEADER)
define compile_test
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(test_options) $(1) -c $< -o $@
endef
$(BUILD)/obj/tests/%.o: tests/%.cpp $(TEST_HEADER).gch $(FLAGS) | $(TEST_PACKAGES)
	$(call compile_test)
# The tests of exercises are compiled twice, with the solutions and with the learner's files, whose warnings are kept.
$(BUILD)/obj/solutions/%.o: tests/exercises/%.cpp $(TEST_HEADER).gch $(FLAGS) | $(TEST_PACKAGES)
	$(call compile_test,-Isolutions)
$(BUILD)/obj/exercises/ex%.o: tests/exercises/ex%.cpp $(TEST_HEADER).gch $(FLAGS) | $(TEST_PACKAGES)
	$(call compile_test,-Iexercises 2>$@.log || { cat $@.log >&2; exit 1; }; true)
# These two contain Catch's own implementation, so they include its header in their own way.
$(BUILD)/obj/tests/main.o $(BUILD)/obj/tests/exercises/report.o: $(BUILD)/obj/%.o: %.cpp $(FLAGS) | $(TEST_PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(TEST_FLAGS) -c $< -o $@

# ---- linking ----------------------------------------------------------------------------------------------
GROUPS_OF_CHAPTERS := $(notdir $(wildcard tests/chapters/*))
TEST_GROUPS := lib golden api bits serving fuzz $(GROUPS_OF_CHAPTERS)
tests_of = $(if $(filter $(1),$(GROUPS_OF_CHAPTERS)),$(wildcard tests/chapters/$(1)/*.cpp),$(if $(filter fuzz,$(1)),\
	tests/fuzz/replay.cpp,$(wildcard tests/$(1)/*.cpp)))
$(foreach group,$(TEST_GROUPS),$(eval $(BUILD)/tests-$(group): $(call object,$(call tests_of,$(group))) \
	$(BUILD)/obj/tests/main.o $(call archives,tests-$(group))))
# These files are linked to the tests of an exercise. They limit time and memory, and write the messages of failures.
WITNESSES := $(call object,$(filter-out tests/exercises/ex%,$(wildcard tests/exercises/*.cpp)))
EXERCISE_TESTS := $(notdir $(wildcard tests/exercises/ex*.cpp))
$(foreach from,solutions exercises,$(eval $(BUILD)/tests-$(from): $(EXERCISE_TESTS:%.cpp=$(BUILD)/obj/$(from)/%.o) \
	$(BUILD)/obj/tests/main.o $(WITNESSES) $(SERVER) $(LIBRARY)))
TEST_PROGRAMS := $(patsubst %,$(BUILD)/tests-%,$(TEST_GROUPS) solutions exercises)
# Catch2 3 has a library; Catch2 2 is a header.
CATCH_LIBS = $(if $(shell printf '$(HASH)include <catch2/catch_all.hpp>\n' | \
	$(CXX) $(COMMON) -MF /dev/null -x c++ -E - >/dev/null 2>&1 && echo 3),-lCatch2)
$(TEST_PROGRAMS):
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) $(http_libs) $(CATCH_LIBS) -o $@

# ---- running ----------------------------------------------------------------------------------------------
# The groups that take longest begin first.
SLOW := lib 14 16 18 19 20 21
# ONLY=03 or ONLY=lib runs one group of tests, ONLY="03 06" several.
ONLY_GROUPS := $(foreach o,$(ONLY),$(filter $(o) $(firstword $(subst _, ,$(o:ch%=%))),$(TEST_GROUPS)))
SCRIPTS := refusals learn parity syntax structure
PARTS := $(if $(ONLY),$(ONLY_GROUPS),$(SLOW) $(sort $(filter-out $(SLOW),$(TEST_GROUPS))) solutions stubs $(SCRIPTS))
.PHONY: test test-begins $(PARTS:%=ran-%)
test: test-begins $(PARTS:%=ran-%)
	@$(if $(PARTS),,echo "make: ONLY=$(ONLY): there are no such tests; there are: $(sort $(TEST_GROUPS))" >&2; exit 2)
	@sh tests/total.sh $(BUILD)/ran $(PARTS)
test-begins:
	@mkdir -p $(BUILD)/ran && date +%s > $(BUILD)/ran/.begin
# Runs $(1) as one part of the tests, keeps its output, and shows it with the part's name.
part = @sh tests/part.sh $(BUILD)/ran $(@:ran-%=%) $(1)
$(patsubst %,ran-%,$(TEST_GROUPS) solutions): ran-%: $(BUILD)/tests-% | test-begins
	$(call part,$(EMULATOR) $<)
# These tests need the server's program, too.
ran-serving: export TBT_SERVE := $(BUILD)/serve
ran-serving: $(BUILD)/serve
ran-stubs: $(BUILD)/tests-exercises | test-begins
	@cat $(BUILD)/obj/exercises/*.log > $(BUILD)/stubs.log
	$(call part,sh tests/exercises/stubs.sh $< $(BUILD)/stubs.log)
ran-refusals ran-parity: all | test-begins
	$(call part,sh tests/$(@:ran-%=%).sh $(BUILD))
ran-learn: all | test-begins
	$(call part,env LEARN_MAKE='$(LEARN_MAKE)' sh tests/learn.sh $(BUILD) lines)
ran-syntax: | test-begins
	$(call part,env CXX="$(CXX)" sh tests/syntax.sh)
ran-structure: | test-begins
	$(call part,sh tests/structure.sh)

.PHONY: structure tidy
# Checks only the project's rules: what may include what, lengths, layout.
structure:
	@sh tests/structure.sh
# Finds mistakes and waste with clang-tidy (minutes); .clang-tidy lists its checks.
tidy:
	@git ls-files 'lib/*.cpp' 'chapters/*.cpp' | xargs -P $$(getconf _NPROCESSORS_ONLN) -I FILE \
	    clang-tidy --quiet FILE -- $$(cat compile_flags.txt) $(OPENMP)
