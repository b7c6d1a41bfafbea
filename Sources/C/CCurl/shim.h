// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CCURL_SHIM_H
#define VIGIL_CCURL_SHIM_H
#include <curl/curl.h>

// Swift cannot call functions with a variable number of arguments: one for each kind of argument. Each returns libcurl's result, CURLE_OK
// (0) when the option was set or the information stored; the kind must be the one that libcurl documents for it. Strings are copied,
// pointers and functions are not.
static inline CURLcode vigil_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode vigil_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode vigil_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode vigil_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
// The bytes are copied; NULL makes libcurl forget those of before.
static inline CURLcode vigil_curl_set_blob(CURL *handle, CURLoption option, const void *data, size_t count) {
    struct curl_blob blob = {(void *)data, count, CURL_BLOB_COPY};
    return curl_easy_setopt(handle, option, data ? &blob : (struct curl_blob *)0);
}
static inline CURLcode vigil_curl_set_data_function(
    CURL *handle, CURLoption option, size_t (*function)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(handle, option, function);
}
static inline CURLcode vigil_curl_set_progress_function(
    CURL *handle, int (*function)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t)) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
}
static inline CURLcode vigil_curl_set_request_function(CURL *handle, int (*function)(void *, char *, char *, int, int)) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}
static inline CURLcode vigil_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode vigil_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode vigil_curl_get_string(CURL *handle, CURLINFO info, char **value) {
    return curl_easy_getinfo(handle, info, value);
}
#endif
