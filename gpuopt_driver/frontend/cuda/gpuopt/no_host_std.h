// What kernels, and host code around launches, use of the C++ library, for parsing without any host header.
#pragma once

#include "no_host_traits.h"

namespace std {
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uintptr_t;
using ::intptr_t;
using ::min;
using ::max;
using ::abs;
using ::sqrt;
using ::cbrt;
using ::pow;
using ::exp;
using ::exp2;
using ::log;
using ::log2;
using ::log10;
using ::log1p;
using ::fabs;
using ::floor;
using ::ceil;
using ::round;
using ::trunc;
using ::sin;
using ::cos;
using ::tan;
using ::tanh;
using ::atan2;
using ::fma;
using ::fmod;
using ::fmin;
using ::fmax;
using ::hypot;
using ::asin;
using ::acos;
using ::atan;
using ::sinh;
using ::cosh;
using ::asinh;
using ::acosh;
using ::atanh;
using ::erf;
using ::erfc;
using ::tgamma;
using ::lgamma;
using ::expm1;
using ::ldexp;
using ::frexp;
using ::modf;
using ::copysign;
using ::rint;
using ::nearbyint;
using ::lround;
using ::lrint;
using ::remainder;
using ::remquo;
using ::signbit;
using ::nextafter;
using ::fdim;
using ::logb;
using ::ilogb;
using ::scalbn;
using ::isnan;
using ::isinf;
using ::isfinite;
using ::memcpy;
using ::memset;
template <class T> const T& min(const T&, const T&);
template <class T> const T& max(const T&, const T&);
template <class T> void swap(T&, T&);
template <class T> typename remove_reference<T>::type&& move(T&&);
template <class T> T&& forward(typename remove_reference<T>::type&);
template <class A, class B> struct pair {
    A first;
    B second;
};
template <class A, class B> pair<A, B> make_pair(A, B);
#define GPUOPT_FUNCTOR(NAME, RESULT, OPERATOR)                                                                         \
    template <class T = void> struct NAME {                                                                            \
        constexpr RESULT operator()(const T& a, const T& b) const { return a OPERATOR b; }                             \
    };                                                                                                                 \
    template <> struct NAME<void> {                                                                                    \
        template <class A, class B> constexpr auto operator()(const A& a, const B& b) const { return a OPERATOR b; }   \
    };
GPUOPT_FUNCTOR(plus, T, +)
GPUOPT_FUNCTOR(minus, T, -)
GPUOPT_FUNCTOR(multiplies, T, *)
GPUOPT_FUNCTOR(divides, T, /)
GPUOPT_FUNCTOR(modulus, T, %)
GPUOPT_FUNCTOR(bit_and, T, &)
GPUOPT_FUNCTOR(bit_or, T, |)
GPUOPT_FUNCTOR(bit_xor, T, ^)
GPUOPT_FUNCTOR(logical_and, bool, &&)
GPUOPT_FUNCTOR(logical_or, bool, ||)
GPUOPT_FUNCTOR(equal_to, bool, ==)
GPUOPT_FUNCTOR(not_equal_to, bool, !=)
GPUOPT_FUNCTOR(less, bool, <)
GPUOPT_FUNCTOR(greater, bool, >)
GPUOPT_FUNCTOR(less_equal, bool, <=)
GPUOPT_FUNCTOR(greater_equal, bool, >=)
#undef GPUOPT_FUNCTOR
template <class T> struct numeric_limits {
    static constexpr bool is_specialized = false, is_signed = false, is_integer = false, is_exact = false, is_iec559 = false;
    static constexpr T max();
    static constexpr T min();
    static constexpr T lowest();
    static constexpr T infinity();
    static constexpr T epsilon();
    static constexpr T quiet_NaN();
};
#define GPUOPT_WHOLE(T, LEAST, MOST)                                                                                   \
    template <> struct numeric_limits<T> {                                                                             \
        static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);                                      \
        static constexpr bool is_integer = true, is_specialized = true, is_exact = true, is_iec559 = false;            \
        static constexpr int digits = 8 * sizeof(T) - is_signed;                                                       \
        static constexpr T max() { return MOST; }                                                                      \
        static constexpr T min() { return LEAST; }                                                                     \
        static constexpr T lowest() { return LEAST; }                                                                  \
    };
