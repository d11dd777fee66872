/* foo.h - "Runtime intercept tables": the public function of the sample's runtime. */
#ifndef FOO_H
#define FOO_H

extern "C"
{
// forward declaration of public C API function
int
foo(int) __attribute__((visibility("default")));
}

namespace impl
{
struct dispatch_table
{
    int (*foo_fn)(int) = nullptr;
};
}

#endif
