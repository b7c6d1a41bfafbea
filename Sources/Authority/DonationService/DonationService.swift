// SPDX-License-Identifier: Apache-2.0

package import Donation
import Glibc
import HTTPService
import SystemCalls

/// An issuer, a donation server or its redemption of passwords on one address, from its initialiser until it is released, with a thread of its own.
package final class DonationService {
    private let server: HTTPServer
    /// The port that is listened on: the one asked for, or the free one that was taken for 0.
    package var port: UInt16 { server.port }

    /// Returns the machine's time in seconds since 1970, UTC.
    package static func machineTime() -> Int64 { Int64(time(nil)) }

    /// Starts to answer requests for tokens. `address` is a numeric IP address; `issuer` and `now` are used on this service's own thread.
    /// Throws `listenFailed`.
    package convenience init(
        _ issuer: TokenIssuer, address: String, port: UInt16, slotMilliseconds: Double = 100,
        now: @escaping () -> Int64 = machineTime
    ) throws(DonationServiceError) {
        try self.init(IssuerHTTP(issuer: issuer, now: now, slotMilliseconds: slotMilliseconds), address, port, now)
    }

    /// Starts to take donations. Otherwise the same as for an issuer.
    package convenience init(
        _ donations: DonationServer, address: String, port: UInt16, slotMilliseconds: Double = 100,
        now: @escaping () -> Int64 = machineTime
    ) throws(DonationServiceError) {
        try self.init(DonationHTTP(server: donations, now: now, slotMilliseconds: slotMilliseconds), address, port, now)
    }

    /// Starts to redeem passwords of surveys, which is asked by the survey and by no board. Otherwise the same as for an issuer.
    package convenience init(
        _ redemption: RedemptionHTTP, address: String, port: UInt16, now: @escaping () -> Int64 = machineTime
    ) throws(DonationServiceError) {
        try self.init(redemption, address, port, now)
    }

    private init(
        _ handler: any HTTPHandler, _ address: String, _ port: UInt16, _ now: @escaping () -> Int64
    ) throws(DonationServiceError) {
        do throws(HTTPListenError) {
            server = try HTTPServer(address: address, port: port, clock: now, handler: handler)
        } catch { throw DonationServiceError(.listenFailed, error.detail) }
    }
}

/// The region's terms in a file, read again when the file has changed; terms that cannot be read leave the earlier ones in force. Used by
/// one thread.
package final class TermsFile {
    private struct Version: Equatable {
        let inode: UInt64
        let size: Int
        let seconds: Int, nanoseconds: Int
    }

    private let path: String
    private var version: Version?
    private var terms: DonationTerms?

    /// Watches the file at `path`; nothing is read yet.
    package init(path: String) { self.path = path }

    /// The terms of now; `nil` if there never were any that could be read. Costs a call of the system if nothing has changed.
    package func current() -> DonationTerms? {
        var status = stat()
        guard stat(path, &status) == 0 else { return terms }
        let found = Version(
            inode: UInt64(status.st_ino), size: Int(status.st_size), seconds: Int(status.st_mtim.tv_sec),
            nanoseconds: Int(status.st_mtim.tv_nsec))
        guard found != version else { return terms }
        version = found
        guard let bytes = try? WholeFile.read(path, limit: DonationTerms.maximumByteCount),
            let read = DonationTerms(decoding: bytes)
        else { return terms }
        // An older document would bring back keys that the region has replaced.
        if let terms, read.version < terms.version { return terms }
        terms = read
        return read
    }
}
