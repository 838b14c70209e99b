#include "parsers/values/stamp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace rlrun {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Reads fixed-width fields from the front of a text; after the first mismatch
// everything fails.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  bool ok() const { return ok_; }
  bool Next(char c) { return !text_.empty() && text_.front() == c; }
  char Peek() const { return text_.empty() ? '\0' : text_.front(); }

  Cursor& Literal(char c) {
    ok_ = ok_ && Next(c);
    if (ok_) text_.remove_prefix(1);
    return *this;
  }
  template <std::size_t kWidth>
  Cursor& Field(int low, int high, int* value) {
    ok_ = ok_ && text_.size() >= kWidth;
    if (!ok_) return *this;
    int v = 0;
    bool digits = true;  // all of them, without a branch for each
    for (std::size_t i = 0; i < kWidth; ++i) {
      const int digit = text_[i] - '0';
      digits &= digit >= 0 && digit <= 9;
      v = v * 10 + digit;
    }
    ok_ = digits && v >= low && v <= high;
    if (!ok_) return *this;
    *value = v;
    text_.remove_prefix(kWidth);
    return *this;
  }
  // Upper-case letters: `INFO`, `CRITICAL`.
  Cursor& Level() {
    std::size_t n = 0;
    while (n < text_.size() && n < 9 && IsUpper(text_[n])) ++n;
    ok_ = ok_ && n >= 3 && n <= 8;
    if (ok_) text_.remove_prefix(n);
    return *this;
  }
  Cursor& Blanks() {
    ok_ = ok_ && (Next(' ') || Next('\t'));
    while (ok_ && (Next(' ') || Next('\t'))) text_.remove_prefix(1);
    return *this;
  }

  Cursor& MonthDay(Stamp* s) {
    return Field<2>(1, 12, &s->month).Literal('-').Field<2>(1, 31, &s->day);
  }
  Cursor& Date(Stamp* s) {
    return Field<4>(1970, 9999, &s->year).Literal('-').MonthDay(s);
  }
  // HH:MM:SS with an optional `,mmm` or `.mmm`.
  Cursor& Time(Stamp* s) {
    Field<2>(0, 23, &s->hour).Literal(':').Field<2>(0, 59, &s->minute);
    Literal(':').Field<2>(0, 60, &s->second);
    if (ok_ && (Next(',') || Next('.'))) {
      Cursor fraction(text_.substr(1));
      if (fraction.Field<3>(0, 999, &s->millisecond).ok()) *this = fraction;
    }
    ok_ = ok_ && !IsDigit(Peek());
    return *this;
  }

 private:
  std::string_view text_;
  bool ok_ = true;
};

std::optional<Stamp> ParseHeartbeat(std::string_view payload) {
  constexpr std::string_view kFront = "[FullyAsyncTrainer] global_steps:";
  constexpr std::size_t kTimeBytes = 12;  // HH:MM:SS.mmm
  if (!payload.starts_with(kFront)) return std::nullopt;
  while (payload.ends_with(' ')) payload.remove_suffix(1);
  if (payload.size() < kFront.size() + 1 + kTimeBytes) return std::nullopt;
  Stamp s;
  Cursor c(payload.substr(payload.size() - kTimeBytes - 1));
  c.Literal(' ').Time(&s);
  return c.ok() && c.Peek() == '\0' ? std::optional(s) : std::nullopt;
}

// Days since 1970-01-01 of a date of the proleptic Gregorian calendar (Howard
// Hinnant's days_from_civil).
std::int64_t DaysFromCivil(std::int64_t y, int m, int d) {
  y -= m <= 2;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t yoe = y - era * 400;
  const std::int64_t doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  const std::int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + doe - 719468;
}

int YearOfUnix(double unix_seconds) {
  const auto days = static_cast<std::int64_t>(std::floor(unix_seconds / 86400));
  int year = static_cast<int>(1970 + days / 365);
  while (DaysFromCivil(year, 1, 1) > days) --year;
  return year;
}

bool DateExists(int year, int month, int day) {
  const std::int64_t next = month == 12 ? DaysFromCivil(year + 1, 1, 1)
                                        : DaysFromCivil(year, month + 1, 1);
  return DaysFromCivil(year, month, day) < next;
}

constexpr double kDay = 86400;

double TimeOfDay(const Stamp& s) {
  return s.hour * 3600.0 + s.minute * 60.0 + s.second + s.millisecond / 1000.0;
}

// Seconds since 1970-01-01 in printed time.
double PrintedSeconds(const Stamp& s, int year) {
  return static_cast<double>(DaysFromCivil(year, s.month, s.day)) * kDay +
         TimeOfDay(s);
}

// Zones that exist, as quarters of an hour that the clock is ahead of UTC: all
// whole hours, and the odd ones. Half hours that no country has would only make
// every file that was silent for a quarter of an hour half an hour wrong.
constexpr std::array<int, 37> kZones = {
    -48, -44, -40, -38, -36, -32, -28, -24, -20, -16, -14, -12, -8,
    -4,  0,   4,   8,   12,  14,  16,  18,  20,  22,  23,  24,  26,
    28,  32,  36,  38,  40,  42,  44,  48,  51,  52,  56};
constexpr int kQuarter = 900;
// A stamp is written before the file's mtime, but for clocks that disagree.
constexpr double kClockSkew = 120;

