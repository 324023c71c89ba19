#include "lib/mpi/mpi_processes.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <unistd.h>

#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/kernels/hash.hpp"

namespace tbt {

MpiProcesses::MpiProcesses(int& argc, char**& argv) {
    // The threads of a server call MPI, too, but one at a time.
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    started_ = MPI_Wtime();
    // mpirun gives each process a terminal of its own, and passes on what it writes.
    if (std::getenv("OMPI_COMM_WORLD_SIZE")) setenv("NO_COLOR", "1", 0);
    if (rank_ == 0) return;
    if (!std::freopen("/dev/null", "w", stdout)) std::fclose(stdout);
    errors_ = dup(STDERR_FILENO);
    kept_ = std::tmpfile();
    if (kept_) dup2(fileno(kept_), STDERR_FILENO);
    else if (!std::freopen("/dev/null", "w", stderr)) std::fclose(stderr);
}

MpiProcesses::~MpiProcesses() {
    if (has_leader_ && rank_ == 0) send({});
    MPI_Finalize();
}

template <class Call>
void MpiProcesses::timed(Call&& call) {
    const double begin = MPI_Wtime();
    call();
    seconds_ += MPI_Wtime() - begin;
}

void MpiProcesses::split(std::span<const std::int64_t> firsts) {
    counts_.clear(), places_.clear();
    for (std::size_t i = 0; i + 1 < firsts.size(); ++i) {
        places_.push_back(to_int(firsts[i]));
        counts_.push_back(to_int(firsts[i + 1] - firsts[i]));
    }
}

void MpiProcesses::gather(float* matrix, std::int64_t rows, std::int64_t stride,
                          std::span<const std::int64_t> firsts) {
    split(firsts);
    ++gathers_;
    timed([&] {
        // The unit of the exchange is a column: one float of each row.
        MPI_Datatype strided, column;
        MPI_Type_vector(to_int(rows), 1, to_int(stride), MPI_FLOAT, &strided);
        MPI_Type_create_resized(strided, 0, sizeof(float), &column);
        MPI_Type_commit(&column);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, matrix, counts_.data(), places_.data(),
                       column, MPI_COMM_WORLD);
        MPI_Type_free(&column);
        MPI_Type_free(&strided);
    });
}

void MpiProcesses::scatter(float* block, std::span<const std::int64_t> firsts, int owner) {
    split(firsts);
    const auto own = index(rank_);
    timed([&] {
        if (rank_ == owner)
            MPI_Scatterv(block, counts_.data(), places_.data(), MPI_FLOAT, MPI_IN_PLACE, 0,
                         MPI_FLOAT, owner, MPI_COMM_WORLD);
        else
            MPI_Scatterv(nullptr, nullptr, nullptr, MPI_FLOAT, block + places_[own], counts_[own],
                         MPI_FLOAT, owner, MPI_COMM_WORLD);
    });
}

bool MpiProcesses::first_says(bool answer) {
    int says = answer;
    timed([&] { MPI_Bcast(&says, 1, MPI_INT, 0, MPI_COMM_WORLD); });
    return says != 0;
}

void MpiProcesses::send(std::span<const int> pass) {
    int size = count(pass);
    std::vector<int> numbers(pass.begin(), pass.end());
    timed([&] {
        MPI_Request request;  // follow() waits for it without MPI_Bcast
        MPI_Ibcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Bcast(numbers.data(), size, MPI_INT, 0, MPI_COMM_WORLD);
    });
}

void MpiProcesses::follow(const std::function<void(std::span<const int> pass)>& run) {
    // The first process says when to stop.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    for (std::vector<int> pass;;) {
        // MPI waits for a message by asking again and again. After a moment, this sleeps between.
        int size = 0, arrived = 0;
        MPI_Request request;
        MPI_Ibcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        for (const double begin = MPI_Wtime();
             MPI_Test(&request, &arrived, MPI_STATUS_IGNORE), !arrived;)
            if (MPI_Wtime() - begin > 0.002)
                std::this_thread::sleep_for(std::chrono::microseconds(200));
        pass.resize(index(size));
        MPI_Bcast(pass.data(), size, MPI_INT, 0, MPI_COMM_WORLD);
        if (pass.empty()) return;
        run(pass);
    }
}

