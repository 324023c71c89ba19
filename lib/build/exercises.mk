# For learners: make learn, make check EX=05_2 and so on. exercises/exercise.sh does the work; make gives it the
# compiler and builds what an exercise is linked with, no more: the archives of the chapters that its test includes
# (ARCHIVES_… in BUILD/rules.mk).

.PHONY: learn check hint solution try watch reset progress next test-learn
# The check has a make of its own, called as this one was.
LEARN_MAKE = $(MAKE_COMMAND) --no-print-directory MODE=$(MODE) ARCH=$(ARCH) BUILD=$(BUILD) CXX="$(CXX)" \
	NO_INSTALL=$(NO_INSTALL)
# The screen starts at once; the library is built meanwhile, by the first check.
learn: $(BUILD)/learn | $(TEST_PACKAGES)
	@name=; [ -z "$(EX)" ] || name=$$(sh exercises/exercise.sh find "$(EX)") || exit 2; \
	LEARN_MAKE='$(LEARN_MAKE)' $< $$name

EX_NAME := $(if $(EX),$(shell sh exercises/exercise.sh find "$(EX)" 2>/dev/null))
EX_TEST := $(if $(EX_NAME),$(wildcard tests/exercises/ex$(EX_NAME).cpp))
# Nothing is built for a number that is none, or a chapter's alone: exercise.sh says so.
EX_UNKNOWN := $(and $(EX),$(if $(EX_NAME),,yes))
EX_ARCHIVES := $(if $(EX_UNKNOWN),,$(if $(EX_TEST),\
	$(if $(filter try,$(MAKECMDGOALS)),$(ARCHIVES_try-$(EX_NAME)),$(ARCHIVES_ex$(EX_NAME))),$(LIBRARY)))
# What every check needs.
CHECK_PARTS := $(BUILD)/obj/tests/main.o $(WITNESSES) $(TEST_HEADER).gch
# The note of each throw (tests/exercises/trace.cpp) is found by the standard library's throws too.
EXPORT := $(if $(filter Linux,$(UNAME_S)),-rdynamic -ldl)
for_exercises = BUILD="$(BUILD)" COMPILE_TEST="$(CXX) $(test_options)" COMPILE="$(CXX) $(CXXFLAGS_ALL)" LINK="$(LINK)" \
	WITNESSES="$(WITNESSES)" LIBS="$(LIBS) $(CATCH_LIBS)" EXPORT="$(EXPORT)"
check watch: $(if $(EX_UNKNOWN),,$(CHECK_PARTS))
check watch try: $(EX_ARCHIVES)
check hint solution try watch reset progress next:
	@$(for_exercises) FEW_ERRORS="$(if $(CLANG),-ferror-limit=3,-fmax-errors=3)" LIBRARY="$(EX_ARCHIVES)" \
	    LEVEL="$(LEVEL)" FORCE="$(FORCE)" SOLUTION="$(SOLUTION)" ARGS="$(ARGS)" sh exercises/exercise.sh $@ "$(EX)"

# make learn in a terminal, and learners' crashes (minutes).
test-learn: $(BUILD)/learn $(CHECK_PARTS)
	@failed=0; for t in tests/learn.sh tests/exercises/crashes.sh; do \
	    LEARN_MAKE='$(LEARN_MAKE)' sh $$t $(BUILD) || failed=1; done; exit $$failed
