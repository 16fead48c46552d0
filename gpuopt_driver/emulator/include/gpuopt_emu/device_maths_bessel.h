// As device_maths.h: Bessel functions. Polynomials about the zeros near 0, beyond them waves whose phase and amplitude are
// polynomials in 1 / x^2.
#ifndef GPUOPT_EMU_DEVICE_MATHS_BESSEL_H
#define GPUOPT_EMU_DEVICE_MATHS_BESSEL_H

#include "device_maths_double_special.h"
#include "device_maths_float_more.h"
#include "early.h"

namespace gpuopt_emu {
namespace library {

#define GPUOPT_EMU_QUICK inline GPUOPT_EMU_DEVICE
#define GPUOPT_EMU_LARGE static inline __attribute__((noinline)) GPUOPT_EMU_DEVICE
template <int Nn, int Mm> static GPUOPT_EMU_QUICK GPUOPT_EMU_EARLY(double) far_wave(double x, const double (&phase)[Nn], const double (&amplitude)[Mm], double offset) {
  if (x == INFINITY) return 0.0;
  const double inverse = reciprocal(x), square = inverse * inverse;
  const DoubleAngle turned = angle(fused(polynomial(phase, square), inverse, x));
  const double rest = fused((double)(turned.quadrant & 3), 1.5707963267948966, turned.rest + offset);
  return polynomial(amplitude, square) * (inverse_root(x) * 0.7978845608028654) * cos(rest);
}
template <int Nn> static GPUOPT_EMU_QUICK GPUOPT_EMU_EARLY(double) about_zero(double x, const double (&a)[Nn], double zero, double rest) {
  const double at = (x + zero) + rest;
  return at * polynomial(a, at);
}
GPUOPT_EMU_LARGE double j0(double x) {
  static const double a[] = {-4.668055296522886e-16, -6.433200527258554e-15, 1.1251547854412396e-13, 1.639521934089839e-12,
                             -2.534199601670674e-11, -3.166660834754117e-10, 4.326570922239417e-09, 4.4700570375704276e-08,
                             -5.304914441394479e-07, -4.338826303234109e-06, 4.372919273219641e-05, 0.00026437703676199774,
                             -0.002194200359017061, -0.008657669593307547, 0.05660177443794637, 0.1079387017549203, -0.5191474972894667};
  static const double b[] = {3.9815481259603676e-16, 5.38442564600032e-15, -1.2081690283194228e-13, -1.3797916158463023e-12,
                             2.7452225365124005e-11, 2.59219116908782e-10, -4.6833956949002455e-09, -3.511535752914609e-08,
                             5.716490702257101e-07, 3.199786905053059e-06, -4.6521090739415375e-05, -0.00017518572899344993,
                             0.002257440229032805, 0.004631042145907517, -0.052988552867604614, -0.03082065142559364, 0.34026480655836816};
  static const double c[] = {-4.124304662099805e-16, -4.596716020545263e-15, 1.2431042698188993e-13, 1.1495161719252828e-12,
                             -2.806255120718409e-11, -2.0866716892717288e-10, 4.736806709085624e-09, 2.694156819104034e-08,
                             -5.679379510457043e-07, -2.2883910072186227e-06, 4.48230354449482e-05, 0.00011243486789299026,
                             -0.002060335155125843, -0.002509302227210569, 0.044033774963411834, 0.015684124960953876,
                             -0.27145229992838193};
  static const double phase[] = {-2885116.2203493556, 252328.64242776867, -12101.969526641235, 491.62966870650297, -23.232710296241283,
                                 1.6371449464085703, -0.20956803127294435, 0.06510416335987831, -0.12499999999788586};
  static const double amplitude[] = {-17495.180424133185, 1609.8188262777444, -93.27297929346906, 5.754657357710743, -0.542413939138589,
                                     0.1035143619926359, -0.06249999788858901, 0.9999999999984622};
  const double size = fabs(x);
  if (size <= 3.9624518339910417) return about_zero(size, a, -2.404825557695773, 1.176691651530894e-16);
  if (size <= 7.086903011598661) return about_zero(size, b, -5.520078110286311, -8.088597146146722e-17);
  if (size <= 10.222631175962647) return about_zero(size, c, -8.653727912911013, 2.92812607320779e-16);
  return far_wave(size, phase, amplitude, -0.7853981633974483);
}
static GPUOPT_EMU_QUICK double positive_j1(double x) {
  static const double a[] = {8.018399195792648e-15, -2.1186954408347662e-13, 2.986477477755094e-13, 3.264658690505055e-11,
                             2.3659182449900008e-12, -5.6555359803212116e-09, 5.3377264219106126e-12, 6.781633105423296e-07,
                             3.5514630669212235e-12, -5.425347399642437e-05, 6.141520947159623e-13, 0.002604166666526798,
                             1.9297216538243768e-14, -0.0625000000000014, 4.018089105880318e-17, 0.5};
  static const double b[] = {-5.5127808918252485e-15, 1.2082285225980072e-13, 1.2508282234754205e-12, -2.797792344085172e-11,
                             -2.3623452214263926e-10, 4.735362223346155e-09, 3.2482887156546407e-08, -5.72780556146687e-07,
                             -3.0368634012116377e-06, 4.6208701288406654e-05, 0.00017466429072941048, -0.0022331253391451155,
                             -0.005179719245640395, 0.05341044413272457, 0.05255614585697734, -0.402759395702553};
  static const double c[] = {4.423133061281035e-15, -1.20132012092248e-13, -1.1208510600729039e-12, 2.7987835384276107e-11,
                             2.0653297064406472e-10, -4.720444222309518e-09, -2.727342515669842e-08, 5.665269543584227e-07,
                             2.4015807944921554e-06, -4.499147527210509e-05, -0.00012550790955081017, 0.00210558714323824,
                             0.003130291726048002, -0.046970478949740234, -0.02138921280934158, 0.30011575252613254};
  static const double phase[] = {-62147940.14836998, 6865585.630355567, -383240.541838781, 15712.35974698157, -618.1902458868639,
                                 30.3969799850886, -2.368515193214346, 0.37089617329334584, -0.16406249657350988, 0.37499999999768135};
  static const double amplitude[] = {14853.830053258369, -1648.096811830575, 110.14387837746159, -7.551889723469124, 0.8042591538676235,
                                     -0.19335577061604606, 0.18749999292785363, 1.000000000005957};
  if (x <= 2.415852985103756) return x * polynomial(a, x);
  if (x <= 5.423646320011565) return about_zero(x, b, -3.8317059702075125, 1.5269184090088067e-16);
  if (x <= 8.594527402439171) return about_zero(x, c, -7.015586669815619, 9.414165653410389e-17);
  return far_wave(x, phase, amplitude, -2.356194490192345);
}
GPUOPT_EMU_LARGE double j1(double x) {
  const double result = positive_j1(fabs(x));
  return fabs(x) < 1e-30 ? x * 0.5 : x < 0.0 ? -result : result;
}
GPUOPT_EMU_LARGE double y0(double x) {
  static const double a[] = {5.37480688726672e-17, -1.690851667879507e-14, 4.136256698488524e-12, -7.675202391864752e-10,
                             1.0325302691601338e-07, -9.450377743948015e-06, 0.0005345180760328466, -0.015842941532569498,
                             0.1707584669151278};
  static const double b[] = {-3.31625691207256e-05, 0.00044282037363448345, -0.002789856306341642, 0.011058463670241213,
                             -0.03107223394960596, 0.06626287772780777, -0.11252218091007735, 0.15840734145766777, -0.19222734942401562,
                             0.20933934466841975, -0.21293337654014724, 0.2093702358334369, -0.20374555288358615, 0.19865581060051996,
                             -0.1950678188917356, 0.19337682925944, -0.193950124045433, 0.197335665137072, -0.20487719737141627,
                             0.2189484270119261, -0.22612171354623672, 0.22055282848170224, -0.4920789342629754, 0.8794208024971948};
  static const double c[] = {-1.494114173821677e-15, -1.0137911561194424e-15, 1.5773112162407846e-14, 3.4617008317032284e-14,
                             -1.3900491111283303e-13, -2.6515859135918097e-14, -2.5634224325918844e-13, 3.152125074327968e-12,
                             -1.1351773899656447e-11, 4.32637831397647e-11, -1.8508794744487788e-10, 7.689088938316559e-10,
                             -3.657694558233733e-09, 1.89262926307988e-08, -2.1852824202225533e-08, -2.934871156586474e-07,
                             -4.893369556967851e-06, 5.092291346093085e-05, 0.0001952694025023885, -0.0021835188739896556,
                             -0.006852566677116653, 0.058523822105166205, 0.05085590959215843, -0.4025426717750242};
  static const double d[] = {3.95103169574059e-15, -1.110810503294962e-13, -1.3108294690534657e-12, 2.824621267525194e-11,
                             2.302923649674421e-10, -4.717174021172402e-09, -3.0984700416893145e-08, 5.749349008560621e-07,
                             2.7013637918464177e-06, -4.595140667075524e-05, -0.0001406025977407872, 0.0021759840164316127,
                             0.0033183482688956944, -0.048024070076258474, -0.02117523655676954, 0.30009761491047515};
  static const double phase[] = {55629001.48486683, -6039326.416769045, 330380.4467797656, -13207.801061663946, 501.5151566589034,
                                 -23.290567183174517, 1.6373669471355987, -0.20956857105259158, 0.0651041641170859, -0.12499999999835885};
  static const double amplitude[] = {-11218.237633189658, 1277.3535332212866, -85.79416608392857, 5.662125060937318, -0.5417345171533867,
                                     0.10351140407283131, -0.06249999082419847, 0.9999999999913266};
  if (x < 0.0) return unit::number(~(uint64_t)0 >> 1);
  const double size = fabs(x);
  if (size <= 0.7967884831395837) {
    const double square = size * size;
    const double rest = ((square + -0.43221455812454224) + 1.2594338905103086e-09) * polynomial(a, square);
    return fused(log(size) * 0.6366197723675814, j0(size), rest);
  }
  if (size <= 2.0256276927970127) return about_zero(size, b, -0.8935769662791675, -2.6596231539720385e-17);
  if (size <= 5.521864739808315) return about_zero(size, c, -3.957678419314858, 1.0764340697562706e-16);
  if (size <= 8.654198051899096) return about_zero(size, d, -7.086051060301773, 8.835285723085408e-17);
  return far_wave(size, phase, amplitude, -2.356194490192345);
}
GPUOPT_EMU_LARGE double y1(double x) {
  static const double a[] = {2.59901697711443e-13, -5.64693604070731e-11, 8.931867331036296e-09, -9.926740542145189e-07,
                             7.164268749708438e-05, -0.0029553053360793823, 0.054348688160510215, -0.19605709064623894};
  static const double b[] = {-3.2049185400459807e-09, 1.1269853629385924e-08, -9.725182107962382e-09, 1.083612003186429e-09,
                             -3.318806432859501e-08, 1.1520099207803076e-07, -2.1657623225477696e-07, 4.2488832800057044e-07,
                             -9.597291015128258e-07, 2.1436519550731894e-06, -4.688317848511307e-06, 1.0260662960992744e-05,
                             -2.2488720843801278e-05, 4.9244995944963054e-05, -0.00010776095981792354, 0.0002358698833633901,
                             -0.0005096012361553002, 0.0010668530085008096, -0.0025952416931835976, 0.00742255333233489,
                             -0.0047978116699424166, -0.03285739740527983, -0.1185145457490982, 0.5207864124022675};
  static const double c[] = {3.641000824697897e-16, 6.273399595774694e-16, -1.6567178292652644e-15, -1.793477656341539e-14,
                             4.41054681639002e-14, -1.3878513332053826e-13, 1.1700759168150388e-12, -4.612886656846937e-12,
                             2.2221266530726016e-12, -3.852562731318657e-10, 5.598172933325135e-09, 2.550481704211604e-08,
                             -5.464422265470442e-07, -2.863862325810849e-06, 4.645867915733586e-05, 0.00014662089281728481,
                             -0.0021659987511156486, -0.004160115934377755, 0.050947939743423036, 0.03133867744408601, -0.3403180455234406};
  static const double d[] = {2.3054460915421356e-16, -1.37261665127986e-13, -1.0670851982585537e-12, 2.797080742350624e-11,
                             1.8836633111302066e-10, -4.684316504597157e-09, -2.4419232584748692e-08, 5.586530988420729e-07,
                             2.0819264505873677e-06, -4.3807396765669035e-05, -0.00010420148506049303, 0.002011492014389694,
                             0.0024179567328294163, -0.04340642670740072, -0.015789884364296906, 0.27145987731153354};
  static const double phase[] = {-84713576.0782494, 8464204.863822212, -432669.4608144372, 16587.003996135853, -627.9420695465894,
                                 30.467963750665916, -2.3688522582374287, 0.37089717947165673, -0.1640624982860322, 0.3749999999989472};
  static const double amplitude[] = {17654.799250822507, -1801.727125254791, 113.66755003385103, -7.595622833654404, 0.8045758488114477,
                                     -0.19335710687571675, 0.18749999596669242, 1.000000000003085};
  if (x <= 0.0) return x == 0.0 ? -INFINITY : unit::number(~(uint64_t)0 >> 1);
  const double size = fabs(x);
  if (size < 1e-308) return -0.6366197723675814 / size;
  if (size <= 1.2985706630155085) {
    const double rest = fused(j1(size), log(size), -(1.0 / size)) * 0.6366197723675814;
    return fused(size, polynomial(a, size * size), rest);
  }
  if (size <= 3.213411183412576) return about_zero(size, b, -2.197141326031017, 4.8259835876454966e-17);
  if (size <= 7.012843454562652) return about_zero(size, c, -5.429681040794135, -4.162514026670377e-16);
  if (size <= 9.172580349585525) return about_zero(size, d, -8.596005868331169, -2.8415838340063664e-16);
  return far_wave(size, phase, amplitude, -3.9269908169872414);
}
static GPUOPT_EMU_QUICK double cyl_bessel_i0(double x) {
  static const double a[] = {9.570907555672412e-40, 2.911237809615527e-37, 6.106789567924076e-34, 4.783139557748027e-31,
                             3.8577538849440383e-28, 2.5964593691150315e-25, 1.4964235720813853e-22, 7.242214839388708e-20,
                             2.8969049594568713e-17, 9.385966582704343e-15, 2.4028075570232502e-12, 4.709502796126853e-10,
                             6.781684027854023e-08, 6.781684027774118e-06, 0.00043402777777778675, 0.015624999999999991, 0.25, 1.0};
  static const double b[] = {5092220866.217557, 8573015295.215913, -7124127871.343613, 2287682196.159684, -421919831.7996111,
                             51006516.886431605, -4304872.574113096, 262387.0133268093, -11726.458210321365, 389.88079458597497,
                             -8.711719996099603, 0.3938523535835017, 0.08853891428092191, 0.04475982339956118, 0.029219307956309174,
                             0.02805062941166575, 0.04986778504963047, 0.39894228040143304};
  const double size = fabs(x);
  if (upper(size) - 1076238844u >= 127526404u) return polynomial(a, size * size);
  const double power = exp(size * 0.5);
  return power * (polynomial(b, reciprocal(size)) * rsqrt_of(size) * power);
}
static GPUOPT_EMU_QUICK double cyl_bessel_i1(double x) {
  static const double a[] = {3.3137253377452213e-38, 8.80951374130363e-36, 1.851356465114323e-32, 1.3349060575742374e-29,
                             1.0036698880562031e-26, 6.230821939023837e-24, 3.292182475870452e-21, 1.448440248348126e-18,
                             5.214429981813384e-16, 1.501754624014612e-13, 3.363930585490148e-11, 5.651403354612596e-09,
                             6.78168402791589e-07, 5.425347222216252e-05, 0.0026041666666667966, 0.062499999999999896};
  static const double b[] = {1640658591.5879254, -14279800016.127026, 9322346104.749939, -2794898641.7836614, 500039579.03130484,
                             -59499968.247650094, 4977645.49739106, -301907.2111281756, 13459.341882089166, -447.03773216640997,
                             9.986274449435115, -0.45985068950833535, -0.10836417269190061, -0.05754598408656677, -0.040907055084192644,
                             -0.04675104885567992, -0.14960335514990164, 0.39894228040143226};
  const double size = fabs(x), square = x * x;
  if (upper(size) - 1076232192u >= 127533056u) return fused(x, polynomial(a, square) * square, x * 0.5);
  const double power = exp(size * 0.5);
  return copysign(polynomial(b, reciprocal(size)) * rsqrt_of(size) * power * power, x);
}

template <int Nn, int Mm> static GPUOPT_EMU_QUICK GPUOPT_EMU_EARLY(float) far_wave(float x, const float (&phase)[Nn], const float (&amplitude)[Mm], float offset) {
  if (x == INFINITY) return 0.0f;
  const float inverse = unit::rcp(x), square = inverse * inverse;
  const Angle turned = angle(fused(polynomial(phase, square), inverse, x));
  const float rest = turned.rest + fused(1.5707964f, (float)(turned.quadrant & 3), offset);
  const int quarter = saturated<int>(__builtin_rintf(rest * 0.63661975f));
  const float last = fused((float)quarter, -7.5497894e-08f, fused((float)quarter, -1.5707963f, rest));
  return polynomial(amplitude, square) * (unit::rsqrt_approx(x) * 0.7978846f) * wave(last, quarter + 1);
}
template <int Nn> static GPUOPT_EMU_QUICK GPUOPT_EMU_EARLY(float) about_zero(float x, const float (&a)[Nn], float zero, float rest) {
  const float at = (x + zero) + rest;
  return at * polynomial(a, at);
}
GPUOPT_EMU_LARGE float j0(float x) {
  static const float a[] = {-1.2470738e-15f, -7.6677725e-14f, 2.7150556e-12f, -6.028012e-12f, -4.2393267e-10f, 5.827638e-10f,
                            5.807784e-08f, 1.8003311e-09f, -5.4500733e-06f, -7.3432207e-06f, 0.0003017032f, 0.00077395444f,
                            -0.0072834617f, -0.026668204f};
  static const float phase[] = {1.1396495f, -0.20532675f, 0.06509174f, -0.12499999f};
  static const float amplitude[] = {3.359288f, -0.5145227f, 0.10337057f, -0.062499724f, 1.0f};
  const float size = fabsf(x);
  if (!(size <= 8.0f)) return far_wave(size, phase, amplitude, -0.7853982f);
  const float first = about_zero(size, a, -2.4048254f, -1.087059e-07f);
  return ((size + -8.653728f) + -3.8147792e-07f) * (((size + -5.520078f) + 7.1934146e-08f) * first);
}
static GPUOPT_EMU_QUICK float positive_j1(float x) {
  static const float a[] = {7.780649e-14f, 9.219086e-13f, -2.5706883e-11f, -2.0179057e-10f, 4.5125277e-09f, 2.701629e-08f, -5.347797e-07f,
                            -2.3602763e-06f, 4.121081e-05f, 0.00011917029f, -0.0018075588f, -0.0025548928f, 0.03301389f};
  static const float phase[] = {-1.5799448f, 0.36148587f, -0.16401261f, 0.3749999f};
  static const float amplitude[] = {-4.0873065f, 0.74987656f, -0.19291565f, 0.18749826f, 1.0f};
  if (!(x <= 8.0f)) return far_wave(x, phase, amplitude, -2.3561945f);
  const float at = (x + -3.831706f) + 7.685059e-08f;
  return x * (at * (((x + -7.015587f) + 1.8321172e-07f) * polynomial(a, at)));
}
GPUOPT_EMU_LARGE float j1(float x) {
  const float size = fabsf(x), result = x < 0.0f ? -positive_j1(size) : positive_j1(size);
  return size < 1e-30f ? copysignf(result, x) : result;
}
GPUOPT_EMU_LARGE float y0(float x) {
  static const float a[] = {1.0239759e-07f, -9.494301e-06f, 0.0005386025f, -0.016073968f, 0.17760602f, -0.0738043f};
  static const float b[] = {0.02707324f, -0.12728614f, 0.24919428f, -0.2733353f, 0.2146552f, -0.18043898f, 0.18990822f, -0.20543173f,
                            0.2196817f, -0.2261401f, 0.22052875f, -0.4920782f, 0.87942094f};
  static const float c[] = {-1.8800073e-07f, -2.0689195e-07f, -3.976793e-06f, 5.0848408e-05f, 0.00019341275f, -0.0021835594f,
                            -0.0068510985f, 0.058523852f, 0.05085558f, -0.40254268f};
  static const float d[] = {5.394503e-07f, 2.53101e-06f, -4.5855297e-05f, -0.00014028202f, 0.0021758752f, 0.003318121f, -0.048024025f,
                            -0.021175193f, 0.3000976f};
  static const float phase[] = {1.1000177f, -0.20393032f, 0.065077804f, -0.12499996f};
  static const float amplitude[] = {-0.39924583f, 0.10197055f, -0.062492687f, 1.0f};
  if (x < 0.0f) return unit::no_number();
  const float size = fabsf(x);
  if (size <= 0.4467885f) return fused(plain_logarithm(size) * 0.63661975f, j0(size), polynomial(a, size * size));
  if (size <= 1.9256277f) return about_zero(size, b, -0.893577f, 1.3357979e-08f);
  if (size <= 5.521865f) return about_zero(size, c, -3.9576783f, -1.0129118e-07f);
  if (size <= 8.654198f) return about_zero(size, d, -7.086051f, -7.305812e-08f);
  return far_wave(size, phase, amplitude, -2.3561945f);
}
GPUOPT_EMU_LARGE float y1(float x) {
  static const float a[] = {8.637198e-09f, -9.92087e-07f, 7.164214e-05f, -0.0029553052f, 0.05434869f, -0.1960571f};
  static const float b[] = {-1.6437198e-05f, 0.00012807001f, -0.0004590381f, 0.0010938945f, -0.0026312035f, 0.007426973f, -0.0047923904f,
                            -0.03285841f, -0.11851477f, 0.5207864f};
  static const float c[] = {2.2158844e-08f, -5.0902725e-07f, -2.854159e-06f, 4.637056e-05f, 0.0001466092f, -0.0021659129f, -0.0041601104f,
                            0.05094791f, 0.031338677f, -0.34031805f};
  static const float d[] = {5.250842e-07f, 1.9455433e-06f, -4.3719487e-05f, -0.00010394055f, 0.0020113946f, 0.0024177686f, -0.043406386f,
                            -0.015789848f, 0.27145988f};
  static const float phase[] = {-1.7881368f, 0.36611685f, -0.16404507f, 0.37499997f};
  static const float amplitude[] = {0.6503811f, -0.19206071f, 0.18749522f, 1.0f};
  if (x < 0.0f) return unit::no_number();
  const float size = fabsf(x);
  if (size < 1.1754944e-38f) return -0.63661975f / size;
  if (size <= 1.6985707f) {
    const float rest = fused(j1(size), plain_logarithm(size), -1.0f / size) * 0.63661975f;
    return fused(polynomial(a, size * size), size, rest);
  }
  if (size <= 3.8134112f) return about_zero(size, b, -2.1971414f, 8.288927e-08f);
  if (size <= 7.0128436f) return about_zero(size, c, -5.429681f, -2.1651435e-07f);
  if (size <= 10.17258f) return about_zero(size, d, -8.596005f, -4.2857286e-07f);
  return far_wave(size, phase, amplitude, -3.9269907f);
}
static GPUOPT_EMU_QUICK float cyl_bessel_i0(float x) {
  static const float a[] = {1.551427e-19f, 1.4492505e-17f, 1.0687647e-14f, 2.3349575e-12f, 4.7306625e-10f, 6.7778004e-08f, 6.7820783e-06f,
                            0.00043402583f, 0.015625004f, 0.25f, 1.0f};
  static const float b[] = {0.34872168f, -0.0054563344f, 0.033347156f, 0.027889196f, 0.04987063f, 0.39894226f};
  const float size = fabsf(x);
  if (!(size >= 9.0f && size < INFINITY)) return polynomial(a, size * size);
  const float factor = polynomial(b, unit::rcp(size)) * unit::rsq(size), less = expm1(size * 0.5f), product = factor * less;
  return plain::value(product * (less + 2.0f)) + factor;
}
static GPUOPT_EMU_QUICK float cyl_bessel_i1(float x) {
  static const float a[] = {2.7848253e-18f, 3.4224708e-16f, 1.6258002e-13f, 3.3142173e-11f, 5.6632734e-09f, 6.780027e-07f, 5.425474e-05f,
                            0.002604162f, 0.06250001f};
  static const float b[] = {-0.5028813f, 0.028471556f, -0.04873671f, -0.04641596f, -0.14960973f, 0.39894232f};
  const float size = fabsf(x), square = x * x;
  if (!(size >= 8.085f && size < INFINITY)) return fused(x, square * polynomial(a, square), x * 0.5f);
  const float factor = polynomial(b, unit::rcp(size)) * unit::rsq(size), less = expm1(size * 0.5f), product = factor * less;
  return copysignf(plain::value(product * (less + 2.0f)) + factor, x);
}

// Of higher order: recurrence upwards, and downwards (Miller's) for arguments below the order.
struct InOrder {  // 2 / x * i, then the factor; for jnf the factor is multiplied by i first
  template <class T> static GPUOPT_EMU_QUICK GPUOPT_EMU_EARLY(T) next(T twice_inverse, int i, T now, T before) { return fused(twice_inverse * (T)i, now, -before); }
};
struct FactorFirst {
  static GPUOPT_EMU_QUICK float next(float twice_inverse, int i, float now, float before) { return fused(now * (float)i, twice_inverse, -before); }
};
template <class How, class T> static GPUOPT_EMU_QUICK GPUOPT_EMU_EARLY(T) upwards(int n, T x, T before, T now) {
  const T twice_inverse = T(2) / x;
  for (int i = 1; i < n; ++i) {
    const T next = How::next(twice_inverse, i, now, before);
    before = now, now = next;
  }
  return now;
}
static GPUOPT_EMU_QUICK double next_below(int i, double x, double now, double before) { return fused((2.0 / x) * (double)i, now, -before); }
static GPUOPT_EMU_QUICK float next_below(int i, float x, float now, float before) { return fused(now, ((float)i + (float)i) / x, -before); }
template <class T> static GPUOPT_EMU_QUICK GPUOPT_EMU_EARLY(T) downwards(int n, T x, T digits) {
  T before = 0, now = 1, result = 0, sum = 0;
  for (int i = (saturated<int>(std::sqrt(digits)) + n) & -2; i > 0; --i) {
    T next = next_below(i, x, now, before);
    if (fabsf((float)next) > 1e15f) next *= (T)1e-15, now *= (T)1e-15, result *= (T)1e-15, sum *= (T)1e-15;
    if (i - 1 == n) result = next;
    if (i & 1) sum = fused(next, (T)2, sum);
    before = now, now = next;
  }
  return result / (sum - now);
}
GPUOPT_EMU_LARGE double jn(int n, double x) {
  if (n == 0) return j0(x);
  if (n == 1) return j1(x);
  if (n < 0) return unit::number(~(uint64_t)0 >> 1);
  return fabs(x) > (double)n - 1.0 ? upwards<InOrder>(n, x, j0(x), j1(x)) : downwards(n, x, (double)(int)((unsigned)n * 60u));
}
GPUOPT_EMU_LARGE float jn(int n, float x) {
  if (n == 0) return j0(x);
  if (n == 1) return j1(x);
  if (n < 0) return unit::no_number();
  return fabsf(x) > (float)(n + (n > 4)) ? upwards<FactorFirst>(n, x, j0(x), j1(x)) : downwards(n, x, (float)(int)((unsigned)n * 40u));
}
GPUOPT_EMU_LARGE double yn(int n, double x) {
  if (n == 0) return y0(x);
  if (n == 1) return y1(x);
  if (n < 0 || !(x >= 0.0)) return unit::number(~(uint64_t)0 >> 1);
  if (fabs(x) < 1e-308) return -0.6366197723675814 / x;
  const double result = upwards<InOrder>(n, x, y0(x), y1(x));
  return fabs(result) <= INFINITY ? result : -INFINITY;
}
GPUOPT_EMU_LARGE float yn(int n, float x) {
  if (n == 0) return y0(x);
  if (n == 1) return y1(x);
  if (n < 0 || !(x >= 0.0f)) return unit::no_number();
  if (fabsf(x) < 1.1754944e-38f) return -1e9f / fabsf(x);
  const float result = upwards<InOrder>(n, x, y0(x), y1(x));
  return fabsf(result) <= INFINITY ? result : -INFINITY;
}

#undef GPUOPT_EMU_LARGE
#undef GPUOPT_EMU_QUICK
}  // namespace library
}  // namespace gpuopt_emu

#endif
