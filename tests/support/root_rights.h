// Takes from the calling thread, for as long as the object lives, what lets
// root read and write files whatever their mode says. So a test about
// permissions means the same for every user. A thread without these rights is
// left as it is.
#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <stdexcept>

namespace rlrun {

class WithoutRootRights {
 public:
  WithoutRootRights() {
    if (::syscall(SYS_capget, &header_, sets_) != 0) {
      throw std::runtime_error("capget");
    }
    constexpr __u32 kRights =
        (1u << CAP_DAC_OVERRIDE) | (1u << CAP_DAC_READ_SEARCH);
    had_ = sets_[0].effective & kRights;
    SetRights(sets_[0].effective & ~kRights);
  }
  ~WithoutRootRights() { SetRights(sets_[0].effective | had_); }
  WithoutRootRights(const WithoutRootRights&) = delete;
  WithoutRootRights& operator=(const WithoutRootRights&) = delete;

 private:
  void SetRights(__u32 effective) {
    if (had_ == 0) return;
    sets_[0].effective = effective;
    if (::syscall(SYS_capset, &header_, sets_) != 0) ::_exit(99);
  }

  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets_[2]{};
  __u32 had_ = 0;
};

}  // namespace rlrun
