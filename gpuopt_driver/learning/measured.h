// The part of every launch: whether it is measured. Pasted behind remembered.h.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

struct sample;

// One launch that is being made; its time is that between construction and destruction, on its stream.
struct measured {
  sample *s;
  measured(entry *e, const config &c) : s(0) {
    if (!e || !e->known) return;
    if (!e->tried) return;
    if (e->skip) { --e->skip; ++e->passed; } else start(*e, c);
  }
  ~measured() { if (s) stop(); }
  void not_made() { if (s) spoil(); }
  __attribute__((cold)) void start(entry &, const config &);
  __attribute__((cold)) void stop();
  __attribute__((cold)) void spoil();
private:
  measured(const measured &);
  measured &operator=(const measured &);
};

} }
