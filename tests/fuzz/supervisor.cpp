// SPDX-License-Identifier: Apache-2.0
#include "supervisor.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>

namespace fuzz {
namespace {

std::int64_t family_named(const std::string& name) {
  const auto& all = families();
  const auto found = std::find_if(all.begin(), all.end(), [&](const family& f) { return f.name == name; });
  return found - all.begin();
}

constexpr int different_status = 10, same_status = 0;
constexpr double shrinking_seconds = 60, most_seconds_an_attempt = 10;

void note(char* to, std::size_t room, const std::string& text) { std::snprintf(to, room, "%s", text.c_str()); }
const char* text_of(outcome how) {
  switch (how) {
    case outcome::different: return "a difference";
    case outcome::crashed: return "a crash";
    case outcome::hung: return "a hang";
    default: return "nothing";
  }
}

}  // namespace

supervisor::supervisor(const settings& s) : settings_(s) {
  void* const memory = mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::perror("mmap"), std::exit(2);
  shared_ = new (memory) shared_state();
}

// ---- the child --------------------------------------------------------------------------------------------------------------
void supervisor::run_case(dice& d, bool tells) {
  const auto& all = families();
  const auto count = static_cast<std::int64_t>(all.size());
  const std::int64_t f = settings_.family.empty()
                             ? d.below("family", count)
                             : d.choose("family", count - 1, [&] { return family_named(settings_.family); });
  const std::vector<shape>& shapes = all[static_cast<std::size_t>(f)].shapes();
  const shape& s = shapes[static_cast<std::size_t>(d.below("shape", static_cast<std::int64_t>(shapes.size())))];
  test_case c(d, tells ? shared_->program : nullptr, sizeof shared_->program);
  if (tells)
    note(shared_->message, sizeof shared_->message, std::string(all[static_cast<std::size_t>(f)].name) + ", " + s.name);
  std::string wrong;
  try {
    s.run(c);
    c.check_guards();
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  shared_->calls[f].fetch_add(c.calls);
  shared_->cases.fetch_add(1);
  if (wrong.empty()) return;
  note(shared_->message, sizeof shared_->message,
       std::string(all[static_cast<std::size_t>(f)].name) + ", " + s.name + ", " + c.call_name() + ": " + wrong);
  note(shared_->program, sizeof shared_->program, c.program(wrong));
  throw difference(wrong);
}

void supervisor::work_until(clock::time_point end) {
  std::int64_t number = std::max<std::int64_t>(settings_.only_case, shared_->number + 1);
  do {
    shared_->number = number;
    dice d(settings_.seed, static_cast<std::uint64_t>(number), shared_->choices, sizeof shared_->choices);
    run_case(d, settings_.only_case >= 0);
    ++number;
  } while (settings_.only_case < 0 && clock::now() < end);
}

// ---- the process that looks on -------------------------------------------------------------------------------------------
template <class Work>
outcome supervisor::in_child(Work work, double hang_seconds) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    try {
      work();
    } catch (const difference&) {
      std::_Exit(different_status);
    }
    std::exit(same_status);
  }
  std::int64_t seen = shared_->cases;
  auto since = clock::now();
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == same_status) return outcome::same;
      if (WIFEXITED(status) && WEXITSTATUS(status) == different_status) return outcome::different;
      return outcome::crashed;
    }
    if (shared_->cases != seen) seen = shared_->cases, since = clock::now();
    if (std::chrono::duration<double>(clock::now() - since).count() > hang_seconds) {
      kill(child, SIGABRT);
      waitpid(child, &status, 0);
      return outcome::hung;
    }
    usleep(500);
  }
}

bool supervisor::fails(const choices& all, outcome& how) {
  how = in_child(
      [&] {
        dice d(all, shared_->choices, sizeof shared_->choices);
        run_case(d, true);
      },
      std::min(most_seconds_an_attempt, settings_.hang_seconds));
  return how != outcome::same;
}

// Makes choices smaller, one after another, while the case fails.
choices supervisor::smaller(choices all) {
  const auto end = clock::now() + std::chrono::duration<double>(shrinking_seconds);
  const std::string family = all.empty() ? "" : all[0].name;
  bool changed = true;
  while (changed && clock::now() < end) {
    changed = false;
    for (std::size_t k = 0; k < all.size() && clock::now() < end; ++k) {
      if (all[k].name == "family") continue;
      std::int64_t low = -1;  // passes, or has not been tried
      std::int64_t step = all[k].value;
      while (step > 0 && clock::now() < end) {
        choices attempt = all;
        attempt[k].value = std::max<std::int64_t>(low + 1, all[k].value - step);
        outcome how;
        if (attempt[k].value < all[k].value && fails(attempt, how)) {
          all = choices_of(shared_->choices);  // choices that it does not make any more are left out
          changed = true;
          if (k >= all.size()) break;
          step = std::min(step, all[k].value);
        } else {
          low = std::max(low, attempt[k].value);
          step /= 2;
        }
      }
    }
  }
  return all;
}

int supervisor::tell(choices all, outcome how) {
  std::printf("\n%s, seed %llu, case %lld: %s\n", text_of(how), static_cast<unsigned long long>(settings_.seed),
              static_cast<long long>(shared_->number.load()), shared_->message);
  std::printf("choices: %s\n", fuzz::text_of(all).c_str());
  bool again = false;
  outcome now = outcome::same;
  for (int i = 0; i < 10 && !again; ++i) again = fails(all, now);
  if (!again) {
    std::printf("ten more runs of it passed\n%s", shared_->program);
    return 1;
  }
  all = smaller(all);
  for (int i = 0; i < 5 && !fails(all, now); ++i) {
  }
  std::printf("made smaller: %s\nrun it by: --choices \"%s\"\n%s: %s\n\n%s\n", fuzz::text_of(all).c_str(),
              fuzz::text_of(all).c_str(), text_of(now), shared_->message, shared_->program);
  return 1;
}

int supervisor::summary(int differences) const {
  std::printf("seed %llu, %lld cases, calls:", static_cast<unsigned long long>(settings_.seed),
              static_cast<long long>(shared_->cases.load()));
  std::int64_t all = 0;
  for (std::size_t f = 0; f < families().size(); ++f) {
    std::printf(" %s %lld", families()[f].name, static_cast<long long>(shared_->calls[f].load()));
    all += shared_->calls[f];
  }
  std::printf(", all %lld, differences %d\n", static_cast<long long>(all), differences);
  return differences > 0 ? 1 : 0;
}

int supervisor::run() {
  if (!settings_.family.empty() && family_named(settings_.family) == static_cast<std::int64_t>(families().size())) {
    std::printf("there is no family %s\n", settings_.family.c_str());
    return 2;
  }
  in_child([&] { note(shared_->message, sizeof shared_->message, backend::missing()); }, settings_.hang_seconds);
  if (shared_->message[0] != 0) {
    std::printf("%s\n", shared_->message);
    return 2;
  }
  if (!settings_.given.empty()) {
    outcome how;
    const bool bad = fails(choices_of(settings_.given), how);
    std::printf("%s: %s\n\n%s\n", text_of(how), shared_->message, shared_->program);
    return summary(bad);
  }
  shared_->number = -1;
  const auto end =
      clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(settings_.seconds));
  const outcome how = in_child([&] { work_until(end); }, settings_.hang_seconds);
  if (how == outcome::same) {
    if (settings_.only_case >= 0) std::printf("choices: %s\n\n%s\n", shared_->choices, shared_->program);
    return summary(0);
  }
  const int differences = tell(choices_of(shared_->choices), how);
  return summary(differences);
}

}  // namespace fuzz
