# From .cpp files to programs. Each .cpp file is compiled once, by itself. A program is its main file with the .cpp
# files of the headers that it includes, directly or through others; nothing else is compiled for it.

# NEEDS_MAIN and NEEDS_GROUP are the .cpp files of a program and of a group of tests.
NEEDS := $(BUILD)/.needs.mk
CANNOT := $(shell mkdir -p $(BUILD) 2>/dev/null; \
	sh lib/build/whole.sh $(NEEDS) sh -c 'sh lib/build/needs.sh >"$$1"' sh NEW 2>/dev/null || [ -f $(NEEDS) ] || echo 1)
$(if $(CANNOT),$(error $(NOT_WRITABLE)))
include $(NEEDS)
object = $(patsubst %.cpp,$(BUILD)/obj/%.o,$(1))
CHAPTERS := $(patsubst chapters/%/main.cpp,%,$(sort $(wildcard chapters/*/main.cpp)))
# A chapter's main.cpp is its program; NAME_main.cpp is a program called NAME.
MAINS := $(sort $(wildcard chapters/*/*main.cpp chapters/*/*/*main.cpp))
program_of = $(notdir $(if $(filter %/main.cpp,$(1)),$(1:%/main.cpp=%),$(1:%_main.cpp=%)))
PROGRAMS := $(foreach main,$(MAINS),$(call program_of,$(main)))
$(foreach main,$(MAINS),$(eval $(BUILD)/$(call program_of,$(main)): $(call object,$(NEEDS_$(main)))))
# Programs for several processes (chapter 28). They are built where they are asked for, or where Open MPI is.
MPI_PROGRAMS := 28_several_machines mpi_serve mpi_train
HAS_MPI := $(shell command -v mpicxx 2>/dev/null)
MPI_OBJECTS := $(call object,$(wildcard lib/mpi/*.cpp))
$(MPI_OBJECTS): | $(BUILD)/.packages-mpi
$(MPI_OBJECTS): LIBRARY_LACKS = $(shell mpicxx --showme:compile)
mpi_libs = $(if $(filter $(MPI_OBJECTS),$^),$(shell mpicxx --showme:link))
# All of lib and the chapters; what belongs to the server is apart, since it needs a library of its own.
LIBRARY := $(BUILD)/library.a
SERVER := $(BUILD)/server.a
SERVER_FILES := $(filter-out %main.cpp,$(wildcard chapters/26_serving/server/*.cpp))
$(SERVER): $(call object,$(SERVER_FILES))
$(LIBRARY): $(call object,$(filter-out %main.cpp lib/kernels/wasm/% lib/mpi/% $(SERVER_FILES),\
	$(wildcard lib/*/*.cpp lib/*/*/*.cpp chapters/*/*.cpp chapters/*/*/*.cpp)))
TOOLS := $(filter-out $(CHAPTERS),$(PROGRAMS))

# The headers that each object was compiled from, recorded by the compiler.
-include $(shell find $(BUILD)/obj $(BUILD)/pch -name '*.d' 2>/dev/null)

# ---- packages ---------------------------------------------------------------------------------------------
# Checked once for each build folder. The system's package manager installs missing packages, and a line says so.
PACKAGES := $(BUILD)/.packages-run
install = CXX="$(CXX)" CXXFLAGS="$(COMMON) $(CXXFLAGS)" NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh
$(BUILD)/.packages-%: lib/install_packages.sh | $(FLAGS)
	@$(if $(filter wasm,$(MODE)),CXX="$(HOST_CXX)" CXXFLAGS=-MMD \
	    NO_INSTALL="$(NO_INSTALL)" sh lib/install_packages.sh wasm,$(install) $*)
	@touch $@
$(call object,$(wildcard chapters/26_serving/server/*.cpp)): | $(BUILD)/.packages-serve

# ---- objects, archives, programs --------------------------------------------------------------------------
# What most files include of the standard library is read once: $(BUILD)/pch/std.hpp.gch. $(1): flags
define precompile
	@mkdir -p $(@D) && sh lib/build/whole.sh $(@:.gch=) cp $< NEW
	$(call say,PCH,$<)
	$(Q)$(whole) $(CXX) $(1) -x c++-header $< $(to_object)
endef
$(BUILD)/pch/std.hpp.gch: lib/build/std.hpp $(FLAGS) | $(PACKAGES)
	$(call precompile,$(CXXFLAGS_ALL))
with_std = -include $(BUILD)/pch/std.hpp
# What only reads, shows or answers is compiled at -O1, in two thirds of the time.
LEVEL_1 := lib/machine/% lib/show/% lib/files/% lib/chat/% lib/serve/% chapters/10_% chapters/13_% chapters/14_% \
	chapters/16_% chapters/2% $(wildcard $(addprefix chapters/*/,main.cpp demo.cpp options.cpp tools/*.cpp))
# What computes is compiled at -O3: at -O2 the sums of a matrix product leave their registers, at half the speed. It is
# compiled without the precompiled header, in which g++ keeps the level that this was compiled at.
LEVEL_3 := lib/core/% lib/select/% lib/kernels/% lib/quantized/% lib/model/% lib/train/% tests/bench/limits.cpp
level = $(if $(filter-out release,$(MODE)),$(with_std),$(if $(filter $(LEVEL_3),$<),-O3,\
	$(if $(filter $(LEVEL_1),$<),-O1) $(with_std)))
$(BUILD)/obj/%.o: %.cpp $(BUILD)/pch/std.hpp.gch $(FLAGS) | $(PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(whole) $(CXX) $(CXXFLAGS_ALL) $(level) $(LIBRARY_LACKS) -c $< $(to_object)
$(LIBRARY) $(SERVER):
	$(Q)$(whole) ar rcs NEW $^
# cpp-httplib is a compiled library on some systems, and only a header on others.
HTTP_LIBS = $(shell pkg-config --libs cpp-httplib 2>/dev/null) -lpthread
http_libs = $(if $(filter $(SERVER) $(BUILD)/obj/chapters/26_serving/server/%,$^),$(HTTP_LIBS))
$(PROGRAMS:%=$(BUILD)/%) $(BUILD)/learn:
	$(call say,LINK,$@)
	$(Q)$(whole) $(LINK) $^ $(LIBS) $(http_libs) $(mpi_libs) -o NEW
# The screen of make learn.
$(BUILD)/learn: $(call object,$(NEEDS_learn))

.PHONY: all tools $(TOOLS:%=%-tool)
all: $(patsubst %,$(BUILD)/%,$(filter-out $(if $(HAS_MPI),,$(MPI_PROGRAMS)),$(PROGRAMS))) $(BUILD)/learn
tools: $(TOOLS:%=$(BUILD)/%)
$(TOOLS:%=%-tool): %-tool: $(BUILD)/%
