"""libclang's numbers for the kinds of cursors and types that the frontend tells apart."""

from __future__ import annotations


class K:
    """The cursor kinds that the frontend tells apart (CXCursorKind).

    Plain numbers: comparing with a member of an enumeration takes four times as long, and little else is done as often.
    """

    UNEXPOSED_DECL = 1
    STRUCT_DECL = 2
    UNION_DECL = 3
    CLASS_DECL = 4
    ENUM_DECL = 5
    FIELD_DECL = 6
    ENUM_CONSTANT = 7
    FUNCTION_DECL = 8
    VAR_DECL = 9
    PARM_DECL = 10
    CXX_METHOD = 21
    TYPEDEF = 20
    NAMESPACE = 22
    LINKAGE_SPEC = 23
    CONSTRUCTOR = 24
    DESTRUCTOR = 25
    CONVERSION = 26
    TEMPLATE_TYPE = 27
    TEMPLATE_NON_TYPE = 28
    TEMPLATE_TEMPLATE = 29
    FUNCTION_TEMPLATE = 30
    CLASS_TEMPLATE = 31
    CLASS_PARTIAL = 32
    USING_DIRECTIVE = 34
    USING_DECL = 35
    TYPE_ALIAS = 36
    TYPE_REF = 43
    TEMPLATE_REF = 45
    NAMESPACE_REF = 46
    BASE_SPECIFIER = 44
    MEMBER_REF = 47
    OVERLOADED_REF = 49
    VARIABLE_REF = 50
    UNEXPOSED_EXPR = 100
    DECL_REF = 101
    MEMBER_EXPR = 102
    CALL = 103
    INTEGER = 106
    FLOATING = 107
    STRING = 109
    CHARACTER = 110
    PAREN = 111
    UNARY = 112
    SUBSCRIPT = 113
    BINARY = 114
    COMPOUND_ASSIGN = 115
    CONDITIONAL = 116
    C_CAST = 117
    COMPOUND_LITERAL = 118
    INIT_LIST = 119
    STMT_EXPR = 121
    STATIC_CAST = 124
    DYNAMIC_CAST = 125
    REINTERPRET_CAST = 126
    CONST_CAST = 127
    FUNCTIONAL_CAST = 128
    BOOL = 130
    NULLPTR = 131
    THIS = 132
    NEW = 134
    DELETE = 135
    SIZEOF = 136
    PACK_EXPANSION = 142
    SIZEOF_PACK = 143
    LAMBDA = 144
    PAREN_LIST = 155
    UNEXPOSED_STMT = 200
    LABEL = 201
    COMPOUND = 202
    CASE = 203
    DEFAULT = 204
    IF = 205
    SWITCH = 206
    WHILE = 207
    DO = 208
    FOR = 209
    GOTO = 210
    INDIRECT_GOTO = 211
    CONTINUE = 212
    BREAK = 213
    RETURN = 214
    ASM = 215
    CATCH = 223
    TRY = 224
    RANGE_FOR = 225
    MS_ASM = 229
    NULL_STMT = 230
    DECL_STMT = 231
    UNEXPOSED_ATTR = 400
    ANNOTATE_ATTR = 406
    GLOBAL_ATTR = 414
    DEVICE_ATTR = 413
    CONSTANT_ATTR = 412
    HOST_ATTR = 415
    SHARED_ATTR = 416
    VISIBILITY_ATTR = 417
    FRIEND_DECL = 603


class T:
    """The type kinds that the frontend tells apart (CXTypeKind)."""

    INVALID = 0
    UNEXPOSED = 1
    VOID = 2
    BOOL = 3
    ENUM = 106
    POINTER = 101
    LVALUE_REF = 103
    RVALUE_REF = 104
    RECORD = 105
    FUNCTION_PROTO = 111
    CONSTANT_ARRAY = 112
    INCOMPLETE_ARRAY = 114
    VARIABLE_ARRAY = 115
    DEPENDENT_ARRAY = 116
    AUTO = 118


INTEGER_TYPES = frozenset({*range(3, 21), int(T.ENUM)})  # bool, characters, integers up to 128 bits
FLOAT_TYPES = frozenset(
    {21, 22, 23, 30, 31, 32, 39}
)  # float, double, long double, __float128, half, _Float16, bfloat16
REFERENCE_TYPES = frozenset({T.LVALUE_REF, T.RVALUE_REF})
ARRAY_TYPES = frozenset({112, 114, 115, 116})
