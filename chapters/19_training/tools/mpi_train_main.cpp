// Chapter 19's build/train on several processes: mpirun -n 4 build/mpi_train --out … Each runs some
// of the parts of a batch. The weights are those of build/train with the same --parts, to the bit,
// and so are the checkpoints: --resume may go on with another number of processes.
#include "chapters/19_training/tools/train_program.hpp"
#include "lib/mpi/mpi_processes.hpp"

int main(int argc, char** argv) {
    tbt::MpiProcesses processes(argc, argv);
    if (processes.size() > 1) tbt::set_default_processes(&processes);
    return processes.end(tbt::train_program(argc, argv));
}
