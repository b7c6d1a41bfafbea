// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CMICROHTTPD_SHIM_H
#define VIGIL_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
// A NUL written as %00 would end the path early, and /a%00b be answered as /a. No path here has the byte that stands for it instead.
// Returns the bytes of the unescaped text.
static inline size_t vigil_http_unescape(void *context, struct MHD_Connection *connection, char *text) {
    size_t count = MHD_http_unescape(text);
    (void)context;
    (void)connection;
    for (size_t index = 0; index < count; index++)
        if (text[index] == 0) text[index] = 1;
    return count;
}
// Starts a server with one thread of its own: HTTP on a socket that listens already, at most `connections` at once, each with at most `memory`
// bytes; those that are silent for `seconds` are closed. NULL when it cannot be started. The answers' Date is the caller's to give.
// MHD_start_daemon is variadic, which Swift cannot import.
static inline struct MHD_Daemon *vigil_http_start(int descriptor, MHD_AccessHandlerCallback handler, void *context,
                                                  MHD_RequestCompletedCallback completed, unsigned connections,
                                                  unsigned seconds, size_t memory) {
    return MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_SUPPRESS_DATE_NO_CLOCK | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context,
                            MHD_OPTION_LISTEN_SOCKET, descriptor, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                            MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_UNESCAPE_CALLBACK, vigil_http_unescape, NULL,
                            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}
// The same without a thread: whoever has the loop waits for the descriptor of `vigil_http_descriptor` and calls MHD_run. Connections are
// handed over (MHD_add_connection). With key and certificate (PEM) it is HTTPS, from TLS 1.2 on; with NULL for both it is HTTP. NULL when
// it cannot be started.
static inline struct MHD_Daemon *vigil_http_join(MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
                                                 MHD_NotifyConnectionCallback notify, void *context, unsigned connections,
                                                 unsigned seconds, size_t memory, const char *key, const char *certificate) {
    unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_SUPPRESS_DATE_NO_CLOCK | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:%SERVER_PRECEDENCE"},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    if (key) flags |= MHD_USE_TLS;
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                            MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_CONNECTION_LIMIT, connections,
                            MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
                            MHD_OPTION_UNESCAPE_CALLBACK, vigil_http_unescape, NULL, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
                            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, key ? secure : plain, MHD_OPTION_END);
}
// The descriptor that is readable when MHD_run has something to do, -1 if there is none. It stays the server's.
static inline int vigil_http_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->listen_fd : -1;
}
// The connection's socket, -1 if there is none.
static inline int vigil_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
// Milliseconds until MHD_run is wanted though nothing is ready; -1 for never.
static inline long long vigil_http_timeout(struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    return MHD_get_timeout(daemon, &milliseconds) == MHD_YES ? (long long)milliseconds : -1;
}
// Whether a notice says that a connection was closed: 1 or 0.
static inline int vigil_http_has_closed(enum MHD_ConnectionNotificationCode code) { return code == MHD_CONNECTION_NOTIFY_CLOSED; }
// Calls `take` for each parameter of the request's address, until it says no.
static inline void vigil_http_each_query(struct MHD_Connection *connection, MHD_KeyValueIterator take, void *context) {
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take, context);
}
// An answer whose bytes come as they come; `next` gives 0 after it has suspended the connection, and the end by `vigil_http_end`.
// `release` is called once at the end. NULL when there is no memory.
static inline struct MHD_Response *vigil_http_stream(MHD_ContentReaderCallback next, void *context,
                                                     MHD_ContentReaderFreeCallback release) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, next, context, release);
}
// What a stream's `next` returns at the end.
static inline ssize_t vigil_http_end(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
// Swift names the cases of these enumerations differently with each version of the library.
static inline enum MHD_Result vigil_http_yes(void) { return MHD_YES; }
static inline enum MHD_Result vigil_http_no(void) { return MHD_NO; }
// Calls `take` for each header of the request, until it says no.
static inline void vigil_http_each_header(struct MHD_Connection *connection, MHD_KeyValueIterator take, void *context) {
    MHD_get_connection_values(connection, MHD_HEADER_KIND, take, context);
}
// An answer with a copy of `count` bytes; NULL when there is no memory.
static inline struct MHD_Response *vigil_http_copy(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
#endif
