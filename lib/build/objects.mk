# From .cpp files to programs. Each .cpp file is compiled once, by itself. The files of a unit (a room of lib, a
# chapter, the tools or the server of a chapter) are an archive. A program is its main file with the archives of the
# units that it includes, directly or through others; nothing else is compiled for it.

$(foreach line,$(subst $(space)+=$(space),+=,$(shell sh lib/build/uses.sh | sed 's/ += /+=/')),$(eval $(line)))

# Later rooms may include earlier ones.
ROOMS := core select machine show kernels quantized text model files chat serve grammar train corpus
CHAPTERS := $(patsubst chapters/%/main.cpp,%,$(sort $(wildcard chapters/*/main.cpp)))
PARTS_OF_CHAPTERS := $(patsubst chapters/%/,%,$(sort $(wildcard chapters/*/tools/ chapters/*/server/)))
UNITS := $(ROOMS) $(foreach chapter,$(CHAPTERS),$(chapter) $(subst /,-,$(filter $(chapter)/%,$(PARTS_OF_CHAPTERS))))
folder = $(if $(filter $(1),$(ROOMS)),lib/$(1),chapters/$(subst -,/,$(1)))
object = $(patsubst %.cpp,$(BUILD)/obj/%.o,$(1))
sources = $(filter-out %main.cpp lib/kernels/wasm/% $(call folder,$(1))/tools/% $(call folder,$(1))/server/%,\
	$(wildcard $(call folder,$(1))/*.cpp $(call folder,$(1))/*/*.cpp))
archive = $(if $(call sources,$(1)),$(BUILD)/lib$(1).a)

# What a unit reaches, and the archives for that: of the latest unit first, as the linker wants them.
visit = $(if $(filter $(1),$(SEEN)),,$(eval SEEN += $(1))$(foreach unit,$(USES_$(1)),$(call visit,$(unit))))
reach = $(eval SEEN :=)$(foreach unit,$(1),$(call visit,$(unit)))$(SEEN)
reverse = $(if $(1),$(call reverse,$(wordlist 2,999,$(1))) $(firstword $(1)))
LATEST_FIRST := $(call reverse,$(UNITS))
archives = $(foreach unit,$(filter $(call reach,$(1)),$(LATEST_FIRST)),$(call archive,$(unit)))
$(foreach unit,$(UNITS),$(eval $(call archive,$(unit)): $(call object,$(call sources,$(unit)))))
LIBRARY := $(foreach unit,$(filter-out 26_serving-server,$(LATEST_FIRST)),$(call archive,$(unit)))
SERVER := $(BUILD)/lib26_serving-server.a

# A chapter's main.cpp is its program; NAME_main.cpp is a program called NAME.
MAINS := $(sort $(wildcard chapters/*/*main.cpp chapters/*/*/*main.cpp))
unit_of = $(if $(filter tools server,$(3)),$(2)-$(3),$(2))
main_unit = $(call unit_of,$(word 1,$(1)),$(word 2,$(1)),$(word 3,$(1)))
program_of = $(notdir $(if $(filter %/main.cpp,$(1)),$(1:%/main.cpp=%),$(1:%_main.cpp=%)))
PROGRAMS := $(foreach main,$(MAINS),$(call program_of,$(main)))
$(foreach main,$(MAINS),$(eval $(BUILD)/$(call program_of,$(main)): $(call object,$(main)) \
	$(call archives,$(call main_unit,$(subst /, ,$(main))))))
TOOLS := $(filter-out $(CHAPTERS),$(PROGRAMS))

# The headers that each object was compiled from, recorded by the compiler.
-include $(shell find $(BUILD)/obj $(BUILD)/pch -name '*.d' 2>/dev/null)

# ---- packages ---------------------------------------------------------------------------------------------
# Checked once for each build folder. The system's package manager installs missing packages, and a line says so.
PACKAGES := $(BUILD)/.packages-run
install = CXX="$(CXX)" CXXFLAGS="$(COMMON) $(CXXFLAGS)" NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh
$(BUILD)/.packages-%: lib/install_packages.sh
	@mkdir -p $(@D)
	@$(if $(filter wasm,$(MODE)),CXX="$(HOST_CXX)" CXXFLAGS=-MMD NO_INSTALL="$(NO_INSTALL)" \
	    sh lib/install_packages.sh wasm $(BUILD)/include,$(install) $*)
	@touch $@
$(SERVER): | $(BUILD)/.packages-serve

# ---- objects, archives, programs --------------------------------------------------------------------------
# What most files include of the standard library is read once: $(BUILD)/pch/std.hpp.gch. $(1): flags
define precompile
	@mkdir -p $(@D) && cp $< $(@:.gch=)
	$(call say,PCH,$<)
	$(Q)$(CXX) $(1) -x c++-header $< -o $@
endef
$(BUILD)/pch/std.hpp.gch: lib/build/std.hpp $(FLAGS) | $(PACKAGES)
	$(call precompile,$(CXXFLAGS_ALL))
with_std = -include $(BUILD)/pch/std.hpp
$(BUILD)/obj/%.o: %.cpp $(BUILD)/pch/std.hpp.gch $(FLAGS) | $(PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) $(with_std) $(LIBRARY_LACKS) -c $< -o $@
$(BUILD)/lib%.a:
	$(Q)rm -f $@ && ar rcs $@ $^
# cpp-httplib is a compiled library on some systems, and only a header on others.
HTTP_LIBS = $(shell pkg-config --libs cpp-httplib 2>/dev/null) -lpthread
http_libs = $(if $(filter $(SERVER),$^),$(HTTP_LIBS))
$(PROGRAMS:%=$(BUILD)/%) $(BUILD)/learn:
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) $(http_libs) -o $@
# The screen of make learn.
LEARN := $(wildcard exercises/learn/*.cpp)
$(BUILD)/learn: $(call object,$(LEARN)) $(call archives,$(LEARN) $(LEARN:.cpp=.hpp))

.PHONY: all tools $(TOOLS:%=%-tool)
all: $(PROGRAMS:%=$(BUILD)/%) $(BUILD)/learn
tools: $(TOOLS:%=$(BUILD)/%)
$(TOOLS:%=%-tool): %-tool: $(BUILD)/%
