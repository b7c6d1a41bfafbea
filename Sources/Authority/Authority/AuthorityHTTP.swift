// SPDX-License-Identifier: Apache-2.0

import HTTPService

extension HTTPServer {
    /// Listens with the authority's clock, and says what went wrong in its words.
    convenience init(
        address: String, port: UInt16, clock: AuthorityClock, handler: any HTTPHandler
    ) throws(AuthorityError) {
        do throws(HTTPListenError) {
            try self.init(address: address, port: port, clock: { clock.seconds() }, handler: handler)
        } catch {
            throw AuthorityError(.listenFailed, error.detail)
        }
    }
}
