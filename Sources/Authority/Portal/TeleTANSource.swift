// SPDX-License-Identifier: Apache-2.0

public import Verification
public import VerificationClients

/// A teleTAN that was issued, with what the page shows beside it. Nothing is checked.
public struct IssuedTeleTAN: Sendable {
    /// The 13 characters of the teleTAN (``TeleTANIssuing``), without gaps. Secret until it is used, so it must not be
    /// logged.
    public var text: String
    /// The kind of warning that the teleTAN is for: a test or an event.
    public var kind: WarningType
    /// The seconds for which the teleTAN is valid, from its issue; above 0.
    public var validSeconds: Int64

    /// Creates a value of these parts, which are not checked; `validSeconds` counts from the issue.
    public init(text: String, kind: WarningType, validSeconds: Int64) {
        self.text = text
        self.kind = kind
        self.validSeconds = validSeconds
    }
}

/// The source of teleTANs: a verification server in this process, or one elsewhere.
public protocol TeleTANSource: AnyObject {
    /// Returns a new teleTAN at `now` (Unix seconds). May block for as long as another server takes. Throws `limitReached`
    /// when the verification server issues no more this hour, and `sourceFailed` for any other reason and for a kind that
    /// has no teleTANs; the detail is the raw value of the ``VerificationError``'s code.
    func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> IssuedTeleTAN
}

/// A source of teleTANs in this process, over the verification server's own storage. Use it on one thread at a time.
public final class LocalTeleTANSource: TeleTANSource {
    private let server: VerificationServer

    /// Creates a source over `server`, which is used on the caller's thread. Each teleTAN blocks on the server's database.
    /// Cannot fail.
    public init(_ server: VerificationServer) { self.server = server }

    /// Returns a teleTAN issued by the server of this process at `now` (Unix seconds); it is durable when this returns.
    /// Throws as ``TeleTANSource/teleTAN(_:now:)`` does.
    public func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> IssuedTeleTAN {
        do throws(VerificationError) {
            return IssuedTeleTAN(
                text: try server.issueTeleTAN(kind, now: now), kind: kind, validSeconds: server.rules.teleTANSeconds(kind))
        } catch {
            throw PortalError(error)
        }
    }
}

/// A source of teleTANs of a verification server elsewhere, over its internal route. Use it on one thread at a time.
public final class RemoteTeleTANSource: TeleTANSource {
    private let client: InternalClient

    /// Creates a source over `client`, which only this object may use. Connects to nothing yet.
    public init(_ client: InternalClient) { self.client = client }

    /// Returns a teleTAN issued by the server elsewhere, which uses its own time: `now` is ignored. Blocks for up to ten
    /// seconds. Throws as ``TeleTANSource/teleTAN(_:now:)`` does.
    public func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> IssuedTeleTAN {
        do throws(VerificationError) {
            let issued = try client.teleTAN(kind)
            return IssuedTeleTAN(text: issued.text, kind: kind, validSeconds: issued.validSeconds)
        } catch { throw PortalError(error) }
    }
}

extension PortalError {
    /// What a verification server's refusal means here.
    init(_ error: VerificationError) {
        self.init(error.code == .teleTANRateExceeded ? .limitReached : .sourceFailed, error.code.rawValue)
    }
}
