# make test: each group of tests is a program, such as BUILD/tests-03, which runs as soon as it is built, while others
# are still compiled. Its output is kept in BUILD/ran.N (N: the number of this make's process, so that two of them do
# not mix theirs), and in BUILD/ran when tests/total.sh has added up the results. Besides the groups there are scripts
# (tests/*.sh) that test the programs.

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
# Rooms of a dozen files (tests/room.sh): $(call rooms,NAME,FILES) are their objects, and make_rooms the rules for them.
# The tests of exercises are compiled twice, with the solutions and with the learner's files, whose warnings are kept.
room = $(BUILD)/obj/rooms/$(1)-$(words $(2)).o
rooms = $(call room,$(1),$(2)) $(if $(word 13,$(2)),$(call rooms,$(1),$(wordlist 13,999,$(2))))
define make_rooms
$(call room,$(1),$(2)): $(wordlist 1,12,$(2))
$(if $(word 13,$(2)),$(call make_rooms,$(1),$(wordlist 13,999,$(2))))
endef
$(BUILD)/obj/rooms/%.o: tests/room.sh $(TEST_HEADER).gch $(FLAGS) | $(TEST_PACKAGES)
	$(call say,CXX,"$(dir $(firstword $(filter tests/%.cpp,$^)))*.cpp")
	$(Q)sh tests/room.sh $@ "$(CXX) $(test_options) $(if $(filter solutions-% exercises-%,$*),-I$(firstword \
	    $(subst -, ,$*)))" $(filter tests/%.cpp,$^)
$(BUILD)/obj/tests/%.o: tests/%.cpp $(TEST_HEADER).gch $(FLAGS) | $(TEST_PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(whole) $(CXX) $(test_options) -c $< $(to_object)
# These two contain Catch's own implementation, so they include its header in their own way.
$(BUILD)/obj/tests/main.o $(BUILD)/obj/tests/exercises/report.o: $(BUILD)/obj/%.o: %.cpp $(FLAGS) | $(TEST_PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(whole) $(CXX) $(TEST_FLAGS) -c $< $(to_object)

# ---- linking ----------------------------------------------------------------------------------------------
GROUPS_OF_CHAPTERS := $(notdir $(wildcard tests/chapters/*))
TEST_GROUPS := lib golden api bits serving fuzz $(GROUPS_OF_CHAPTERS)
tests_of = $(if $(filter $(1),$(GROUPS_OF_CHAPTERS)),$(wildcard tests/chapters/$(1)/*.cpp),$(if $(filter fuzz,$(1)),\
	tests/fuzz/models.cpp tests/fuzz/replay.cpp,$(wildcard tests/$(1)/*.cpp)))
rooms_of = $(call rooms,$(1),$(call tests_of,$(1)))
$(foreach group,$(TEST_GROUPS),$(eval $(call make_rooms,$(group),$(call tests_of,$(group)))) \
	$(eval $(BUILD)/tests-$(group): $(call rooms_of,$(group)) $(BUILD)/obj/tests/main.o $(call object,$(NEEDS_$(group)))))
# These files are linked to the tests of an exercise. They limit time and memory, and write the messages of failures.
WITNESSES := $(call object,$(filter-out tests/exercises/ex%,$(wildcard tests/exercises/*.cpp)))
EXERCISE_TESTS := $(wildcard tests/exercises/ex*.cpp)
$(foreach from,solutions exercises,$(eval $(call make_rooms,$(from),$(EXERCISE_TESTS))) \
	$(eval $(BUILD)/tests-$(from): $(call rooms,$(from),$(EXERCISE_TESTS)) $(BUILD)/obj/tests/main.o $(WITNESSES) \
	$(SERVER) $(LIBRARY)))
TEST_PROGRAMS := $(patsubst %,$(BUILD)/tests-%,$(TEST_GROUPS) solutions exercises)
# Catch2 3 has a library; Catch2 2 is a header.
CATCH_LIBS = $(if $(shell printf '$(HASH)include <catch2/catch_all.hpp>\n' | \
	$(CXX) $(COMMON) -MF /dev/null -x c++ -E - >/dev/null 2>&1 && echo 3),-lCatch2)
$(TEST_PROGRAMS):
	$(call say,LINK,$@)
	$(Q)$(whole) $(LINK) $^ $(LIBS) $(http_libs) $(CATCH_LIBS) -o NEW

# ---- running ----------------------------------------------------------------------------------------------
# The groups that take longest begin first.
SLOW := lib 14 16 18 19 20 21
# ONLY=03 or ONLY=lib runs one group of tests, ONLY="03 06" several.
ONLY_GROUPS := $(foreach o,$(ONLY),$(filter $(o) $(firstword $(subst _, ,$(o:ch%=%))),$(TEST_GROUPS)))
SCRIPTS := refusals learn parity syntax build structure mpi
PARTS := $(if $(ONLY),$(ONLY_GROUPS),$(SLOW) $(sort $(filter-out $(SLOW),$(TEST_GROUPS))) solutions stubs $(SCRIPTS))
.PHONY: test test-begins $(PARTS:%=ran-%)
test: test-begins $(PARTS:%=ran-%)
	@$(if $(PARTS),,echo "make: ONLY=$(ONLY): there are no such tests; there are: $(sort $(TEST_GROUPS))" >&2; exit 2)
	@sh tests/total.sh $(RAN) $(PARTS)
RAN := $(BUILD)/ran.$(shell echo $$PPID)
test-begins:
	@for ran in $(BUILD)/ran.*; do kill -0 "$${ran##*.}" 2>/dev/null || rm -rf "$$ran"; done
	@mkdir -p $(RAN) && date +%s > $(RAN)/.begin
# Runs $(1) as one part of the tests, keeps its output, and shows it with the part's name.
part = @sh tests/part.sh $(RAN) $(@:ran-%=%) $(1)
$(patsubst %,ran-%,$(TEST_GROUPS) solutions): ran-%: $(BUILD)/tests-% | test-begins
	$(call part,$(EMULATOR) $<)
# These tests need the server's program, too.
ran-serving: export TBT_SERVE := $(BUILD)/serve
ran-serving: $(BUILD)/serve
ran-stubs: $(BUILD)/tests-exercises | test-begins
	@cat $(BUILD)/obj/rooms/exercises-*.log > $(BUILD)/stubs.log
	$(call part,sh tests/exercises/stubs.sh $< $(BUILD)/stubs.log)
ran-refusals ran-parity ran-mpi: all | test-begins
	$(call part,sh tests/$(@:ran-%=%).sh $(BUILD))
ran-learn: all | test-begins
	$(call part,env LEARN_MAKE='$(LEARN_MAKE)' sh tests/learn.sh $(BUILD) lines)
ran-syntax: | test-begins
	$(call part,env CXX="$(CXX)" sh tests/syntax.sh)
ran-build ran-structure: | test-begins
	$(call part,sh tests/$(@:ran-%=%).sh)

.PHONY: structure tidy
# Checks only the project's rules: what may include what, lengths, layout.
structure:
	@sh tests/structure.sh
# Finds mistakes and waste with clang-tidy (minutes); .clang-tidy lists its checks.
tidy:
	@git ls-files 'lib/*.cpp' 'chapters/*.cpp' | xargs -P $$(getconf _NPROCESSORS_ONLN) -I FILE \
	    clang-tidy --quiet FILE -- $$(cat compile_flags.txt) $(OPENMP)
