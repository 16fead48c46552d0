// Arithmetic on the halves and bytes of words.
#include "sweep.h"

#define OF_ONE(X) \
  X(__vabs2(x)) X(__vabs4(x)) X(__vabsss2(x)) X(__vabsss4(x)) X(__vneg2(x)) X(__vneg4(x)) X(__vnegss2(x)) X(__vnegss4(x))
#define OF_TWO(X) \
  X(__vadd2(x, y)) X(__vadd4(x, y)) X(__vaddss2(x, y)) X(__vaddss4(x, y)) X(__vaddus2(x, y)) X(__vaddus4(x, y)) X(__vavgs2(x, y)) X(__vavgs4(x, y)) \
  X(__vavgu2(x, y)) X(__vavgu4(x, y)) X(__vcmpeq2(x, y)) X(__vcmpeq4(x, y)) X(__vcmpges2(x, y)) X(__vcmpges4(x, y)) X(__vcmpgeu2(x, y)) \
  X(__vcmpgeu4(x, y)) X(__vcmpgts2(x, y)) X(__vcmpgts4(x, y)) X(__vcmpgtu2(x, y)) X(__vcmpgtu4(x, y)) X(__vcmples2(x, y)) X(__vcmples4(x, y)) \
  X(__vcmpleu2(x, y)) X(__vcmpleu4(x, y)) X(__vcmplts2(x, y)) X(__vcmplts4(x, y)) X(__vcmpltu2(x, y)) X(__vcmpltu4(x, y)) X(__vcmpne2(x, y)) \
  X(__vcmpne4(x, y)) X(__vhaddu2(x, y)) X(__vhaddu4(x, y)) X(__vmaxs2(x, y)) X(__vmaxs4(x, y)) X(__vmaxu2(x, y)) X(__vmaxu4(x, y)) X(__vmins2(x, y)) \
  X(__vmins4(x, y)) X(__vminu2(x, y)) X(__vminu4(x, y)) X(__vseteq2(x, y)) X(__vseteq4(x, y)) X(__vsetges2(x, y)) X(__vsetges4(x, y)) \
  X(__vsetgeu2(x, y)) X(__vsetgeu4(x, y)) X(__vsetgts2(x, y)) X(__vsetgts4(x, y)) X(__vsetgtu2(x, y)) X(__vsetgtu4(x, y)) X(__vsetles2(x, y)) \
  X(__vsetles4(x, y)) X(__vsetleu2(x, y)) X(__vsetleu4(x, y)) X(__vsetlts2(x, y)) X(__vsetlts4(x, y)) X(__vsetltu2(x, y)) X(__vsetltu4(x, y)) \
  X(__vsetne2(x, y)) X(__vsetne4(x, y)) X(__vsub2(x, y)) X(__vsub4(x, y)) X(__vsubss2(x, y)) X(__vsubss4(x, y)) X(__vsubus2(x, y)) X(__vsubus4(x, y)) \
  X(__vabsdiffs2(x, y)) X(__vabsdiffs4(x, y)) X(__vabsdiffu2(x, y)) X(__vabsdiffu4(x, y)) X(__vsads2(x, y)) X(__vsads4(x, y)) X(__vsadu2(x, y)) \
  X(__vsadu4(x, y))

SWEEP(of_one, unsigned, OF_ONE)
SWEEP(of_two, unsigned, OF_TWO)
int main(int argc, char **) {
  RUN_SWEEP(of_one, argc > 1)
  RUN_SWEEP(of_two, argc > 1)
}
