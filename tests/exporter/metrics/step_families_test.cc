#include "exporter/metrics/step_families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// `family{label=value,...}`, or `-` for a key that is not exposed.
std::string Mapped(std::string_view key, const StepFamilies& families) {
  const auto series = families.Map(key);
  if (!series) return "-";
  std::string text = series->family;
  if (!text.starts_with(kStepPrefix)) return "no prefix: " + text;
  text.erase(0, kStepPrefix.size());
  if (!series->templated) return text;
  text += "{";
  for (const auto& [name, value] : series->labels) {
    if (!text.ends_with("{")) text += ",";
    text += name + "=" + value;
  }
  return text + "}";
}
std::string Mapped(std::string_view key) { return Mapped(key, StepFamilies()); }

TEST(RawFamilyName, CharactersThatANameCannotHold) {
  EXPECT_EQ(RawFamilyName("actor/lr"), "rlrun_step_actor_lr");
  EXPECT_EQ(RawFamilyName("train/time(s)"), "rlrun_step_train_time_s_");
  EXPECT_EQ(RawFamilyName("a:b\"c\\d\ne"), "rlrun_step_a_b_c_d_e");
  EXPECT_EQ(RawFamilyName(""), "rlrun_step_");
  EXPECT_EQ(RawFamilyName("7/x"), "rlrun_step_7_x");
}

TEST(RawFamilyName, SequenceIsOneCharacterAndSoIsAnInvalidByte) {
  EXPECT_EQ(RawFamilyName("a\xC3\xA4z"), "rlrun_step_a_z");
  EXPECT_EQ(RawFamilyName("a\xF0\x9F\x98\x80z"), "rlrun_step_a_z");
  EXPECT_EQ(RawFamilyName("a\xFFz"), "rlrun_step_a_z");
  EXPECT_EQ(RawFamilyName("a\xF0\x9Fz"), "rlrun_step_a__z")
      << "two bytes of a sequence that was cut";
}

TEST(Templates, EachRowOfTheTable) {
  EXPECT_EQ(Mapped("val-core/gsm8k/reward/mean@8"),
            "val_core{data_source=gsm8k,statistic=mean@8,variable=reward}");
  EXPECT_EQ(Mapped("val-aux/math/acc/best@8/mean"),
            "val_aux{data_source=math,statistic=best@8/mean,variable=acc}");
  EXPECT_EQ(Mapped("val/test_score/gsm8k"),
            "val_test_score{data_source=gsm8k}");
  EXPECT_EQ(Mapped("trajectory_filter/reason/overlong"),
            "trajectory_filter_reason{reason=overlong}");
  EXPECT_EQ(Mapped("timing_s/agent_loop/slowest/tool_calls"),
            "timing_s_agent_loop{stage=tool_calls,statistic=slowest}");
  EXPECT_EQ(Mapped("timing_s/agent_loop/tool_calls/max"),
            "timing_s_agent_loop{stage=tool_calls,statistic=max}");
  EXPECT_EQ(Mapped("timing_s/gen"), "timing_s{phase=gen}");
  EXPECT_EQ(Mapped("timing_per_token_ms/ref"),
            "timing_per_token_ms{phase=ref}");
}

TEST(Templates, DataSourceMayHoldSlashes) {
  EXPECT_EQ(Mapped("val-core/org/set/v1/acc/maj@4/std"),
            "val_core{data_source=org/set/v1,statistic=maj@4/std,"
            "variable=acc}");
  EXPECT_EQ(Mapped("val/test_score/org/set"),
            "val_test_score{data_source=org/set}");
}

TEST(Templates, StatisticBeginsAtTheLastAt) {
  EXPECT_EQ(Mapped("val-core/a@b/acc/mean@8"),
            "val_core{data_source=a@b,statistic=mean@8,variable=acc}");
  EXPECT_EQ(Mapped("val-core/a/acc@1/mean@8"),
            "val_core{data_source=a,statistic=mean@8,variable=acc@1}");
}

