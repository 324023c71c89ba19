# The models: train those that ship, measure a model, put a trained model in the place of one that ships. A recipe makes
# each of them in a folder of build/models, never in data/models; make clean keeps that folder. Ctrl-C stops a training,
# and the same command continues it. The storyteller's training took two runs. The first 2,000 steps read an older state
# of the corpus; that model is in this repository's history, and the recipe beside the storyteller continues from it.

MEDUSA_RECIPE := --heads 3 --inner 256 --draft-vocab 2048 --batch 8 --sequence 256 --steps 2000 --warmup 100 \
	--lr 0.004 --parts 8
TRAINED := build/models
FIRST := $(TRAINED)/first
FIRST_COMMIT := 97e32915
STORYTELLER := $(TRAINED)/storyteller
MEDUSA := $(TRAINED)/medusa
SKETCH := $(TRAINED)/sketch
VOICE := $(TRAINED)/voice
DIFFUSION := $(TRAINED)/diffusion
resume = $(if $(wildcard $(1)/checkpoint),--resume) $(ARGS)
by_recipe = --recipe data/models/$(notdir $(1))/recipe.json --out $(1) $(call resume,$(1))

.PHONY: train train-first train-storyteller train-voice train-sketch train-diffusion train-medusa
train: train-sketch
train-first:
	$(Q)mkdir -p $(FIRST) && git archive $(FIRST_COMMIT) data/voice | tar -x -C $(FIRST) --strip-components=2
train-storyteller: $(BUILD)/train train-first
	$< $(call by_recipe,$(STORYTELLER))
# The next storyteller, which also reads data/corpus/english. It goes on from data/voice, which is not finished.
train-voice: $(BUILD)/train
	$< --init data/voice --corpus data/corpus,data/corpus/world,data/corpus/english --optimizer muon \
	    --genres "$$(grep -v '^#' data/corpus/english/pilot.shares | tr -d '\n')" --out $(VOICE) --batch 16 \
	    --steps 1700 --warmup 40 --lr 0.0015 --seed 8 --documents 4 --parts 4 --f16 $(call resume,$(VOICE))
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
