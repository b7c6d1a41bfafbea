// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CPKCS11_SHIM_H
#define VIGIL_CPKCS11_SHIM_H
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <dlfcn.h>
// The functions of the module at `path`, whose C_GetFunctionList is the only symbol that is looked up; NULL if it is no module. It stays loaded: a
// module may have threads. Swift cannot call what dlsym gives without guessing its type.
static inline CK_FUNCTION_LIST_PTR vigil_pkcs11_load(const char *path) {
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) return 0;
    CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(module, "C_GetFunctionList");
    CK_FUNCTION_LIST_PTR functions = 0;
    if (!get || get(&functions) != CKR_OK) return 0;
    return functions;
}
#endif
