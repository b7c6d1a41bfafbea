// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPService

/// A registration authority on one address, from its initialiser until it is released, with a thread of its own.
package final class RegistryService {
    private let server: HTTPServer
    /// The port that is listened on: the one asked for, or the free one that was taken for 0.
    package var port: UInt16 { server.port }

    /// Returns the machine's time in seconds since 1970, UTC.
    package static func machineTime() -> Int64 { Int64(time(nil)) }

    /// Starts to answer. `address` is a numeric IP address; `registrar` and `now` are used on this service's own thread. Throws
    /// `listenFailed`.
    package init(
        _ registrar: Registrar, address: String, port: UInt16, now: @escaping () -> Int64 = machineTime
    ) throws(RegistryError) {
        do throws(HTTPListenError) {
            server = try HTTPServer(
                address: address, port: port, clock: now, handler: RegistryHTTP(registrar: registrar, now: now))
        } catch { throw RegistryError(.listenFailed, error.detail) }
    }
}
