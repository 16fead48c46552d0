// Simulates the rule of learning dispatch: learner.h itself, over given times. One scenario per line of standard input:
//   NAME LAUNCHES RUNS NOISE DRIFT SHARED LATE BUDGET HELD_UP SEED NS EXPECTED RATIO...
// NOISE: of a launch's time, lognormal, with 1 % outliers of 1 to 2 times (0: none); DRIFT: amplitude of a slow wave; SHARED: part
// of the time in which another kernel runs and doubles times; HELD_UP: how many times as long the first launch of the
// best arm takes; LATE: launches until a time is known; NS: of the original;
// EXPECTED: 1 where the first arm is the model's choice; RATIO: time of each arm / of the original. One line per run:
//   NAME RUN plain/learned best/learned best/leader@200 best/leader settled launches-until-settled leader-ratio lost
//   allowed beyond arms looked : regret at 10, 20, 50 ... launches
// Looking at a launch takes the host LOOK ns, measuring it MEASURING, as long as the kernel would run; launches go by
// without a look as in programs. The same noise meets the original, the best arm and what was learned, launch by launch.
#include <deque>
#include <iostream>
#include <math.h>
#include <random>
#include <sstream>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

#define GPUOPT_RT_VERSION simulated
#include "learner.h"

using namespace gpuopt_rt;

namespace {

struct Scenario {
  std::string name;
  int launches, runs, late;
  double noise, drift, shared, budget, held_up, ns;
  unsigned seed;
  bool expected;
  std::vector<double> ratio;  // of arm 0, too
};

// How much longer each launch of a run takes, whoever makes it.
std::vector<double> weather(const Scenario &s, std::mt19937_64 &source) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> made;
  int until = 0;  // another kernel runs up to here
  for (int i = 0; i < s.launches; ++i) {
    double factor = exp(s.noise * normal(source)) * (1 + s.drift * sin(i * 0.01 + s.seed));
    if (s.noise > 0 && uniform(source) < 0.01) factor *= 1 + uniform(source);
    if (s.shared > 0 && i >= until && uniform(source) < s.shared / 20) until = i + 1 + (int)(40 * uniform(source));
    made.push_back(i == 0 ? 1.3 * factor : i < until ? 2 * factor : factor);
  }
  return made;
}

const double LOOK = 1000;
const unsigned LOOK_AGAIN = 1 << 13;  // of trials.h

struct Sampled {
  unsigned arm;
  int in, at;
  double ns, held;
};

// A process: what it learned before stays, its money begins anew.
void begin(learner &l) {
  l.warm = false;
  l.half = -1;
  l.again = 0;
  l.total = l.lost = l.saved = l.reserved = 0;
  l.launches = 0;
  for (auto &one : l.r) one.arm = -1;
  for (auto &one : l.a) one.open = 0;
  l.judge();
}

double allowed(const learner &l, double budget) {
  const double early = l.early(budget), earned = budget * l.total;
  return (early > earned ? early : earned) + (l.saved > 0 ? 0.5 * l.saved : 0);
}

void simulate(const Scenario &s) {
  static const int shown[] = { 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000 };
  std::mt19937_64 source(s.seed);
  learner *l = (learner *)malloc(sizeof(learner));
  l->start(s.seed * 7919ULL + 12345);
  double best = 1, held_up = s.held_up;
  for (size_t k = 0; k < s.ratio.size(); ++k) {
    const int made = l->arm_of(1000 + k);
    l->a[made].present = true;
    if (k == 1 && s.expected) l->a[made].worst = 1.1, l->a[made].expected = 100;
    best = s.ratio[k] < best ? s.ratio[k] : best;
  }
  unsigned char offered[MOST_ARMS] = { 0 };
  memset(offered, 1, s.ratio.size());
  for (int run = 0; run < s.runs; ++run) {
    begin(*l);
    const std::vector<double> factors = weather(s, source);
    std::deque<Sampled> waiting;
    std::ostringstream regret;
    double spent = 0, plain = 0, ideal = 0, at_200 = best / s.ratio[l->leader], beyond = 0;
    int settled = -1, next = 0;
    unsigned skip = 0, passed = 0, rest = 0, looked = 0, usual = l->favourite(offered);
    const auto known = [&](const Sampled &one) {
      const double lost = l->lost;
      l->sampled(one.arm, one.in, one.ns, one.held);
      if (l->lost - lost > one.held) beyond += l->lost - lost - one.held;
    };
    for (int i = 0; i < s.launches; ++i) {
      if (rest && !--rest) l->reopen();
      const bool looks = !skip && !rest;
      for (; looks && !waiting.empty() && waiting.front().at + s.late <= i; waiting.pop_front())
        known(waiting.front());
      int in = -1;
      double held = 0, cost = 0;
      unsigned arm = usual;
      if (looks) {
        l->pass(passed);
        passed = 0;
        arm = l->choose(offered, true, s.budget, in, held);
        cost = in != -1 ? MEASURING : LOOK;
        usual = in == -1 ? arm : l->favourite(offered);
        ++looked;
        if (in == -1 && l->settled && !l->again && l->half < 0) rest = l->rest(LOOK_AGAIN);
        else if (in == -1) skip = l->pause(cost, s.budget);
      } else {
        ++passed;
        if (skip) --skip;
      }
      double ns = s.ns * s.ratio[arm] * factors[i];
      if (arm && s.ratio[arm] == best) ns *= held_up, held_up = 1;
      if (in != -1) waiting.push_back(Sampled{arm, in, i, ns, held});
      spent += ns + cost;
      plain += s.ns * factors[i];
      ideal += s.ns * best * factors[i];
      if (l->settled && settled < 0) settled = i;
      if (i == 199) at_200 = best / s.ratio[l->leader];
      if (next < 10 && i + 1 == shown[next]) regret << ' ' << spent / ideal, ++next;
    }
    for (const Sampled &one : waiting) known(one);  // read as the process ends
    l->finish();
    std::cout << s.name << ' ' << run << ' ' << plain / spent << ' ' << ideal / spent << ' ' << at_200 << ' '
              << best / s.ratio[l->leader] << ' ' << l->settled << ' ' << settled << ' ' << s.ratio[l->leader] << ' '
              << l->lost + l->reserved << ' ' << allowed(*l, s.budget) << ' ' << beyond << ' ' << s.ratio.size() - 1 << ' ' << looked << " :"
              << regret.str() << '\n';
  }
  free(l);
}

}  // namespace

int main() {
  std::string line;
  std::cout.precision(6);
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    Scenario s;
    int expected;
    if (!(in >> s.name >> s.launches >> s.runs >> s.noise >> s.drift >> s.shared >> s.late >> s.budget >> s.held_up >> s.seed >> s.ns >>
          expected)) {
      std::cerr << "a scenario is not complete: " << line << '\n';
      return 1;
    }
    s.expected = expected != 0;
    s.ratio.assign(1, 1);
    for (double ratio; in >> ratio;) s.ratio.push_back(ratio);
    if (s.ratio.size() > MOST_ARMS) {
      std::cerr << s.name << ": at most " << MOST_ARMS - 1 << " arms\n";
      return 1;
    }
    simulate(s);
  }
}
