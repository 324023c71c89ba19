# The course as pages that open from disk, and the playground: one page with chapter 23's program in WebAssembly and its
# models. A second make, MODE=wasm BUILD=build-wasm, builds that program with emscripten. A third one builds the module
# of the lessons' live figures, small and without exceptions: no slider causes an error, and one would stop the module.

.PHONY: page test-wasm test-page
WASM_MAKE = $(MAKE) --no-print-directory MODE=wasm BUILD=$(BUILD)-wasm CXX="$(CXX)"
LIVE_MAKE = $(MAKE) --no-print-directory MODE=wasm BUILD=$(BUILD)-live CXX="$(CXX)" OPT_wasm=-Oz WASM_EXCEPTIONS=
LIVE := $(BUILD)-live/live_data.js
live_rows = $(BUILD)/live_rows $(BUILD)-live/live.wasm --runs $(BUILD)-live
whole_live = sh lib/build/whole.sh $(LIVE) sh -c '$(live_rows) >"$$1"' sh NEW
PLAYGROUNDS := $(BUILD)-wasm/playground.html $(BUILD)-wasm/playground_gaps.html
# The playground's models have 4 bits a weight, so that a page has at most 9 MB.
PAGE_MODELS := $(patsubst %,$(BUILD)-wasm/models/%/model.safetensors,storyteller sketch)
$(PAGE_MODELS): $(BUILD)-wasm/models/%/model.safetensors: data/models/%/model.safetensors $(BUILD)/quantize
	$(Q)rm -rf $(@D) && mkdir -p $(@D) && $(BUILD)/quantize data/models/$* $(@D) --bits 4
page: $(BUILD)/.packages-page $(PAGE_MODELS) $(BUILD)/live_rows
	@rm -f $(LIVE)
	+@! $(LIVE_MAKE) $(BUILD)-live/live.wasm || $(whole_live)
	+@playgrounds="$(PLAYGROUNDS)"; \
	$(WASM_MAKE) $$playgrounds || \
	    { echo "make: the pages come without the playgrounds, which need emscripten (see above)" >&2; playgrounds=; }; \
	sh data/page/course/make.sh $(BUILD)/page $(LIVE) $$playgrounds
# Tests that WebAssembly gives the same texts. If emscripten is not installed, a line says so, and nothing is tested.
test-wasm: $(BUILD)/23_text_generator
	+@! command -v em++ >/dev/null || $(WASM_MAKE) $(BUILD)-wasm/text_generator.js
	@sh tests/page/wasm/rows.sh $(BUILD)-wasm && sh tests/page/wasm/run.sh $(BUILD) $(BUILD)-wasm $(COUNT)
# Tests the page of --html in a real browser. If node, npm or chromium is missing, a line says so.
test-page: $(BUILD)/serve \
		$(patsubst %,$(BUILD)/%,$(filter 01_% 02_% 04_% 10_% 11_% 12_% 13_% 14_% 15_% 16_% 21_% 22_% 23_%,$(CHAPTERS)))
	@sh tests/page/run.sh $(BUILD)

ifeq ($(MODE),wasm)
# The module of WebAssembly and the JavaScript that starts it: data/page/playground and tests/page/wasm call its main()
# with the words of a command line. Debian's emscripten needs a module of node that a node from elsewhere does not find
# without help.
WASM_LINK := -fwasm-exceptions -msimd128 -sMODULARIZE=1 -sEXPORT_NAME=tbtModule -sINVOKE_RUN=0 -sNODEJS_CATCH_EXIT=0 \
	-sNODEJS_CATCH_REJECTION=0 -sENVIRONMENT=web,worker,node -sFILESYSTEM=1 -sFORCE_FILESYSTEM=1 \
	-sEXPORTED_RUNTIME_METHODS=callMain,FS,NODEFS -lnodefs.js -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 \
	-sTOTAL_STACK=4194304
FMAF := $(BUILD)/obj/lib/kernels/wasm/fmaf.o
$(BUILD)/text_generator.js: $(call object,$(NEEDS_chapters/23_text_generator/main.cpp)) $(FMAF)
	$(call say,LINK,$@)
	$(Q)NODE_PATH=/usr/share/nodejs $(LINK) $^ $(WASM_LINK) -o $@
LIVE_CPP := chapters/23_text_generator/tools/live.cpp
LIVE_FUNCTIONS = $(shell grep -oE 'live_[a-z]+' $(LIVE_CPP:.cpp=.hpp) | sort -u | sed 's/^/_/')
$(BUILD)/live.wasm: $(call object,$(shell sh lib/build/needs.sh $(LIVE_CPP)))
	$(call say,LINK,$@)
	$(Q)NODE_PATH=/usr/share/nodejs $(LINK) $^ --no-entry -sSTANDALONE_WASM=1 -sALLOW_MEMORY_GROWTH=1 \
	    -sINITIAL_MEMORY=4194304 -sTOTAL_STACK=262144 \
	    -sEXPORTED_FUNCTIONS=$(subst $(space),$(comma),$(strip $(LIVE_FUNCTIONS))) -o $@
$(BUILD)/playground.html $(BUILD)/playground_gaps.html: $(BUILD)/text_generator.js chapters/10_generate/tools/page.cpp \
	$(wildcard data/page/*.* data/page/playground/* data/schemas/* data/models/*/* $(BUILD)/models/*/*)
	@mkdir -p $(@D)/new && node data/page/playground/pack.mjs $< $(@D)/new/$(@F) && mv $(@D)/new/$(@F) $@
endif
