// Teams of threads, and how many of them a process should have: affinity, cgroups,
// cores with two processors each.
#include "tests/catch.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include "lib/core/error.hpp"
#include "lib/machine/cgroup.hpp"
#include "lib/machine/cores.hpp"
#include "lib/machine/threads.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

// A folder that stands in front of /proc and /sys.
struct Root {
    test::TemporaryFolder folder;
    void write(const std::string& name, const std::string& content) {
        std::filesystem::create_directories(std::filesystem::path(folder.file(name)).parent_path());
        folder.write(name, content);
    }
    void topology(int processor, int package, int core) {
        const std::string path =
            "sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/";
        write(path + "physical_package_id", std::to_string(package) + "\n");
        write(path + "core_id", std::to_string(core) + "\n");
    }
    int cores(const std::vector<int>& processors) const {
        return usable_cores(processors, folder.path());
    }
};

}  // namespace

TEST_CASE("two processors of one core count as one core", "[threads]") {
    Root root;
    // Two packages, two cores each, two processors to a core.
    for (int p = 0; p < 8; ++p) root.topology(p, p / 2 % 2, p % 2);
    REQUIRE(root.cores({0, 1, 2, 3, 4, 5, 6, 7}) == 4);
    REQUIRE(root.cores({0, 4}) == 1);
    REQUIRE(root.cores({0, 1}) == 2);
    REQUIRE(root.cores({0, 2}) == 2);
    // Where nothing is known about a processor, it is a core.
    REQUIRE(root.cores({8, 9, 10}) == 3);
}

TEST_CASE("a cgroup's quota cuts the cores down, at whatever level it stands", "[threads]") {
    Root root;
    const std::vector<int> eight = {0, 1, 2, 3, 4, 5, 6, 7};
    REQUIRE(root.cores(eight) == 8);
    root.write("proc/self/cgroup", "0::/user/app\n");
    REQUIRE(root.cores(eight) == 8);
    root.write("sys/fs/cgroup/user/app/cpu.max", "max 100000\n");
    REQUIRE(cgroup_cores(root.folder.path()) == 0);
    root.write("sys/fs/cgroup/user/cpu.max", "250000 50000\n");
    REQUIRE(root.cores(eight) == 5);
    root.write("sys/fs/cgroup/user/app/cpu.max", "150000 100000\n");
    REQUIRE(cgroup_cores(root.folder.path()) == 1.5);
    REQUIRE(root.cores(eight) == 2);
    root.write("sys/fs/cgroup/cpu.max", "10000 100000\n");
    REQUIRE(root.cores(eight) == 1);
    // Never more than there are.
    root.write("sys/fs/cgroup/cpu.max", "900000 100000\n");
    root.write("sys/fs/cgroup/user/cpu.max", "900000 100000\n");
    root.write("sys/fs/cgroup/user/app/cpu.max", "900000 100000\n");
    REQUIRE(root.cores({0, 1}) == 2);
}

TEST_CASE("version 1 of cgroups is understood too, and so is nonsense", "[threads]") {
    Root root;
    root.write("proc/self/cgroup",
               "7:memory:/box\n4:cpu,cpuacct:/box/inner\nnonsense\n9:cpu:\n0::/\n");
    root.write("sys/fs/cgroup/cpu/box/inner/cpu.cfs_quota_us", "-1\n");
    root.write("sys/fs/cgroup/cpu/box/inner/cpu.cfs_period_us", "100000\n");
    REQUIRE(root.cores({0, 1, 2, 3}) == 4);
    root.write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "200000\n");
    root.write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
    REQUIRE(root.cores({0, 1, 2, 3}) == 2);
    root.write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "many\n");
    REQUIRE(root.cores({0, 1, 2, 3}) == 4);
}

TEST_CASE("memory left is the cgroup's limit less what is used, cached files apart", "[threads]") {
    Root root;
    REQUIRE(cgroup_memory_left(root.folder.path()) == -1);
    root.write("proc/self/cgroup", "7:memory:/box\n0::/app\n");
    root.write("sys/fs/cgroup/app/memory.max", "max\n");
    root.write("sys/fs/cgroup/app/memory.current", "1000\n");
    REQUIRE(cgroup_memory_left(root.folder.path()) == -1);
    root.write("sys/fs/cgroup/app/memory.max", "5000\n");
    REQUIRE(cgroup_memory_left(root.folder.path()) == 4000);
    root.write("sys/fs/cgroup/app/memory.stat", "anon 400\nactive_file 100\ninactive_file 200\n");
    REQUIRE(cgroup_memory_left(root.folder.path()) == 4300);
    root.write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "2000\n");
    root.write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n");
    REQUIRE(cgroup_memory_left(root.folder.path()) == 4300);
    root.write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "5000\n");
    REQUIRE(cgroup_memory_left(root.folder.path()) == 3000);
    root.write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1500\n");
    REQUIRE(cgroup_memory_left(root.folder.path()) == 1);  // nothing left, but a limit
}