void MpiProcesses::agree(std::uint64_t number, const char* about) {
    // The largest of the numbers and of their complements.
    std::uint64_t extremes[2] = {number, ~number};
    timed([&] { MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD); });
    if (extremes[0] != ~extremes[1])
        throw Error("mpi: the processes differ in " + std::string(about) +
                    "; start all with the same program, options and files");
}

int MpiProcesses::end(int status) {
    if (status == 0 || size_ == 1) return status;
    has_leader_ = false;  // nobody follows any more
    // Those that have failed, too, come here soon.
    int all = 0;
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (const double begin = MPI_Wtime();
         MPI_Test(&request, &all, MPI_STATUS_IGNORE), !all && MPI_Wtime() - begin < 10;)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (all) return status;
    if (kept_) {
        char line[1000] = "";
        for (std::rewind(kept_); std::fgets(line, sizeof line, kept_);) {
        }
        dprintf(errors_, "process %d: %s", rank_, line);
    }
    MPI_Abort(MPI_COMM_WORLD, status);
    return status;
}

std::string MpiProcesses::summary() const {
    const double all = MPI_Wtime() - started_;
    char text[120];
    std::snprintf(text, sizeof text, "%d processes: %.0f %% of %.2f s in MPI, in %lld gathers\n",
                  size_, 100 * seconds_ / all, all, static_cast<long long>(gathers_));
    return text;
}

void MpiProcesses::together(const std::function<void()>& work) {
    std::string message;
    bool usage = false;
    try {
        work();
    } catch (const UsageError& e) {
        message = e.what(), usage = true;
    } catch (const Error& e) {
        message = e.what();
    }
    constexpr int room = 1000;
    std::vector<char> own(room), all(index(room * size_));
    std::copy_n(message.begin(), std::min(message.size(), own.size() - 1), own.begin());
    MPI_Allgather(own.data(), room, MPI_CHAR, all.data(), room, MPI_CHAR, MPI_COMM_WORLD);
    std::vector<std::string> messages;
    for (int i = 0; i < size_; ++i) messages.emplace_back(all.data() + i * room);
    const bool same = std::all_of(messages.begin(), messages.end(),
                                  [&](const std::string& m) { return m == messages[0]; });
    if (same && usage) throw UsageError(message);
    for (int i = 0; i < size_; ++i)
        if (const std::string& m = messages[index(i)]; !m.empty())
            throw Error(same ? m : "process " + std::to_string(i) + ": " + m);
}

void MpiProcesses::check_same_model(const std::string& path) {
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    if (fs::is_directory(path))
        for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
    else files.emplace_back(path);
    std::sort(files.begin(), files.end());
    Hash hash;
    for (const fs::path& file : files) {
        if (!fs::is_regular_file(file)) continue;
        const auto size = static_cast<std::int64_t>(fs::file_size(file));
        hash.add(file.filename().string() + " " + std::to_string(size) + "\n");
        std::ifstream in(file, std::ios::binary);
        constexpr std::int64_t megabyte = std::int64_t{1} << 20;
        // A small file is read whole, of a large one 4 KB in each megabyte.
        std::string sample(size < megabyte ? index(size) : 4096, '\0');
        for (std::int64_t at = 0; at < size; at += megabyte) {
            in.seekg(at);
            in.read(sample.data(), static_cast<std::streamsize>(sample.size()));
            hash.add(std::string_view(sample).substr(0, static_cast<std::size_t>(in.gcount())));
            in.clear();
        }
    }
    agree(hash.value(), ("the files of " + path).c_str());
}

}  // namespace tbt
