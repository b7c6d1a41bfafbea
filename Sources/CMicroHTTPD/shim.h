// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CMICROHTTPD_SHIM_H
#define VIGIL_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
// MHD_start_daemon is variadic, which Swift cannot import. One thread of its own; HTTP on a socket that listens already; connections
// that are silent for `seconds` are closed. The answers' Date is the caller's to give.
static inline struct MHD_Daemon *vigil_http_start(int descriptor, MHD_AccessHandlerCallback handler, void *context,
                                                  MHD_RequestCompletedCallback completed, unsigned connections,
                                                  unsigned seconds, size_t memory) {
    return MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_SUPPRESS_DATE_NO_CLOCK, 0, NULL, NULL, handler, context,
                            MHD_OPTION_LISTEN_SOCKET, descriptor, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                            MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_END);
}
// Swift names the cases of these enumerations differently with each version of the library.
static inline enum MHD_Result vigil_http_yes(void) { return MHD_YES; }
static inline enum MHD_Result vigil_http_no(void) { return MHD_NO; }
static inline const char *vigil_http_header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}
static inline struct MHD_Response *vigil_http_copy(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
#endif
