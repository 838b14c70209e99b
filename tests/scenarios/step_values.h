// The values of one training step while a scenario is put together: in the
// order in which they will be printed, changed in place by what makes a run
// sick. Not thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/scenarios/log_writer.h"

namespace rlrun::scenarios {

class StepValues {
 public:
  enum class As { kFloat, kInt, kFloat64 };  // `0.5`, `5`, `np.float64(0.5)`

  // A new key, or a new value of one that is there.
  void Add(std::string_view key, double value, As as = As::kFloat);
  void Int(std::string_view key, double value) { Add(key, value, As::kInt); }
  void Spread(std::string_view key, double mean, double max, double min);
  // These do nothing where the key is not there.
  void Set(std::string_view key, double value);
  void Scale(std::string_view key, double factor);
  void Erase(std::string_view key);

  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  double Get(std::string_view key) const;  // NaN where it is not there

  enum class Part { kAll, kTraining, kValidation, kRollouter };
  // Keys in their order.
  std::vector<std::string_view> Keys() const {
    std::vector<std::string_view> keys;
    for (const Entry& entry : entries_) keys.push_back(entry.key);
    return keys;
  }
  // A value as `repr` prints it.
  std::string Printed(std::string_view key) const;
  // The pairs of one part of the step; `fixed`: all with three decimals.
  Pairs Print(Part part, bool fixed) const;

 private:
  struct Entry {
    std::string key;
    double value = 0;
    As as = As::kFloat;
  };
  const Entry* Find(std::string_view key) const;
  Entry* Find(std::string_view key);

  std::vector<Entry> entries_;
};

// The task reward of a step, in the score and in the rewards: all the same or
// between 0 and 1.
void SetReward(StepValues* values, double mean);
void SetTied(StepValues* values, double reward);  // every answer has that one

}  // namespace rlrun::scenarios
