#include "exporter/process/nvml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Pairs = std::vector<std::pair<unsigned, std::int64_t>>;

class NvmlTest : public ::testing::Test {
 protected:
  NvmlTest() { ::setenv("NVML_STUB_SCRIPT", (folder_ / "script").c_str(), 1); }
  ~NvmlTest() override { ::unsetenv("NVML_STUB_SCRIPT"); }

  void Script(const std::string& text) {
    std::ofstream(folder_ / "script", std::ios::trunc) << text;
  }
  static std::optional<Pairs> Query(Nvml* nvml, double now = 1000) {
    const auto processes = nvml->Query(now);
    if (!processes) return std::nullopt;
    Pairs pairs;
    for (const GpuProcess& p : *processes) pairs.emplace_back(p.gpu, p.pid);
    return pairs;
  }

  TempFolder folder_;
};

TEST_F(NvmlTest, NoLibraryIsNoAnswer) {
  Nvml none("");
  EXPECT_EQ(Query(&none), std::nullopt);
  Nvml missing(folder_ / "libnone.so.1");
  EXPECT_EQ(Query(&missing), std::nullopt);
  Script("not a library");
  Nvml text(folder_ / "script");
  EXPECT_EQ(Query(&text), std::nullopt);
}

TEST_F(NvmlTest, ProcessesOfEveryGpu) {
  Nvml nvml(NVML_STUB_FULL);
  Script("init 0 gpus 2 process 0 11 process 0 12 process 1 11");
  const auto pairs = Query(&nvml);
  ASSERT_TRUE(pairs);
  EXPECT_THAT(*pairs, UnorderedElementsAre(std::pair(0, 11), std::pair(0, 12),
                                           std::pair(1, 11)));
  Script("init 0 gpus 2");
  ASSERT_TRUE(Query(&nvml));
  EXPECT_THAT(*Query(&nvml), IsEmpty());
}

TEST_F(NvmlTest, MoreProcessesThanTheFirstRoom) {
  Nvml nvml(NVML_STUB_FULL);
  Script("init 0 gpus 2 many 1 200");
  const auto pairs = Query(&nvml);
  ASSERT_TRUE(pairs);
  ASSERT_EQ(pairs->size(), 200u);
  EXPECT_EQ(pairs->back(), std::pair(1u, std::int64_t{1199}));
}

TEST_F(NvmlTest, OldLibraryHasSmallerRecords) {
  Nvml nvml(NVML_STUB_OLD);
  Script("init 0 gpus 1 process 0 11 process 0 12 process 0 13");
  const auto pairs = Query(&nvml);
  ASSERT_TRUE(pairs);
  EXPECT_THAT(*pairs, UnorderedElementsAre(std::pair(0, 11), std::pair(0, 12),
                                           std::pair(0, 13)));
}

TEST_F(NvmlTest, FunctionThatTheDriverLacksFallsBack) {
  Nvml nvml(NVML_STUB_FULL);
  Script("init 0 v3 13 gpus 1 process 0 11 process 0 12");
  const auto pairs = Query(&nvml);
  ASSERT_TRUE(pairs);
  EXPECT_THAT(*pairs, UnorderedElementsAre(std::pair(0, 11), std::pair(0, 12)));
}

TEST_F(NvmlTest, AnyErrorIsNoAnswer) {
  Nvml nvml(NVML_STUB_FULL);
  Script("init 0 v3 999 gpus 1 process 0 11");
  EXPECT_EQ(Query(&nvml), std::nullopt);
  Nvml lost(NVML_STUB_FULL);
  Script("init 0 gpus 2 lost 1 process 0 11");
  EXPECT_EQ(Query(&lost), std::nullopt);
  Nvml lacking(NVML_STUB_LACKING);
  Script("init 0 gpus 1 process 0 11");
  EXPECT_EQ(Query(&lacking), std::nullopt);
}

TEST_F(NvmlTest, DriverThatComesLaterIsFoundAfterMinutes) {
  Nvml nvml(NVML_STUB_FULL);
  Script("init 9 gpus 1 process 0 11");
  EXPECT_EQ(Query(&nvml, 1000), std::nullopt);
  Script("init 0 gpus 1 process 0 11");
  EXPECT_EQ(Query(&nvml, 1299), std::nullopt);
  EXPECT_TRUE(Query(&nvml, 1300));
}

}  // namespace
}  // namespace rlrun
