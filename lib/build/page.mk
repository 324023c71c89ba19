# The course as pages that open from disk, and the playground: chapter 23's program in WebAssembly and its models in one
# page. That program is built by a second make, MODE=wasm BUILD=build-wasm, with emscripten.

.PHONY: page test-wasm test-page
WASM_MAKE = $(MAKE) --no-print-directory MODE=wasm BUILD=$(BUILD)-wasm CXX="$(CXX)"
PLAYGROUNDS := $(BUILD)-wasm/playground.html $(BUILD)-wasm/playground_gaps.html
page: $(BUILD)/.packages-page
	@playgrounds="$(PLAYGROUNDS)"; \
	$(WASM_MAKE) $$playgrounds || \
	    { echo "make: the pages come without the playgrounds, which need emscripten (see above)" >&2; playgrounds=; }; \
	sh data/page/course/make.sh $(BUILD)/page $$playgrounds
# The same texts from WebAssembly, where emscripten is installed already (elsewhere it says so, and tests nothing).
test-wasm: $(BUILD)/23_text_generator
	@! command -v em++ >/dev/null || $(WASM_MAKE) $(BUILD)-wasm/text_generator.js
	@sh tests/page/wasm/rows.sh $(BUILD)-wasm && sh tests/page/wasm/run.sh $(BUILD) $(BUILD)-wasm $(COUNT)
# The page of --html in a real browser: needs node, npm and chromium, and says so where they are missing.
test-page: $(patsubst %,$(BUILD)/%,$(filter 10_% 11_% 12_% 13_% 14_% 15_% 16_% 21_% 22_% 23_%,$(CHAPTERS)))
	@sh tests/page/run.sh $(BUILD)

ifeq ($(MODE),wasm)
# The module of WebAssembly and the JavaScript that starts it: data/page/playground and tests/page/wasm call its main()
# with the words of a command line. Debian's emscripten asks for a module of node that a node from elsewhere does not
# find by itself.
WASM_LINK := -fwasm-exceptions -msimd128 -sMODULARIZE=1 -sEXPORT_NAME=tbtModule -sINVOKE_RUN=0 -sNODEJS_CATCH_EXIT=0 \
	-sNODEJS_CATCH_REJECTION=0 -sENVIRONMENT=web,worker,node -sFILESYSTEM=1 -sFORCE_FILESYSTEM=1 \
	-sEXPORTED_RUNTIME_METHODS=callMain,FS,NODEFS -lnodefs.js -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 \
	-sTOTAL_STACK=4194304
FMAF := $(BUILD)/obj/lib/kernels/wasm/fmaf.o
$(FMAF): $(BUILD)/pch/std.hpp.gch
$(BUILD)/text_generator.js: $(RUN_OBJECTS) $(FMAF)
	$(call say,LINK,$@)
	$(Q)NODE_PATH=/usr/share/nodejs $(LINK) $^ $(WASM_LINK) -o $@
$(BUILD)/playground.html $(BUILD)/playground_gaps.html: $(BUILD)/text_generator.js chapters/10_generate/page/page.cpp \
	$(wildcard data/page/*.* data/page/playground/* data/schemas/* data/models/*/*)
	@node data/page/playground/pack.mjs $< $@
endif
