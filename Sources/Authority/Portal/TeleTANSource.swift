// SPDX-License-Identifier: Apache-2.0

public import Verification
public import VerificationClients

/// A teleTAN as the page shows it.
public struct IssuedTeleTAN: Sendable {
    /// Its characters, without groups.
    public var text: String
    /// What it is for.
    public var kind: WarningType
    /// How long it is good from now on.
    public var validSeconds: Int64

    public init(text: String, kind: WarningType, validSeconds: Int64) {
        self.text = text
        self.kind = kind
        self.validSeconds = validSeconds
    }
}

/// Where teleTANs come from: a verification server in this process, or one elsewhere.
public protocol TeleTANSource: AnyObject {
    /// A new teleTAN. Throws `limitReached`, `sourceFailed`.
    func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> IssuedTeleTAN
}

/// In this process, over the verification server's own storage.
public final class LocalTeleTANSource: TeleTANSource {
    private let server: VerificationServer

    /// `server` is this source's own.
    public init(_ server: VerificationServer) { self.server = server }

    public func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> IssuedTeleTAN {
        do throws(VerificationError) {
            return IssuedTeleTAN(
                text: try server.issueTeleTAN(kind, now: now), kind: kind, validSeconds: server.rules.teleTANSeconds(kind))
        } catch {
            throw PortalError(error)
        }
    }
}

/// Over the verification server's internal route.
public final class RemoteTeleTANSource: TeleTANSource {
    private let client: InternalClient

    /// `client` is this source's own.
    public init(_ client: InternalClient) { self.client = client }

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