#define GPUOPT_SIGNED(T, MOST) GPUOPT_WHOLE(T, -MOST - 1, MOST) GPUOPT_WHOLE(unsigned T, 0, (unsigned T)(2ull * MOST + 1))
GPUOPT_SIGNED(short, __SHRT_MAX__)
GPUOPT_SIGNED(int, __INT_MAX__)
GPUOPT_SIGNED(long, __LONG_MAX__)
GPUOPT_SIGNED(long long, __LONG_LONG_MAX__)
GPUOPT_WHOLE(signed char, -__SCHAR_MAX__ - 1, __SCHAR_MAX__)
GPUOPT_WHOLE(unsigned char, 0, 2 * __SCHAR_MAX__ + 1)
#undef GPUOPT_WHOLE
#undef GPUOPT_SIGNED
#define GPUOPT_REAL(T, NAME, SUFFIX)                                                                                   \
    template <> struct numeric_limits<T> {                                                                             \
        static constexpr bool is_signed = true, is_integer = false, is_specialized = true, is_iec559 = true;           \
        static constexpr bool is_exact = false, has_infinity = true, has_quiet_NaN = true;                             \
        static constexpr int digits = __##NAME##_MANT_DIG__;                                                           \
        static constexpr T max() { return __##NAME##_MAX__; }                                                          \
        static constexpr T min() { return __##NAME##_MIN__; }                                                          \
        static constexpr T lowest() { return -__##NAME##_MAX__; }                                                      \
        static constexpr T epsilon() { return __##NAME##_EPSILON__; }                                                  \
        static constexpr T infinity() { return __builtin_huge_val##SUFFIX(); }                                         \
        static constexpr T quiet_NaN() { return __builtin_nan##SUFFIX(""); }                                           \
    };
GPUOPT_REAL(float, FLT, f)
GPUOPT_REAL(double, DBL, )
#undef GPUOPT_REAL
template <class T> struct complex;

template <class T, size_t N> struct array {
    typedef T value_type;
    typedef T* iterator;
    typedef const T* const_iterator;
    T _M_elems[N];
    constexpr T& operator[](size_t n) { return _M_elems[n]; }
    constexpr const T& operator[](size_t n) const { return _M_elems[n]; }
    constexpr T& front() { return _M_elems[0]; }
    constexpr const T& front() const { return _M_elems[0]; }
    constexpr T& back() { return _M_elems[N - 1]; }
    constexpr const T& back() const { return _M_elems[N - 1]; }
    constexpr T* data() { return _M_elems; }
    constexpr const T* data() const { return _M_elems; }
    constexpr T* begin() { return _M_elems; }
    constexpr const T* begin() const { return _M_elems; }
    constexpr T* end() { return _M_elems + N; }
    constexpr const T* end() const { return _M_elems + N; }
    constexpr size_t size() const { return N; }
    constexpr bool empty() const { return false; }
    T& at(size_t);
    const T& at(size_t) const;
    void fill(const T&);
};
template <class T> struct array<T, 0>;  // has no such member

// Host-side classes, as far as launches depend on them.
template <class T> class initializer_list {
    const T* first;
    size_t count;

public:
    typedef T value_type;
    typedef const T* iterator;
    typedef const T* const_iterator;
    constexpr initializer_list();
    constexpr size_t size() const;
    constexpr const T* begin() const;
    constexpr const T* end() const;
};
template <class T> class allocator;
template <class T, class Allocator = allocator<T>> class vector {
public:
    typedef T value_type;
    typedef T* iterator;
    typedef const T* const_iterator;
    vector();
    vector(size_t);
    vector(size_t, const T&);
    vector(initializer_list<T>);
    vector(const T*, const T*);
    vector(const vector&);
    ~vector();
    vector& operator=(const vector&);
    T& operator[](size_t);
    const T& operator[](size_t) const;
    T& at(size_t);
    T& front();
    T& back();
    T* data();
    const T* data() const;
    T* begin();
    T* end();
    const T* begin() const;
    const T* end() const;
    size_t size() const;
    bool empty() const;
    void resize(size_t);
    void resize(size_t, const T&);
    void reserve(size_t);
    void push_back(const T&);
    template <class... A> void emplace_back(A&&...);
    void pop_back();
    void clear();
    void assign(size_t, const T&);
};
template <class F> class function;
template <class R, class... A> class function<R(A...)> {
public:
    function();
    function(const function&);
    ~function();
    function& operator=(const function&);
    template <class F> function(F);
    R operator()(A...) const;
    explicit operator bool() const;
};
class string {
public:
    string();
    string(const char*);
    string(const string&);
    ~string();
    string& operator=(const string&);
    const char* c_str() const;
    size_t size() const;
    size_t length() const;
    bool empty() const;
    char& operator[](size_t);
    string& operator+=(const string&);
};
string operator+(const string&, const string&);
bool operator==(const string&, const string&);
string to_string(long long);
struct ostream {};
template <class T> ostream& operator<<(ostream&, const T&);
ostream& operator<<(ostream&, ostream& (*)(ostream&));
ostream& endl(ostream&);
extern ostream cout, cerr, clog;
struct istream;  // who reads and writes files has no kernels in the same breath: heads of functions name these
class ifstream;
class ofstream;
class fstream;
class istringstream;
class ostringstream;
class stringstream;
istream& getline(istream&, string&);
struct exception {
    virtual const char* what() const;
};
#define GPUOPT_EXCEPTION(NAME, BASE)                                                                                   \
    struct NAME : BASE {                                                                                               \
        NAME(const char*);                                                                                             \
        NAME(const string&);                                                                                           \
    };
GPUOPT_EXCEPTION(runtime_error, exception)
GPUOPT_EXCEPTION(logic_error, exception)
GPUOPT_EXCEPTION(invalid_argument, exception)
GPUOPT_EXCEPTION(out_of_range, exception)
#undef GPUOPT_EXCEPTION
template <class T> struct default_delete {};
template <class T, class D = default_delete<T>> class unique_ptr {
public:
    unique_ptr();
    explicit unique_ptr(T*);
    unique_ptr(unique_ptr&&);
    template <class U, class E> unique_ptr(unique_ptr<U, E>&&);
    unique_ptr& operator=(unique_ptr&&);
    T* get() const;
    T& operator*() const;
    T* operator->() const;
    T* release();
    void reset(T*);
    void reset();
    explicit operator bool() const;
};
template <class T, class D> class unique_ptr<T[], D> {
public:
    unique_ptr();
    explicit unique_ptr(T*);
    unique_ptr(unique_ptr&&);
    unique_ptr& operator=(unique_ptr&&);
    T* get() const;
    T& operator[](size_t) const;
    explicit operator bool() const;
};
template <class T> class shared_ptr {
public:
    shared_ptr();
    template <class U> explicit shared_ptr(U*);
    template <class U> shared_ptr(const shared_ptr<U>&);
    shared_ptr& operator=(const shared_ptr&);
    T* get() const;
    T& operator*() const;
    T* operator->() const;
    explicit operator bool() const;
};
template <class T> class weak_ptr;
// The last element comes first in memory, as in libstdc++'s.
template <class... T> struct gpuopt_row {};
template <class F, class... R> struct gpuopt_row<F, R...> : gpuopt_row<R...> {
    F head;
};
template <class... T> class tuple : gpuopt_row<T...> {
public:
    tuple();
    tuple(const tuple&) = default;
    template <class... U> tuple(U&&...);
    tuple& operator=(const tuple&);
    template <class U> tuple& operator=(U&&);
};
template <class T> struct tuple_size;
template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <size_t I, class T> struct tuple_element;
template <class F, class... R> struct tuple_element<0, tuple<F, R...>> { typedef F type; };
template <size_t I, class F, class... R> struct tuple_element<I, tuple<F, R...>> : tuple_element<I - 1, tuple<R...>> {};
template <size_t I, class T, size_t N> struct tuple_element<I, array<T, N>> { typedef T type; };
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
template <size_t I, class... T> tuple_element_t<I, tuple<T...>>& get(tuple<T...>&);
template <size_t I, class... T> const tuple_element_t<I, tuple<T...>>& get(const tuple<T...>&);
template <size_t I, class... T> tuple_element_t<I, tuple<T...>>&& get(tuple<T...>&&);
template <size_t I, class T, size_t N> constexpr T& get(array<T, N>& row) { return row._M_elems[I]; }
template <size_t I, class T, size_t N> constexpr const T& get(const array<T, N>& row) { return row._M_elems[I]; }
template <size_t I, class T, size_t N> constexpr T&& get(array<T, N>&& row) { return static_cast<T&&>(row._M_elems[I]); }
template <class... T> tuple<T...> make_tuple(T...);
template <class... T> tuple<T&...> tie(T&...);
// No kernel has one: members, parameters and results of host code that stands beside kernels. As large as libstdc++'s.
template <class T> struct hash;
template <size_t Length> struct gpuopt_room {
    alignas(8) char data[Length];
    gpuopt_room();
    gpuopt_room(const gpuopt_room&);
    ~gpuopt_room();
    gpuopt_room& operator=(const gpuopt_room&);
};
template <class K, class V, class L = less<K>, class A = allocator<K>> class map : gpuopt_room<48> {};
template <class K, class V, class L = less<K>, class A = allocator<K>> class multimap : gpuopt_room<48> {};
template <class K, class L = less<K>, class A = allocator<K>> class set : gpuopt_room<48> {};
template <class K, class V, class H = hash<K>, class E = equal_to<K>, class A = allocator<K>>
class unordered_map : gpuopt_room<56> {};
template <class K, class H = hash<K>, class E = equal_to<K>, class A = allocator<K>>
class unordered_set : gpuopt_room<56> {};
template <class T, class A = allocator<T>> class list : gpuopt_room<24> {};
// With bodies: the constructor that they call may launch kernels of a template that nothing else instantiates.
template <class T> struct gpuopt_made {
    template <class... A> static T* of(A&&... given) { return new T(static_cast<A&&>(given)...); }
};
template <class T> struct gpuopt_made<T[]> {
    static T* of(size_t count) { return new T[count](); }
};
template <class T, class... A> unique_ptr<T> make_unique(A&&... given) {
    return unique_ptr<T>(gpuopt_made<T>::of(static_cast<A&&>(given)...));
}
template <class T, class... A> shared_ptr<T> make_shared(A&&... given) {
    return shared_ptr<T>(gpuopt_made<T>::of(static_cast<A&&>(given)...));
}
template <class I> void sort(I, I);
template <class I, class F> void sort(I, I, F);
template <class I, class T> void fill(I, I, const T&);
template <class I, class O> O copy(I, I, O);
template <class I, class F> void generate(I, I, F);
template <class I, class T> T accumulate(I, I, T);
}