#ifdef __linux__
TEST_CASE("the affinity mask decides, as taskset sets it", "[threads]") {
    cpu_set_t before;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    const std::vector<int> all = allowed_processors();
    REQUIRE(static_cast<int>(all.size()) == CPU_COUNT(&before));
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(all.back()), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    const std::vector<int> now = allowed_processors();
    sched_setaffinity(0, sizeof before, &before);
    REQUIRE(now == std::vector<int>{all.back()});
    REQUIRE(usable_cores(now) == 1);
    REQUIRE(usable_cores(all) <= static_cast<int>(all.size()));
}
#endif

TEST_CASE("the number of threads: what was chosen, the environment, the cores", "[threads]") {
    const test::Environment no_ours("TBT_THREADS", nullptr), no_theirs("OMP_NUM_THREADS", nullptr);
    REQUIRE(default_threads() == usable_cores(allowed_processors()));
    {
        const test::Environment theirs("OMP_NUM_THREADS", "3,2");
        REQUIRE(default_threads() == 3);
        const test::Environment ours("TBT_THREADS", "5");
        REQUIRE(default_threads() == 5);
        set_default_threads(7);
        REQUIRE(default_threads() == 7);
        set_default_threads(0);
        REQUIRE(default_threads() == 5);
    }
    for (const char* wrong : {"none", "0", "-2", "4 cores", "99999999999999999999"}) {
        const test::Environment ours("TBT_THREADS", wrong);
        REQUIRE(test::error_of([] { default_threads(); }) ==
                std::string("TBT_THREADS is '") + wrong + "', expected a number from 1 to 1024");
    }
}

TEST_CASE("nobody passes a barrier before everybody is there, also with more threads than cores",
          "[threads]") {
    const test::FullTeams full;
    for (const int threads : {1, 2, 3, 4, 7}) {
        constexpr int rounds = 300;
        std::atomic<int> arrived{0}, early{0}, members{0};
        run_team(threads, [&](const Worker& worker) {
            ++members;
            for (int round = 1; round <= rounds; ++round) {
                ++arrived;
                worker.sync();
                if (arrived < round * worker.size) ++early;
                worker.sync();
            }
        });
        REQUIRE(early == 0);
        REQUIRE(arrived == rounds * members);
    }
}

TEST_CASE("a barrier for one thread holds nobody up, one for none is refused", "[threads]") {
    Barrier alone(1);
    alone.wait();
    alone.wait();
    REQUIRE(test::error_of([] { Barrier nobody(0); }) ==
            "threads: a barrier for 0, expected at least 1");
}

#ifdef _OPENMP
TEST_CASE("a team whose members mostly wait goes on with half of them, and comes back",
          "[threads]") {
    const auto size_of = [](int threads, const std::function<void(const Worker&)>& work) {
        std::atomic<int> size{0};
        run_team(threads, [&](const Worker& worker) {
            if (worker.rank == 0) size = worker.size;
            work(worker);
        });
        return size.load();
    };
    const auto nothing = [](const Worker&) {};
    const auto one_is_late = [](const Worker& worker) {
        if (worker.rank == worker.size - 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    };
    const std::vector<int> expected{2, 2, 1, 4, 1, 2};
    // Where others want the cores too, members wait more than the test makes them: then again.
    std::vector<int> sizes;
    const auto attempt = [&] {
        sizes = expected;
        const int first = size_of(4, one_is_late);
        if (first != 4) return;  // the system gave fewer threads
        sizes = {size_of(4, nothing), size_of(2, one_is_late), size_of(4, nothing)};
        {
            const test::FullTeams full;
            sizes.push_back(size_of(4, nothing));
        }
        sizes.push_back(size_of(3, nothing));
        std::this_thread::sleep_for(std::chrono::milliseconds(
            700));  // more than twenty times 10 ms, and a busy machine's share
        sizes.push_back(size_of(2, nothing));
    };
    for (int attempts = 0; attempts < 20 && (attempts == 0 || sizes != expected); ++attempts)
        std::thread(attempt).join();  // a new thread: nobody has judged the machine for it yet
    REQUIRE(sizes == expected);
}
#endif