TEST(Templates, WithoutAtThereIsNone) {
  EXPECT_EQ(Mapped("val-aux/num_turns/mean"), "val_aux_num_turns_mean");
  EXPECT_EQ(Mapped("val-core/gsm8k/acc/mean"), "val_core_gsm8k_acc_mean");
}

TEST(Templates, AtTooEarlyLeavesNoVariable) {
  EXPECT_EQ(Mapped("val-core/mean@8"), "val_core_mean_8");
  EXPECT_EQ(Mapped("val-core/acc/mean@8"), "val_core_acc_mean_8");
  EXPECT_EQ(Mapped("val-core/a@1/acc/mean"), "val_core_a_1_acc_mean");
}

TEST(Templates, OneSegmentMeansOne) {
  EXPECT_EQ(Mapped("timing_s/a/b"), "timing_s_a_b");
  EXPECT_EQ(Mapped("timing_s"), "timing_s");
  EXPECT_EQ(Mapped("timing_s/agent_loop/slowest"),
            "timing_s_agent_loop_slowest");
  EXPECT_EQ(Mapped("timing_s/agent_loop/a/b/c"), "timing_s_agent_loop_a_b_c");
  EXPECT_EQ(Mapped("trajectory_filter/reason/a/b"),
            "trajectory_filter_reason_a_b");
}

TEST(Templates, EmptySegmentMakesNoLabel) {
  EXPECT_EQ(Mapped("timing_s/"), "timing_s_");
  EXPECT_EQ(Mapped("val/test_score/"), "val_test_score_");
  EXPECT_EQ(Mapped("val-core//acc/mean@8"), "val_core__acc_mean_8");
  EXPECT_EQ(Mapped("val-core/a//mean@8"), "val_core_a__mean_8");
}

TEST(Templates, UserTemplateIsTriedFirst) {
  MetricsOptions options;
  options.templates = {{"timing_s/<what>", "seconds", "kind", "timer"},
                       {"expert/<layer>/<n...>", "expert", "", ""}};
  const StepFamilies families(options);
  EXPECT_THAT(families.problems(), IsEmpty());
  EXPECT_EQ(Mapped("timing_s/gen", families), "seconds{kind=timer,what=gen}");
  EXPECT_EQ(Mapped("expert/3/a/b", families), "expert{layer=3,n=a/b}");
  EXPECT_EQ(Mapped("timing_per_token_ms/gen", families),
            "timing_per_token_ms{phase=gen}");
}

TEST(Templates, ManyInTheMiddleLeavesTheRestToTheOthers) {
  MetricsOptions options;
  options.templates = {{"m/<a...>/x/<b>", "m", "", ""}};
  const StepFamilies families(options);
  EXPECT_EQ(Mapped("m/1/2/x/3", families), "m{a=1/2,b=3}");
  EXPECT_EQ(Mapped("m/1/x/3", families), "m{a=1,b=3}");
  EXPECT_EQ(Mapped("m/x/3", families), "m_x_3");
  EXPECT_EQ(Mapped("m/1/2/y/3", families), "m_1_2_y_3");
}

