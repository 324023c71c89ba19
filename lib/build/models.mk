# The models: train those that ship, measure a model, put a trained model in the place of one that ships. A recipe makes
# each of them in a folder of build/models, never in data/models; make clean keeps that folder. Ctrl-C stops a training,
# and the same command continues it. The storyteller took several trainings. The earlier ones read other states of the
# corpora; what they made is in this repository's history, and the recipe beside the storyteller goes on from it.

MEDUSA_RECIPE := --heads 3 --inner 256 --draft-vocab 2048 --batch 8 --sequence 256 --steps 1000 --warmup 50 \
	--lr 0.004 --parts 8
TRAINED := build/models
FIRST := $(TRAINED)/first
FIRST_COMMIT := cce25197
STORYTELLER := $(TRAINED)/storyteller
MEDUSA := $(TRAINED)/medusa
SKETCH := $(TRAINED)/sketch
DIFFUSION := $(TRAINED)/diffusion
resume = $(if $(wildcard $(1)/checkpoint),--resume) $(ARGS)
by_recipe = --recipe data/models/$(notdir $(1))/recipe.json --out $(1) $(call resume,$(1))

.PHONY: train train-first train-storyteller train-sketch train-diffusion train-medusa
train: train-sketch
train-first:
	$(Q)mkdir -p $(FIRST) && git archive $(FIRST_COMMIT) data/voice | tar -x -C $(FIRST) --strip-components=2
train-storyteller: $(BUILD)/train train-first
	$< $(call by_recipe,$(STORYTELLER))
# It learns the distribution of the finished storyteller.
train-sketch: train-storyteller
	$(BUILD)/train $(call by_recipe,$(SKETCH))
# Chapter 22's model, which fills in masks. It keeps the tokenizer of an earlier storyteller.
train-diffusion: $(BUILD)/train
	$< $(call by_recipe,$(DIFFUSION))
# Chapter 21's heads, for the storyteller that ships. Train them again when another storyteller has been adopted.
train-medusa: $(BUILD)/train_heads
	$< --out $(MEDUSA) $(MEDUSA_RECIPE) $(ARGS)

# report MODEL=DIRECTORY prints a table of what a model can do (ARGS="--json FILE --failures 3").
.PHONY: report decoders evaluate adopt
report: $(BUILD)/report
	@$< $(or $(MODEL),data/models/storyteller) $(ARGS)
decoders: $(BUILD)/decoders
	@$< $(ARGS)
evaluate: $(BUILD)/evaluate
	@test -n "$(TEXTS)" || { echo "make: which texts? TEXTS=FILE" >&2; exit 2; }
	@$< $(or $(MODEL),data/models/storyteller) $(TEXTS) $(ARGS)
# adopt MODEL=storyteller compares the trained model with the one that ships, asks (not with YES=1), and replaces the
# latter.
adopt: $(BUILD)/adopt
	@test -n "$(MODEL)" || { echo "make: which model? MODEL=storyteller or MODEL=sketch" >&2; exit 2; }
	@$< $(TRAINED)/$(MODEL) data/models/$(MODEL) $(if $(YES),--yes)
