// SPDX-License-Identifier: Apache-2.0

public import Verification
public import VerificationClients

/// A teleTAN as the page shows it. Nothing is checked.
public struct IssuedTeleTAN: Sendable {
    /// The teleTAN's 13 characters (``TeleTANIssuing``), without gaps. Secret until it is used: never for logs.
    public var text: String
    /// The kind of warning that the teleTAN is for: a test or an event.
    public var kind: WarningType
    /// Seconds for which the teleTAN is good, from its issue on; above 0.
    public var validSeconds: Int64

    /// A teleTAN of these parts, unchecked; `validSeconds` counts from its issue on.
    public init(text: String, kind: WarningType, validSeconds: Int64) {
        self.text = text
        self.kind = kind
        self.validSeconds = validSeconds
    }
}

/// The source of teleTANs: a verification server in this process, or one elsewhere.
public protocol TeleTANSource: AnyObject {
    /// A new teleTAN at `now` (Unix seconds). May block for as long as another server takes. Throws `limitReached` when
    /// the verification server issues no more this hour, `sourceFailed` for any other reason and for a kind that has no
    /// teleTANs; the detail is the raw value of the code of the ``VerificationError``.
    func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> IssuedTeleTAN
}

/// A source of teleTANs in this process, over the verification server's own storage. One thread at a time.
public final class LocalTeleTANSource: TeleTANSource {
    private let server: VerificationServer

    /// A source over the server of this process, which is used on the caller's thread. Each teleTAN blocks on its database.
    /// Cannot fail.
    public init(_ server: VerificationServer) { self.server = server }

    /// A teleTAN from the server's own storage, issued at `now` (Unix seconds) and durable when this returns. Throws
    /// ``PortalError`` as ``TeleTANSource/teleTAN(_:now:)`` does.
    public func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> IssuedTeleTAN {
        do throws(VerificationError) {
            return IssuedTeleTAN(
                text: try server.issueTeleTAN(kind, now: now), kind: kind, validSeconds: server.rules.teleTANSeconds(kind))
        } catch {
            throw PortalError(error)
        }
    }
}

/// A source of teleTANs elsewhere, over the verification server's internal route. One thread at a time.
public final class RemoteTeleTANSource: TeleTANSource {
    private let client: InternalClient

    /// A source over a client of another server, which only this object may use; connects to nothing yet.
    public init(_ client: InternalClient) { self.client = client }

    /// A teleTAN from the server elsewhere, which has its own time: `now` is not used. Blocks for up to ten seconds. Throws
    /// ``PortalError`` as ``TeleTANSource/teleTAN(_:now:)`` does.
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
