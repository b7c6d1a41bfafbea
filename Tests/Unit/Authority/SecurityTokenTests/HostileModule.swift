// SPDX-License-Identifier: Apache-2.0

/// A module that is SoftHSM with one fault, in C, because it is loaded as modules are: `FAULT` is the name of a function's fault.
enum HostileModule {
    static let source = #"""
        #include <p11-kit-1/p11-kit/pkcs11.h>
        #include <dlfcn.h>
        #include <string.h>
        static CK_FUNCTION_LIST_PTR real;
        static CK_FUNCTION_LIST mine;
        static int signs;
        #define FAULT_IS(name) (strcmp(FAULT, name) == 0)
        static CK_RV sign(CK_SESSION_HANDLE s, unsigned char *d, CK_ULONG n, unsigned char *out, CK_ULONG *len) {
            CK_RV result = real->C_Sign(s, d, n, out, len);
            if (FAULT_IS("wrong signature")) out[40] ^= 1;
            if (FAULT_IS("long signature")) *len = 1UL << 62;
            if (FAULT_IS("short signature")) *len = 63;
            if (FAULT_IS("zeros")) memset(out, 0, *len);
            return result;
        }
        static CK_RV sign_init(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_OBJECT_HANDLE k) {
            signs++;
            if (FAULT_IS("removed for good")) return CKR_DEVICE_REMOVED;
            if (FAULT_IS("removed once") && signs == 2) return CKR_DEVICE_REMOVED;
            if (FAULT_IS("session lost once") && signs == 2) { real->C_CloseSession(s); return CKR_SESSION_HANDLE_INVALID; }
            if (FAULT_IS("no such mechanism")) return CKR_MECHANISM_INVALID;
            if (FAULT_IS("unknown") ) return 0x80000001UL;
            if (FAULT_IS("PIN changed") && signs >= 2) return CKR_SESSION_CLOSED;
            return real->C_SignInit(s, m, k);
        }
        static CK_RV login(CK_SESSION_HANDLE s, CK_USER_TYPE u, unsigned char *p, CK_ULONG n) {
            static int logins;
            if (FAULT_IS("PIN locked")) return CKR_PIN_LOCKED;
            if (FAULT_IS("no PIN")) return CKR_USER_PIN_NOT_INITIALIZED;
            if (FAULT_IS("PIN changed") && ++logins == 2) return CKR_PIN_INCORRECT;
            return real->C_Login(s, u, p, n);
        }
        static CK_RV slots(unsigned char present, CK_SLOT_ID *list, CK_ULONG *count) {
            if (FAULT_IS("many slots") && !list) { *count = 1UL << 60; return CKR_OK; }
            CK_RV result = real->C_GetSlotList(present, list, count);
            if (FAULT_IS("more slots than asked for") && list) *count = 1000000;
            return result;
        }
        static CK_RV find(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE *list, CK_ULONG most, CK_ULONG *count) {
            CK_RV result = real->C_FindObjects(s, list, most, count);
            if (FAULT_IS("more objects than asked for")) *count = 1UL << 40;
            return result;
        }
        static CK_RV attribute(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE o, CK_ATTRIBUTE *a, CK_ULONG n) {
            CK_RV result = real->C_GetAttributeValue(s, o, a, n);
            if (FAULT_IS("long attribute") && a->type == CKA_EC_POINT) a->ulValueLen = CK_UNAVAILABLE_INFORMATION;
            if (FAULT_IS("no point of the curve") && a->type == CKA_EC_POINT) memset((char *)a->pValue + 10, 7, 40);
            if (FAULT_IS("another curve") && a->type == CKA_EC_PARAMS) ((char *)a->pValue)[9] = 8;
            if (FAULT_IS("can leave") && a->type == CKA_EXTRACTABLE) *(char *)a->pValue = 1;
            return result;
        }
        CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
            void *module = dlopen(MODULE, RTLD_NOW | RTLD_LOCAL);
            if (!module) return CKR_GENERAL_ERROR;
            CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(module, "C_GetFunctionList");
            if (!get || get(&real) != CKR_OK) return CKR_GENERAL_ERROR;
            mine = *real;
            mine.C_Sign = sign;
            mine.C_SignInit = sign_init;
            mine.C_Login = login;
            mine.C_GetSlotList = slots;
            mine.C_FindObjects = find;
            mine.C_GetAttributeValue = attribute;
            if (FAULT_IS("missing function")) mine.C_Sign = 0;
            if (FAULT_IS("no list")) { *list = 0; return CKR_OK; }
            *list = &mine;
            return CKR_OK;
        }
        """#
}
