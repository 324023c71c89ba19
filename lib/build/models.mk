# The models: train those that ship, measure a model, put a trained model in the place of one that ships. A recipe makes
# each of them in a folder of build/models, never in data/models; make clean keeps that folder. Ctrl-C stops a training,
# and the same command continues it. Storyteller and sketch take two runs each. The first runs read the corpus with its
# own shares. Then, by the recipes beside the models, the storyteller reads more of what is hardest (sums, questions
# about records, talk), and the sketch learns the distribution of the finished storyteller.

FIRST_RECIPE := --layers 6 --heads 6 --embd 192 --batch 8 --steps 15000 --warmup 200 --lr 0.002 \
	--precision bf16 --emulate-bf16 --parts 4
FIRST_SKETCH_RECIPE := --layers 2 --heads 3 --embd 96 --batch 8 --steps 4500 --warmup 200 --lr 0.003 \
	--precision bf16 --emulate-bf16 --parts 4
MEDUSA_RECIPE := --heads 3 --inner 256 --draft-vocab 2048 --batch 4 --sequence 256 --steps 5000 --warmup 100 \
	--lr 0.004 --parts 4
TRAINED := build/models
FIRST := $(TRAINED)/first
STORYTELLER := $(TRAINED)/storyteller
MEDUSA := $(TRAINED)/medusa
FIRST_SKETCH := $(TRAINED)/first-sketch
SKETCH := $(TRAINED)/sketch
DIFFUSION := $(TRAINED)/diffusion
resume = $(if $(wildcard $(1)/checkpoint),--resume) $(ARGS)
by_recipe = --recipe data/models/$(notdir $(1))/recipe.json --out $(1) $(call resume,$(1))

.PHONY: train train-first train-first-sketch train-storyteller train-sketch train-diffusion train-medusa
train: train-sketch
train-first: $(BUILD)/train
	$(if $(wildcard $(FIRST)/checkpoint),,$< tokenizer --out $(FIRST))
	$< --tokenizer $(FIRST) --out $(FIRST) --f16 $(FIRST_RECIPE) $(call resume,$(FIRST))
train-storyteller: train-first
	$(BUILD)/train $(call by_recipe,$(STORYTELLER))
train-first-sketch: train-first
	$(BUILD)/train --tokenizer $(FIRST) --teacher $(FIRST) --out $(FIRST_SKETCH) --f16 $(FIRST_SKETCH_RECIPE) \
	    $(call resume,$(FIRST_SKETCH))
train-sketch: train-storyteller train-first-sketch
	$(BUILD)/train $(call by_recipe,$(SKETCH))
# The next storyteller, trained on today's corpus and the simulated world together: data/corpus/world/README.md. The
# pilot trains the same shape on today's corpus and on both, for as many tokens, and prints each genre's gap to its
# floor (PILOT="--steps 300"). The whole training took 7.4 hours. Its first 2,000 steps read an older state of the
# corpus; that model is in this repository's history, and the recipe in data/voice continues from it.
VOICE := $(TRAINED)/voice
VOICE_BEGUN := $(TRAINED)/voice-begun
VOICE_BEGUN_COMMIT := 97e32915
VOICE_SHARES = $$(grep -v '^\#' data/corpus/world/voice.shares | tr -d '\n')
VOICE_CORPUS = --corpus data/corpus,data/corpus/world --genres "$(VOICE_SHARES)"
PILOT := --batch 8 --steps 400 --warmup 40 --lr 0.002 --parts 4
.PHONY: train-voice train-voice-pilot
train-voice: $(BUILD)/train
	$(Q)mkdir -p $(VOICE_BEGUN)
	$(Q)git archive $(VOICE_BEGUN_COMMIT) data/voice | tar -x -C $(VOICE_BEGUN) --strip-components=2
	$< --recipe data/voice/recipe.json --out $(VOICE) $(call resume,$(VOICE))
train-voice-pilot: $(BUILD)/train
	$< --out $(TRAINED)/pilot-today $(PILOT) $(call resume,$(TRAINED)/pilot-today)
	$< --out $(TRAINED)/pilot-voice $(VOICE_CORPUS) $(PILOT) $(call resume,$(TRAINED)/pilot-voice)
	$< eval $(TRAINED)/pilot-today
	$< eval $(TRAINED)/pilot-voice $(VOICE_CORPUS)
# Chapter 22's model, which fills in masks. It uses the storyteller's tokenizer.
train-diffusion: $(BUILD)/train
	$< --tokenizer data/models/storyteller $(call by_recipe,$(DIFFUSION))
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
