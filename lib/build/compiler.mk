# The compiler and its flags. From MODE, ARCH, CXX, OPENMP, CXXFLAGS and LDFLAGS this file makes CXXFLAGS_ALL (to
# compile) and LINK with LIBS (to link). When they change, everything is built again (FLAGS).

ifeq ($(origin CXX),default)
CXX := $(if $(shell command -v g++ 2>/dev/null),g++,clang++)
endif
# MODE=wasm: chapter 23's program for browsers, compiled by emscripten (make page), without threads.
ifeq ($(MODE),wasm)
HOST_CXX := $(CXX)
override CXX := em++
OPENMP :=
LIBRARY_LACKS := -include lib/machine/wasm_library.hpp
endif

FACTS := $(shell sh lib/build/facts.sh "$(CXX)" $(BUILD))
UNAME_S := $(word 1,$(FACTS))
UNAME_M := $(word 2,$(FACTS))
CLANG := $(filter clang,$(FACTS))
# The number of jobs, unless the command line has one (make -j1).
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(word 3,$(FACTS))
endif

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-psabi
# gcc 12 warns about uninitialised reads in its own AVX-512 intrinsics (gcc bug 105593), and
# about the bounds of "text" + string.
WARNINGS += $(if $(CLANG),,-Wno-maybe-uninitialized -Wno-uninitialized -Wno-array-bounds \
	-Wno-stringop-overflow)
# Floating point as written: no contraction, no reassociation; fused multiply-adds are spelled out in the code.
COMMON := -std=c++20 $(WARNINGS) -ffp-contract=off -I. -MMD -MP
ifeq ($(MODE),wasm)
WASM_EXCEPTIONS := -fwasm-exceptions
COMMON += -Wno-shorten-64-to-32 -msimd128 $(WASM_EXCEPTIONS) -Ilib/kernels/wasm
else ifneq ($(filter arm64 aarch64,$(UNAME_M)),)
COMMON += $(if $(filter native,$(ARCH)),-mcpu=native,-march=$(ARCH))
else
COMMON += -march=$(ARCH)
endif

OPT_release := -O2
OPT_wasm := -O2
OPT_debug := -O0 -g -D_GLIBCXX_ASSERTIONS
OPT_asan := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS
OPT_tsan := -O1 -g -fsanitize=thread
OPT_fuzz := -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	-D_GLIBCXX_ASSERTIONS
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
openmp_flag = $(if $(filter openmp,$(FACTS)),-fopenmp)
endif
# OPENMP= (empty) builds without threads.
ifeq ($(origin OPENMP),undefined)
OPENMP := $(openmp_flag)
endif
# Tokenizers (lib/text) read unusual patterns with PCRE2 and compose characters with utf8proc. Without them (wasm, or
# with TEXT_LIBS= and -DTBT_NO_TEXT_LIBS) such a tokenizer is refused.
TEXT_LIBS = $(if $(filter wasm,$(MODE)),,-lpcre2-8 -lutf8proc)
LIBS += $(TEXT_LIBS)
CXXFLAGS_ALL = $(COMMON) $(OPT_$(MODE)) $(OPENMP) $(CXXFLAGS)
LINK = $(CXX) $(OPT_$(MODE)) $(OPENMP) $(LDFLAGS)
NOT_WRITABLE := $(BUILD) cannot be written; another folder can be given: make BUILD=/tmp/build
# $(whole) COMMAND builds the target as NEW, its temporary name until it is complete. $(to_object): for the compiler.
whole = sh lib/build/whole.sh $@
to_object = -MT $@ -MF NEW.deps -o NEW

# Objects depend on this file. When the flags differ from those in it, it is rewritten, and so the objects are rebuilt.
FLAGS := $(BUILD)/.flags
BUILT_WITH := $(if $(wildcard $(FLAGS)),$(shell cat $(FLAGS)))
ifneq ($(strip $(BUILT_WITH)),$(strip $(CXXFLAGS_ALL)))
$(FLAGS): force
endif
$(FLAGS):
	@mkdir -p $(@D) 2>/dev/null && [ -w $(@D) ] || \
	    { echo "make: $(NOT_WRITABLE)" >&2; exit 1; }
	@$(whole) sh -c 'echo "$$2" >"$$1"' sh NEW '$(CXXFLAGS_ALL)'