// The better of two readings of the last stamp.
bool Better(const StampClock& a, const StampClock& b, double mtime) {
  const bool a_future = a.last_unix > mtime + kClockSkew;
  const bool b_future = b.last_unix > mtime + kClockSkew;
  if (a_future != b_future) return b_future;
  const double da = std::fabs(a.last_unix - mtime);
  const double db = std::fabs(b.last_unix - mtime);
  if (da != db) return da < db;
  return std::abs(a.utc_offset) < std::abs(b.utc_offset);
}

}  // namespace

std::optional<Stamp> ParseStamp(std::string_view payload) {
  if (payload.size() < 15) return std::nullopt;
  const char first = payload.front();
  Stamp s;
  Cursor c(payload);
  if (IsUpper(first)) {
    c.Level();
    if (c.Next(':')) {
      c.Literal(':').Date(&s).Literal(' ').Time(&s);
    } else {
      c.Blanks().MonthDay(&s).Literal(' ').Time(&s);
    }
    return c.ok() ? std::optional(s) : std::nullopt;
  }
  if (first == '[') {
    c.Literal('[').Date(&s).Literal(' ').Time(&s);
    if (c.ok() && (c.Next(']') || c.Next(' '))) return s;
    return ParseHeartbeat(payload);
  }
  if (!IsDigit(first)) return std::nullopt;
  c.Date(&s).Literal(' ').Time(&s).Blanks().Level();
  return c.ok() ? std::optional(s) : std::nullopt;
}

std::optional<double> SecondsBetween(const Stamp& older, const Stamp& newer) {
  // Every stamped line of a log passes here, nearly all on the day of the one
  // before.
  if (older.month != 0 && older.day == newer.day &&
      older.month == newer.month && older.year == newer.year) {
    const auto of_day = [](const Stamp& s) {
      return ((s.hour * 60 + s.minute) * 60 + s.second) * 1000 + s.millisecond;
    };
    return std::max(of_day(newer) - of_day(older), 0) * 1e-3;
  }
  if ((older.year != 0) != (newer.year != 0) ||
      (older.month != 0) != (newer.month != 0)) {
    return std::nullopt;
  }
  const auto of_day = [](const Stamp& s) {
    return s.hour * 3600.0 + s.minute * 60.0 + s.second + s.millisecond * 1e-3;
  };
  const auto day = [](const Stamp& s) {
    // Without a year: in a leap year, so that every date exists.
    return static_cast<double>(
        DaysFromCivil(s.year != 0 ? s.year : 2000, s.month, s.day));
  };
  double seconds = of_day(newer) - of_day(older);
  if (older.month != 0) seconds += (day(newer) - day(older)) * kDay;
  // Far back is midnight, or New Year, between them; a little is two writers.
  if (older.month == 0 && seconds < -kDay / 2) seconds += kDay;
  if (older.year == 0 && older.month != 0 && seconds < -183 * kDay) {
    seconds += 366 * kDay;
  }
  return std::max(seconds, 0.0);
}

std::optional<StampClock> ChooseStampClock(const Stamp& last, double mtime) {
  if (!(std::fabs(mtime) < 2.5e11)) return std::nullopt;  // year 9999
  const int this_year = YearOfUnix(mtime);
  const int first_year = last.year != 0 ? last.year : this_year - 1;
  const int last_year = last.year != 0 ? last.year : this_year + 1;
  std::optional<StampClock> best;
  const auto consider = [&](int zone, int year, double printed) {
    const StampClock clock{zone, year, printed - zone};
    if (!best || Better(clock, *best, mtime)) best = clock;
  };
  for (const int quarters : kZones) {
    const int zone = quarters * kQuarter;
    if (last.month == 0) {
      const double day = std::floor((mtime + zone) / kDay);
      for (double d = day - 1; d <= day + 1; ++d) {
        const double printed = d * kDay + TimeOfDay(last);
        consider(zone, YearOfUnix(printed), printed);
      }
      continue;
    }
    for (int year = first_year; year <= last_year; ++year) {
      if (!DateExists(year, last.month, last.day)) continue;
      consider(zone, year, PrintedSeconds(last, year));
    }
  }
  return best;
}

std::optional<double> ResolveStamp(const Stamp& stamp, const StampClock& clock,
                                   std::optional<double> neighbour) {
  if (stamp.month == 0) {
    const double at = neighbour.value_or(clock.last_unix) + clock.utc_offset;
    const double time = TimeOfDay(stamp);
    return std::floor((at - time) / kDay) * kDay + time - clock.utc_offset;
  }
  if (stamp.year != 0) {
    if (!DateExists(stamp.year, stamp.month, stamp.day)) return std::nullopt;
    return PrintedSeconds(stamp, stamp.year) - clock.utc_offset;
  }
  // Eight years back: February 29 around a century that has none.
  for (int year = clock.year + 1; year >= clock.year - 8; --year) {
    if (!DateExists(year, stamp.month, stamp.day)) continue;
    const double t = PrintedSeconds(stamp, year) - clock.utc_offset;
    if (t <= clock.last_unix + kDay) return t;
  }
  return std::nullopt;
}

std::optional<double> ResolveStamps(const Stamp& stamp, const Stamp& last,
                                    double mtime,
                                    std::optional<double> neighbour) {
  const std::optional<StampClock> clock = ChooseStampClock(last, mtime);
  if (!clock) return std::nullopt;
  return ResolveStamp(stamp, *clock, neighbour);
}

}  // namespace rlrun
