# From .cpp files to programs. BUILD/rules.mk says which object is made of which files, and which program of which
# objects. lib/build/rules.sh writes these rules without recipes from the names of the files and their #include lines.
# This file has the recipes.

# ---- the rules that follow from the files -----------------------------------------------------------------
CODE := $(sort $(wildcard $(addsuffix .?pp,lib/* lib/*/* lib/*/*/* chapters/*/* chapters/*/*/* \
	exercises/* exercises/*/* solutions/* tests/* tests/*/* tests/*/*/*)))
RULES := $(BUILD)/rules.mk
ifeq ($(filter help clean,$(or $(MAKECMDGOALS),help)),)
include $(RULES)
endif
# Rewritten and read again when a file has been changed, added or removed. (If two makes run at once, each writes a
# file, and the last one stays.)
ifneq ($(CODE),$(RULES_ARE_OF))
$(RULES): force
endif
$(RULES): $(CODE) Makefile $(wildcard lib/build/*)
	@mkdir -p $(@D)
	@sh lib/build/rules.sh $(BUILD) "$(COLD)" > $@.$$$$ && echo 'RULES_ARE_OF := $(CODE)' >> $@.$$$$ && mv $@.$$$$ $@

# The headers that each object was compiled from, recorded by the compiler. `make run` reads only those of its own
# program.
ifeq ($(filter-out run chat,$(MAKECMDGOALS)),)
-include $(wildcard $(RUN_OBJECTS:.o=.d) $(BUILD)/pch/*.d)
else
-include $(shell find $(BUILD)/obj $(BUILD)/pch -name '*.d' 2>/dev/null)
endif

# ---- packages ---------------------------------------------------------------------------------------------
# Checked once for each build folder. The system's package manager installs missing packages, and a line says so.
PACKAGES := $(BUILD)/.packages
TEST_PACKAGES := $(BUILD)/.packages-test
install = CXX="$(CXX)" CXXFLAGS="$(COMMON) $(CXXFLAGS)" NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh
$(PACKAGES): lib/install_packages.sh
	@mkdir -p $(@D)
ifeq ($(MODE),wasm)
	@CXX="$(HOST_CXX)" CXXFLAGS=-MMD NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh wasm $(BUILD)/include
else
	@$(install) run
endif
	@touch $@
$(TEST_PACKAGES): lib/install_packages.sh | $(PACKAGES)
	@$(install) test
	@touch $@
$(BUILD)/.packages-page $(BUILD)/.packages-serve: $(BUILD)/.packages-%: lib/install_packages.sh
	@mkdir -p $(@D)
	@$(install) $*
	@touch $@

# ---- precompiled headers ----------------------------------------------------------------------------------
# One has the headers of the standard library that most .cpp files include; the other has JSON as well, which takes
# longer than all the others. An object that has X.hpp.gch among its prerequisites is compiled with `-include X.hpp`; a
# compiler that cannot use X.hpp.gch reads X.hpp.
with_header = $(patsubst %.gch,-include %,$(filter %.gch,$^))
# $(1): flags
define precompile
	@mkdir -p $(@D) && cp $< $(@:.gch=)
	$(call say,PCH,$<)
	$(Q)$(CXX) $(1) -x c++-header $< -o $@
endef
$(BUILD)/pch/std.hpp.gch: lib/precompiled.hpp $(FLAGS) | $(PACKAGES)
	$(call precompile,$(CXXFLAGS_ALL))
$(BUILD)/pch/json.hpp.gch: lib/machine/precompiled_json.hpp $(FLAGS) | $(PACKAGES)
	$(call precompile,$(CXXFLAGS_ALL))

# ---- objects, archives, programs --------------------------------------------------------------------------
object = $(patsubst %.cpp,$(BUILD)/obj/%.o,$(1))
$(BUILD)/obj/%.o: %.cpp $(FLAGS) | $(PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) $(if $(filter $@,$(COLD_ALONE)),$(COLD)) $(with_header) $(LIBRARY_LACKS) -c $< -o $@
# Rooms: ROOM.files lists the files, so that the room is compiled again when a file is added or removed. If names in the
# files of a room collide (an error, or a warning), lib/together.sh compiles each file by itself and combines the
# objects.
room_files = $$(cat $(@:.o=.files))
$(ROOMS): $(FLAGS) lib/together.sh | $(PACKAGES)
	$(call say,CXX,"$(dir $(firstword $(filter-out $(BUILD)/%,$(filter %.cpp,$^))))*.cpp")
	$(Q)sh lib/together.sh sources $@ "$(CXX)" \
	    "$(CXXFLAGS_ALL) $(if $(findstring -O1,$@),$(COLD)) $(NO_LINES) $(with_header) $(LIBRARY_LACKS)" $(room_files)
$(SERVER_ROOMS): | $(BUILD)/.packages-serve
$(LIBRARY) $(SERVER):
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
PROGRAMS := $(CHAPTERS) $(TOOLS) learn
# cpp-httplib is a compiled library on some systems, and only a header on others.
HTTP_LIBS = $(shell pkg-config --libs cpp-httplib 2>/dev/null) -lpthread
http_libs = $(if $(filter $(SERVER),$^),$(HTTP_LIBS))
$(PROGRAMS:%=$(BUILD)/%):
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) $(http_libs) -o $@

.PHONY: all tools $(TOOLS:%=%-tool)
all: $(PROGRAMS:%=$(BUILD)/%)
tools: $(TOOLS:%=$(BUILD)/%)
$(TOOLS:%=%-tool): %-tool: $(BUILD)/%
