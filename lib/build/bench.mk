# make bench measures the limits of this machine and our share of them. If the system has OpenBLAS or oneDNN, it
# measures them too, for comparison.

has_library = $(shell printf '$(HASH)include <$(1)>\nint main(){}' | \
	$(CXX) -x c++ - -o /dev/null -l$(2) 2>/dev/null && echo 1)
OPPONENTS = $(if $(call has_library,cblas.h,openblas),-DTBT_OPENBLAS -lopenblas) \
	$(if $(call has_library,dnnl.h,dnnl),-DTBT_ONEDNN -ldnnl)
$(BUILD)/obj/tests/bench/%.o: tests/bench/%.cpp $(BUILD)/pch/std.hpp.gch $(FLAGS) | $(PACKAGES)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(whole) $(CXX) $(CXXFLAGS_ALL) $(filter -D%,$(OPPONENTS)) $(level) -c $< $(to_object)
$(BUILD)/bench: $(call object,$(wildcard tests/bench/*.cpp)) $(SERVER) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(whole) $(LINK) $^ $(filter -l%,$(OPPONENTS)) $(LIBS) $(http_libs) -o NEW
.PHONY: bench
bench: $(BUILD)/bench $(BUILD)/serve
	@TBT_SERVE=$(BUILD)/serve $(BUILD)/bench $(if $(ONLY),--only $(ONLY)) $(ARGS)
# Fills BENCHMARKS.md with the median and range of five runs (three quarters of an hour; RUNS=5).
.PHONY: figures
figures: $(BUILD)/bench $(BUILD)/serve
	@TBT_SERVE=$(BUILD)/serve sh tests/bench/figures.sh $(BUILD) $(or $(RUNS),5) $(ONLY)