TEST(CheckTemplate, SaysWhatIsWrong) {
  const auto check = [](std::string pattern, std::string family = "f",
                        std::string label = "", std::string value = "v") {
    return CheckTemplate({std::move(pattern), std::move(family),
                          std::move(label), std::move(value)});
  };
  EXPECT_EQ(check("a/<b>"), "");
  EXPECT_EQ(check("a/<b...>/<c@>", "f", "d"), "");
  EXPECT_THAT(check("a/b"), HasSubstr("no placeholder"));
  EXPECT_EQ(check("a/b", "f", "d"), "") << "a fixed label is one";
  EXPECT_THAT(check("a/x<b>"), HasSubstr("whole segment"));
  EXPECT_THAT(check("a/<>"), HasSubstr("whole segment"));
  EXPECT_THAT(check("<a...>/<b...>"), HasSubstr("only one"));
  EXPECT_THAT(check("<a@>/b"), HasSubstr("at the end"));
  EXPECT_THAT(check("a/<b-c>"), HasSubstr("no label name"));
  EXPECT_THAT(check("a/<run>"), HasSubstr("taken"));
  EXPECT_THAT(check("a/<key>"), HasSubstr("taken"));
  EXPECT_THAT(check("<b>/<b>"), HasSubstr("twice"));
  EXPECT_THAT(check("<b>", "f", "b"), HasSubstr("twice"));
  EXPECT_THAT(check("<b>", "f", "c", ""), HasSubstr("no value"));
  EXPECT_THAT(check("<b>", ""), HasSubstr("no family name"));
  EXPECT_THAT(check("<b>", "a/b"), HasSubstr("no family name"));
  EXPECT_THAT(check("<b>", "a:b"), HasSubstr("no family name"));
  for (const KeyTemplate& t : BuiltInTemplates()) {
    EXPECT_EQ(CheckTemplate(t), "") << t.pattern;
  }
}

TEST(StepFamilies, BadTemplateIsLeftOutAndNamed) {
  MetricsOptions options;
  options.templates = {{"timing_s/<run>", "x", "", ""}};
  const StepFamilies families(options);
  ASSERT_EQ(families.problems().size(), 1u);
  EXPECT_THAT(families.problems()[0], HasSubstr("timing_s/<run>"));
  EXPECT_EQ(Mapped("timing_s/gen", families), "timing_s{phase=gen}");
}

TEST(StepFamilies, IncludeAndExcludeSpeakOfVerbatimKeys) {
  MetricsOptions options;
  options.include = {"actor/*", "timing_s/*"};
  options.exclude = {"*/max", "timing_s/g?n"};
  const StepFamilies families(options);
  EXPECT_EQ(Mapped("actor/lr", families), "actor_lr");
  EXPECT_EQ(Mapped("actor/grad/max", families), "-");
  EXPECT_EQ(Mapped("critic/loss", families), "-");
  EXPECT_EQ(Mapped("timing_s/gen", families), "-");
  EXPECT_EQ(Mapped("timing_s/ref", families), "timing_s{phase=ref}");
}

TEST(StepFamilies, StaticLabelsMustNotMeetAnyOther) {
  MetricsOptions options;
  options.templates = {{"a/<layer>", "a", "kind", "x"}};
  const StepFamilies families(options);
  EXPECT_TRUE(families.AllowsStaticLabel("team"));
  for (const std::string_view bad :
       {"run", "project", "key", "le", "outcome", "mode", "phase", "layer",
        "kind", "statistic", "bad-name", "", "__x"}) {
    EXPECT_FALSE(families.AllowsStaticLabel(bad)) << bad;
  }
}

TEST(StepFamilies, TemplateHelpNamesItsPatterns) {
  EXPECT_EQ(StepFamilies().TemplateHelp("rlrun_step_timing_s_agent_loop"),
            "Step metrics timing_s/agent_loop/slowest/<stage>, "
            "timing_s/agent_loop/<stage>/<statistic> of the trainer's log, as "
            "printed.");
}

TEST(StepFamilies, TemplateHelpShowsPlainPlaceholders) {
  EXPECT_EQ(StepFamilies().TemplateHelp("rlrun_step_val_core"),
            "Step metrics val-core/<data_source>/<variable>/<statistic> of the "
            "trainer's log, as printed.");
}

TEST(KeyLabelValue, OnlyARepairedKeyCarriesAHash) {
  EXPECT_EQ(KeyLabelValue("a/\xC3\xA4\"\n"), "a/\xC3\xA4\"\n");
  EXPECT_THAT(KeyLabelValue("a\xFF"),
              testing::MatchesRegex("a\xEF\xBF\xBD@[0-9a-f]{8}"));
  EXPECT_NE(KeyLabelValue("a\xFF"), KeyLabelValue("a\xFE"));
}

}  // namespace
}  // namespace rlrun
