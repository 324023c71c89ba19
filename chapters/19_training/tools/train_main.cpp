// Trains a GPT-2 or a Llama on the course's corpus or on your own text; also trains a tokenizer and
// evaluates a model.
//
//   build/train tokenizer --out build/models/mine --vocab 4096 --megabytes 32
//   build/train --tokenizer build/models/mine --out build/models/mine
//   build/train … --resume                      goes on where Ctrl-C, --minutes or a crash stopped
//                                               it, bit for bit
//   build/train --text my_folder --out build/models/mine                 your own text
//   build/train --text my_folder --init data/models/storyteller --out …  going on from a model
//   build/train --architecture llama --heads 6 --kv-heads 2 --out build/models/llama
//   build/train --recipe data/models/storyteller/recipe.json --out …     a model again, bit for bit
//   build/train eval data/models/storyteller    bits per byte of each genre beside its floor
//
// What to look for: "bits/byte" falls towards the floor, below which no model can get. On held-out
// documents, whose combinations the model has never seen, it is almost as low as on the others.
#include "chapters/19_training/tools/train_program.hpp"

int main(int argc, char** argv) { return tbt::train_program(argc, argv); }
