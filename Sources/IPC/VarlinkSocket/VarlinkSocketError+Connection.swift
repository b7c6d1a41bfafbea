// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What can go wrong with a connection, in the same words for whoever waits and whoever does not.
extension VarlinkSocketError {
    static func unreachable(_ path: String, _ error: Int32) -> Self {
        switch error {
        case ENOENT, ENOTDIR:
            VarlinkSocketError(
                .notThere, "There is no socket at \(path)", advice: "Start the service, or give the path it listens on")
        case ECONNREFUSED:
            VarlinkSocketError(
                .nobodyListens, "Nobody listens at \(path): the service that made the socket is gone",
                advice: "Start the service again and look at its log")
        case EACCES, EPERM:
            VarlinkSocketError(
                .notAllowed, "This user may not connect to \(path)",
                advice: "Run it as the user or group that the socket belongs to (ls -l says which)")
        case ENOTSOCK, EPROTOTYPE:
            VarlinkSocketError(
                .notASocket, "What lies at \(path) is no stream socket", advice: "Give the path of the service's socket")
        default: .system("Connecting to \(path) failed", error)
        }
    }

    static func nobodyAnswers(_ timeout: Duration) -> VarlinkSocketError {
        VarlinkSocketError(
            .timedOut, "Nobody answered within \(timeout.components.seconds) s",
            advice: "See whether the service is alive and what its log says, then try again")
    }

    static func closed(hadReply: Bool) -> VarlinkSocketError {
        guard hadReply else {
            return VarlinkSocketError(
                .notAllowed, "The service closed the connection before it answered anything",
                advice: "It takes no calls from this user, or as many as it may have are connected; its log says which")
        }
        return VarlinkSocketError(
            .closed, "The service closed the connection", advice: "See what its log says, then connect again")
    }
}
