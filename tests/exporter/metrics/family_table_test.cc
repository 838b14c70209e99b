#include "exporter/metrics/family_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

using testing::HasSubstr;

TEST(FamilyTable, RawKeyAlone) {
  FamilyTable table;
  const StepKey* key = table.Acquire("actor/lr");
  EXPECT_EQ(key->family->name, "rlrun_step_actor_lr");
  EXPECT_EQ(key->labels, "");
  EXPECT_EQ(key->family->header->name, "rlrun_step_actor_lr");
  EXPECT_EQ(key->family->header->help,
            "Step metric actor/lr of the trainer's log, as printed.");
  EXPECT_EQ(table.generation(), 0u);
}

TEST(FamilyTable, SameKeyOfTwoRunsIsNoCollision) {
  FamilyTable table;
  const StepKey* key = table.Acquire("actor/lr");
  EXPECT_EQ(table.Acquire("actor/lr"), key);
  EXPECT_FALSE(key->family->colliding);
  table.Release(key);
  EXPECT_EQ(table.families(), 1u);
  table.Release(key);
  EXPECT_EQ(table.families(), 0u);
}

TEST(FamilyTable, CollisionAppearsAndVanishes) {
  FamilyTable table;
  const StepKey* slash = table.Acquire("actor/lr");
  const StepKey* dot = table.Acquire("actor.lr");
  EXPECT_EQ(table.generation(), 1u);
  EXPECT_EQ(table.colliding_families(), 1u);
  EXPECT_EQ(slash->family, dot->family);
  EXPECT_EQ(slash->labels, "key=\"actor/lr\"");
  EXPECT_EQ(dot->labels, "key=\"actor.lr\"");
  EXPECT_THAT(slash->family->header->help, HasSubstr("Several keys"));

  const StepKey* third = table.Acquire("actor_lr");
  EXPECT_EQ(third->labels, "key=\"actor_lr\"");
  EXPECT_EQ(table.generation(), 1u) << "nothing changes for the others";
  table.Release(third);
  EXPECT_EQ(table.generation(), 1u);

  table.Release(slash);
  EXPECT_EQ(table.generation(), 2u);
  EXPECT_EQ(table.colliding_families(), 0u);
  EXPECT_EQ(dot->labels, "");
  EXPECT_EQ(dot->family->header->help,
            "Step metric actor.lr of the trainer's log, as printed.");
}

TEST(FamilyTable, CollisionLastsUntilTheLastReference) {
  FamilyTable table;
  const StepKey* one = table.Acquire("a/b");
  const StepKey* two = table.Acquire("a.b");
  table.Acquire("a.b");
  table.Release(two);
  EXPECT_TRUE(one->family->colliding);
  table.Release(two);
  EXPECT_FALSE(one->family->colliding);
}

TEST(FamilyTable, TemplateKeysWithUnlikeLabelsDoNotCollide) {
  FamilyTable table;
  const StepKey* gen = table.Acquire("timing_s/gen");
  const StepKey* ref = table.Acquire("timing_s/ref");
  EXPECT_EQ(gen->labels, "phase=\"gen\"");
  EXPECT_EQ(ref->labels, "phase=\"ref\"");
  EXPECT_EQ(gen->family->header->help,
            "Step metrics timing_s/<phase> of the trainer's log, as printed.");
  EXPECT_EQ(table.generation(), 0u);
}

TEST(FamilyTable, RawKeyWithTheNameOfATemplateFamily) {
  FamilyTable table;
  const StepKey* gen = table.Acquire("timing_s/gen");
  const StepKey* raw = table.Acquire("timing_s");
  EXPECT_EQ(raw->labels, "key=\"timing_s\"");
  EXPECT_EQ(gen->labels, "phase=\"gen\",key=\"timing_s/gen\"");
  EXPECT_THAT(gen->family->header->help, HasSubstr("timing_s/<phase>"));
  table.Release(gen);
  EXPECT_EQ(raw->labels, "");
  EXPECT_EQ(raw->family->header->help,
            "Step metric timing_s of the trainer's log, as printed.");
}

TEST(FamilyTable, TemplateKeysWithTheSameLabels) {
  FamilyTable table;
  const StepKey* one = table.Acquire("timing_s/agent_loop/slowest/x");
  const StepKey* two = table.Acquire("timing_s/agent_loop/x/slowest");
  EXPECT_EQ(one->template_labels, two->template_labels);
  EXPECT_NE(one->labels, two->labels);
  EXPECT_THAT(one->labels, HasSubstr("key=\"timing_s/agent_loop/slowest/x\""));
}

TEST(FamilyTable, KeysThatAreRepairedToOneTextStayApart) {
  FamilyTable table;
  const StepKey* one = table.Acquire("a\xFF");
  const StepKey* two = table.Acquire("a\xFE");
  EXPECT_TRUE(one->family->colliding);
  EXPECT_NE(one->labels, two->labels);
  const StepKey* gen = table.Acquire("timing_s/\xFF");
  const StepKey* ref = table.Acquire("timing_s/\xFE");
  EXPECT_NE(gen->labels, ref->labels);
}

TEST(FamilyTable, HostileKeyIsEscapedInItsLabel) {
  FamilyTable table;
  const StepKey* key = table.Acquire("a\"b\\c\nd");
  table.Acquire("a/b/c/d");
  EXPECT_EQ(key->labels, "key=\"a\\\"b\\\\c\\nd\"");
}

TEST(FamilyTable, TemplateJoinsACollisionOfRawKeys) {
  FamilyTable table;
  const StepKey* one = table.Acquire("timing/s");
  table.Acquire("timing_s");
  const auto generation = table.generation();
  const StepKey* gen = table.Acquire("timing_s/gen");
  EXPECT_THAT(gen->labels, HasSubstr("key=\"timing_s/gen\""));
  EXPECT_THAT(one->family->header->help, HasSubstr("timing_s/<phase>"));
  EXPECT_GT(table.generation(), generation) << "the header is a new one";
}

TEST(FamilyTable, HiddenKeyIsNull) {
  MetricsOptions options;
  options.exclude = {"secret/*"};
  FamilyTable table(options);
  EXPECT_EQ(table.Acquire("secret/x"), nullptr);
  EXPECT_EQ(table.families(), 0u);
}

}  // namespace
}  // namespace rlrun
