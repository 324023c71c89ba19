# For learners: make learn, make check EX=05_2 and so on. exercises/exercise.sh does the work. make tells it the
# compiler, and builds only what the exercise is linked with: the .cpp files of what its test includes
# (needs.sh).

.PHONY: learn check hint solution try watch reset progress next test-learn mine
# The screen runs its checks by another make, with the settings of this one.
LEARN_MAKE = $(MAKE_COMMAND) --no-print-directory MODE=$(MODE) ARCH=$(ARCH) BUILD=$(BUILD) CXX="$(CXX)" \
	NO_INSTALL=$(NO_INSTALL)
# The screen starts at once. Meanwhile the first check builds the library.
learn: $(BUILD)/learn | $(TEST_PACKAGES)
	@name=; [ -z "$(EX)" ] || name=$$(sh exercises/exercise.sh find "$(EX)") || exit 2; \
	LEARN_MAKE='$(LEARN_MAKE)' $< $$name

EX_NAME := $(if $(EX),$(shell sh exercises/exercise.sh find "$(EX)" 2>/dev/null))
EX_TEST := $(if $(EX_NAME),$(wildcard tests/exercises/ex$(EX_NAME).cpp))
# If EX is not the number of an exercise, nothing is built, and exercise.sh prints a message.
EX_UNKNOWN := $(and $(EX),$(if $(EX_NAME),,yes))
# It is linked with what its tests include, or with what make try shows of it.
EX_SOURCE = $(if $(filter try,$(MAKECMDGOALS)),exercises/$(EX_NAME)_try.cpp,tests/exercises/ex$(EX_NAME).cpp)
EX_OBJECTS := $(if $(EX_UNKNOWN),,$(if $(EX_TEST),$(call object,$(shell sh lib/build/needs.sh \
	$(EX_SOURCE) solutions/$(EX_NAME).hpp)),$(LIBRARY)))
# Every check needs these files.
CHECK_PARTS := $(BUILD)/obj/tests/main.o $(WITNESSES) $(TEST_HEADER).gch
# tests/exercises/trace.cpp records each throw. With these options the standard library's throws call it, too.
EXPORT := $(if $(filter Linux,$(UNAME_S)),-rdynamic -ldl)
for_exercises = BUILD="$(BUILD)" COMPILE_TEST="$(CXX) $(test_options)" COMPILE="$(CXX) $(CXXFLAGS_ALL)" LINK="$(LINK)" \
	WITNESSES="$(WITNESSES)" LIBS="$(LIBS) $(CATCH_LIBS)" EXPORT="$(EXPORT)"
check watch: $(if $(EX_UNKNOWN),,$(CHECK_PARTS))
check watch try: $(EX_OBJECTS)
check hint solution try watch reset progress next:
	@$(for_exercises) FEW_ERRORS="$(if $(CLANG),-ferror-limit=3,-fmax-errors=3)" LIBRARY="$(EX_OBJECTS)" \
	    LEVEL="$(LEVEL)" FORCE="$(FORCE)" SOLUTION="$(SOLUTION)" ARGS="$(ARGS)" sh exercises/exercise.sh $@ "$(EX)"

# The generator of the learner's own functions (MINE=solutions: of ours, for the tests).
mine: $(call object,$(NEEDS_exercises/my_generator_main.cpp))
	@$(CXX) $(CXXFLAGS_ALL) -MF $(BUILD)/mine.d -O1 -I$(or $(MINE),exercises) \
	    exercises/my_generator_main.cpp $^ $(LIBS) -o $(BUILD)/mine
	@$(BUILD)/mine $(if $(PROMPT),"$$PROMPT") $(ARGS)

# Tests make learn in a terminal, and the messages after crashes of learners' code (minutes).
test-learn: $(BUILD)/learn $(CHECK_PARTS)
	@failed=0; for t in tests/learn.sh tests/exercises/crashes.sh; do \
	    LEARN_MAKE='$(LEARN_MAKE)' sh $$t $(BUILD) || failed=1; done; exit $$failed
