/* format.h - how the values of arguments become text. */
#ifndef CROCPROF_SDK_FORMAT_H
#define CROCPROF_SDK_FORMAT_H

typedef enum {
    SDK_FORMAT_NONE,
    SDK_FORMAT_BOOL,
    SDK_FORMAT_CHAR,
    SDK_FORMAT_INT,
    SDK_FORMAT_UINT,
    SDK_FORMAT_FLOAT,
    SDK_FORMAT_DOUBLE,
    SDK_FORMAT_DIM3,     /* three 32-bit numbers */
    SDK_FORMAT_HANDLE,   /* a structure that holds one 64-bit number */
    SDK_FORMAT_ADDRESS,  /* the address as a number, even if null */
    SDK_FORMAT_POINTER,  /* the address as a number, or "(null)" */
    SDK_FORMAT_STRING,   /* const char*: the text */
    SDK_FORMAT_TEXT_OUT, /* char*: the text, once the function has written it */
    SDK_FORMAT_ENUM,     /* the name of the value */
    SDK_FORMAT_EXTENT,   /* three sizes: hipExtent, hipPos */
    SDK_FORMAT_PITCHED,  /* hipPitchedPtr */
    SDK_FORMAT_LOCATION, /* hipMemLocation */
    SDK_FORMAT_OTHER,    /* an enumeration without names, or an opaque type: a number of its size */
} sdk_argument_format_t;

#endif
