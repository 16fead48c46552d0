// Type traits of the C++ library, by the compiler's own, for parsing without any host header.
#pragma once

namespace std {
using ::size_t;
template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    typedef T value_type;
    typedef integral_constant type;
    constexpr operator T() const noexcept { return V; }
    constexpr T operator()() const noexcept { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;
template <class...> using void_t = void;

template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class X, class Y> struct conditional { typedef X type; };
template <class X, class Y> struct conditional<false, X, Y> { typedef Y type; };
template <bool B, class X, class Y> using conditional_t = typename conditional<B, X, Y>::type;
template <class...> struct conjunction : true_type {};
template <class B> struct conjunction<B> : B {};
template <class B, class... R> struct conjunction<B, R...> : conditional_t<bool(B::value), conjunction<R...>, B> {};
template <class...> struct disjunction : false_type {};
template <class B> struct disjunction<B> : B {};
template <class B, class... R> struct disjunction<B, R...> : conditional_t<bool(B::value), B, disjunction<R...>> {};
template <class B> struct negation : bool_constant<!bool(B::value)> {};
template <class... B> inline constexpr bool conjunction_v = conjunction<B...>::value;
template <class... B> inline constexpr bool disjunction_v = disjunction<B...>::value;
template <class B> inline constexpr bool negation_v = negation<B>::value;

#define GPUOPT_CHANGE(NAME) template <class T> using NAME##_t = typename NAME<T>::type;
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <class T> struct remove_cvref { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T*> { typedef T type; };
template <class T> struct remove_pointer<T* const> { typedef T type; };
template <class T> struct remove_extent { typedef T type; };
template <class T> struct remove_extent<T[]> { typedef T type; };
template <class T, size_t N> struct remove_extent<T[N]> { typedef T type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct add_pointer { typedef typename remove_reference<T>::type* type; };
template <class T> struct add_lvalue_reference { typedef T& type; };
template <> struct add_lvalue_reference<void> { typedef void type; };
template <class T> struct add_rvalue_reference { typedef T&& type; };
template <> struct add_rvalue_reference<void> { typedef void type; };
template <class T> struct decay { typedef __decay(T) type; };
template <class T, bool = __is_enum(T)> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> struct underlying_type<T, false> {};
template <class T> struct make_signed { typedef __make_signed(T) type; };
template <class T> struct make_unsigned { typedef __make_unsigned(T) type; };
GPUOPT_CHANGE(remove_reference)
GPUOPT_CHANGE(remove_const)
GPUOPT_CHANGE(remove_volatile)
GPUOPT_CHANGE(remove_cv)
GPUOPT_CHANGE(remove_cvref)
GPUOPT_CHANGE(remove_pointer)
GPUOPT_CHANGE(remove_extent)
GPUOPT_CHANGE(add_const)
GPUOPT_CHANGE(add_pointer)
GPUOPT_CHANGE(add_lvalue_reference)
GPUOPT_CHANGE(add_rvalue_reference)
GPUOPT_CHANGE(decay)
GPUOPT_CHANGE(underlying_type)
GPUOPT_CHANGE(make_signed)
GPUOPT_CHANGE(make_unsigned)
#undef GPUOPT_CHANGE
template <class T> typename add_rvalue_reference<T>::type declval() noexcept;

#define GPUOPT_TRAIT(NAME, VALUE)                                                                                      \
    template <class T> struct NAME : bool_constant<VALUE> {};                                                          \
    template <class T> inline constexpr bool NAME##_v = NAME<T>::value;
GPUOPT_TRAIT(is_void, __is_void(T))
GPUOPT_TRAIT(is_integral, __is_integral(T))
GPUOPT_TRAIT(is_floating_point, __is_floating_point(T))
GPUOPT_TRAIT(is_arithmetic, __is_arithmetic(T))
GPUOPT_TRAIT(is_fundamental, __is_fundamental(T))
GPUOPT_TRAIT(is_scalar, __is_scalar(T))
GPUOPT_TRAIT(is_object, __is_object(T))
GPUOPT_TRAIT(is_compound, __is_compound(T))
GPUOPT_TRAIT(is_signed, __is_signed(T))
GPUOPT_TRAIT(is_unsigned, __is_unsigned(T))
GPUOPT_TRAIT(is_enum, __is_enum(T))
GPUOPT_TRAIT(is_class, __is_class(T))
GPUOPT_TRAIT(is_union, __is_union(T))
GPUOPT_TRAIT(is_function, __is_function(T))
GPUOPT_TRAIT(is_array, __is_array(T))
GPUOPT_TRAIT(is_pointer, __is_pointer(T))
GPUOPT_TRAIT(is_member_pointer, __is_member_pointer(T))
GPUOPT_TRAIT(is_reference, __is_reference(T))
GPUOPT_TRAIT(is_lvalue_reference, __is_lvalue_reference(T))
GPUOPT_TRAIT(is_rvalue_reference, __is_rvalue_reference(T))
GPUOPT_TRAIT(is_const, __is_const(T))
GPUOPT_TRAIT(is_volatile, __is_volatile(T))
GPUOPT_TRAIT(is_empty, __is_empty(T))
GPUOPT_TRAIT(is_polymorphic, __is_polymorphic(T))
GPUOPT_TRAIT(is_abstract, __is_abstract(T))
GPUOPT_TRAIT(is_final, __is_final(T))
GPUOPT_TRAIT(is_pod, __is_pod(T))
GPUOPT_TRAIT(is_trivial, __is_trivial(T))
GPUOPT_TRAIT(is_standard_layout, __is_standard_layout(T))
GPUOPT_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
GPUOPT_TRAIT(is_default_constructible, __is_constructible(T))
GPUOPT_TRAIT(is_trivially_default_constructible, __is_trivially_constructible(T))
GPUOPT_TRAIT(is_nothrow_default_constructible, __is_nothrow_constructible(T))
GPUOPT_TRAIT(is_copy_constructible, (__is_constructible(T, typename add_lvalue_reference<const T>::type)))
GPUOPT_TRAIT(is_move_constructible, (__is_constructible(T, typename add_rvalue_reference<T>::type)))
GPUOPT_TRAIT(is_trivially_copy_constructible, (__is_trivially_constructible(T, typename add_lvalue_reference<const T>::type)))
GPUOPT_TRAIT(is_trivially_move_constructible, (__is_trivially_constructible(T, typename add_rvalue_reference<T>::type)))
GPUOPT_TRAIT(is_copy_assignable,
             (__is_assignable(typename add_lvalue_reference<T>::type, typename add_lvalue_reference<const T>::type)))
GPUOPT_TRAIT(is_move_assignable,
             (__is_assignable(typename add_lvalue_reference<T>::type, typename add_rvalue_reference<T>::type)))
GPUOPT_TRAIT(is_trivially_copy_assignable, (__is_trivially_assignable(typename add_lvalue_reference<T>::type,
                                                                      typename add_lvalue_reference<const T>::type)))
GPUOPT_TRAIT(is_trivially_move_assignable, (__is_trivially_assignable(typename add_lvalue_reference<T>::type,
                                                                      typename add_rvalue_reference<T>::type)))
GPUOPT_TRAIT(is_destructible, __is_destructible(T))
GPUOPT_TRAIT(is_trivially_destructible, __is_trivially_destructible(T))
#undef GPUOPT_TRAIT
template <class B, class D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class F, class T> struct is_convertible : bool_constant<__is_convertible_to(F, T)> {};
template <class T, class... A> struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T, class U> struct is_assignable : bool_constant<__is_assignable(T, U)> {};
template <class B, class D> inline constexpr bool is_base_of_v = is_base_of<B, D>::value;
template <class F, class T> inline constexpr bool is_convertible_v = is_convertible<F, T>::value;
template <class T, class... A> inline constexpr bool is_constructible_v = is_constructible<T, A...>::value;
template <class T, class U> inline constexpr bool is_assignable_v = is_assignable<T, U>::value;
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T> inline constexpr size_t alignment_of_v = alignof(T);
template <size_t Length, size_t Align = 16> struct aligned_storage {
    struct __attribute__((aligned(Align))) type { unsigned char data[Length]; };
};
}
