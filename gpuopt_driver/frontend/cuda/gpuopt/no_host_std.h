// What kernels, and host code around launches, use of the C++ library, for parsing without any host header.
#pragma once

namespace std {
using ::size_t;
using ::ptrdiff_t;
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
using ::isnan;
using ::isinf;
using ::isfinite;
using ::memcpy;
using ::memset;
template <class T> const T& min(const T&, const T&);
template <class T> const T& max(const T&, const T&);
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> void swap(T&, T&);
template <class T> typename remove_reference<T>::type&& move(T&&);
template <class T> T&& forward(typename remove_reference<T>::type&);
template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    constexpr operator T() const { return V; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class X, class Y> struct conditional { typedef X type; };
template <class X, class Y> struct conditional<false, X, Y> { typedef Y type; };
template <bool B, class X, class Y> using conditional_t = typename conditional<B, X, Y>::type;
template <class T> struct remove_cv { typedef T type; };
template <class T> struct remove_cv<const T> { typedef T type; };
template <class T> struct remove_cv<volatile T> { typedef T type; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <size_t Length, size_t Align = 16> struct aligned_storage {
    struct __attribute__((aligned(Align))) type { unsigned char data[Length]; };
};
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
        static constexpr bool is_integer = true, is_specialized = true;                                                \
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
        static constexpr bool is_signed = true, is_integer = false, is_specialized = true;                             \
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

// Host-side classes, as far as launches depend on them.
template <class T> class allocator;
template <class T, class Allocator = allocator<T>> class vector {
public:
    typedef T value_type;
    typedef T* iterator;
    typedef const T* const_iterator;
    vector();
    vector(size_t);
    vector(size_t, const T&);
    vector(const T*, const T*);
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
template <class F> class function;
template <class R, class... A> class function<R(A...)> {
public:
    function();
    template <class F> function(F);
    R operator()(A...) const;
    explicit operator bool() const;
};
class string {
public:
    string();
    string(const char*);
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
template <size_t I, class T> struct tuple_element;
template <class F, class... R> struct tuple_element<0, tuple<F, R...>> { typedef F type; };
template <size_t I, class F, class... R> struct tuple_element<I, tuple<F, R...>> : tuple_element<I - 1, tuple<R...>> {};
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
template <size_t I, class... T> tuple_element_t<I, tuple<T...>>& get(tuple<T...>&);
template <size_t I, class... T> const tuple_element_t<I, tuple<T...>>& get(const tuple<T...>&);
template <size_t I, class... T> tuple_element_t<I, tuple<T...>>&& get(tuple<T...>&&);
template <class... T> tuple<T...> make_tuple(T...);
template <class... T> tuple<T&...> tie(T&...);
// No kernel has one: members, parameters and results of host code that stands beside kernels. As large as libstdc++'s.
template <class T> struct hash;
template <size_t Length> struct gpuopt_room {
    alignas(8) char data[Length];
};
template <class K, class V, class L = less<K>, class A = allocator<K>> class map : gpuopt_room<48> {};
template <class K, class V, class L = less<K>, class A = allocator<K>> class multimap : gpuopt_room<48> {};
template <class K, class L = less<K>, class A = allocator<K>> class set : gpuopt_room<48> {};
template <class K, class V, class H = hash<K>, class E = equal_to<K>, class A = allocator<K>>
class unordered_map : gpuopt_room<56> {};
template <class K, class H = hash<K>, class E = equal_to<K>, class A = allocator<K>>
class unordered_set : gpuopt_room<56> {};
template <class T, class A = allocator<T>> class list : gpuopt_room<24> {};
template <class T, class... A> unique_ptr<T> make_unique(A&&...);
template <class T, class... A> shared_ptr<T> make_shared(A&&...);
template <class I> void sort(I, I);
template <class I, class F> void sort(I, I, F);
template <class I, class T> void fill(I, I, const T&);
template <class I, class O> O copy(I, I, O);
template <class I, class F> void generate(I, I, F);
template <class I, class T> T accumulate(I, I, T);
}
