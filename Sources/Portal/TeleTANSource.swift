// SPDX-License-Identifier: Apache-2.0

public import Verification
public import VerificationClients

/// Where teleTANs come from: a verification server in this process, or one elsewhere.
public protocol TeleTANSource: AnyObject {
    /// A new teleTAN. Throws `limitReached`, `sourceFailed`.
    func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> String
}

/// In this process, over the verification server's own storage.
public final class LocalTeleTANSource: TeleTANSource {
    private let server: VerificationServer

    /// `server` is this source's own.
    public init(_ server: VerificationServer) { self.server = server }

    public func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> String {
        do throws(VerificationError) { return try server.issueTeleTAN(kind, now: now) } catch {
            throw PortalError(error)
        }
    }
}

/// Over the verification server's internal route.
public final class RemoteTeleTANSource: TeleTANSource {
    private let client: InternalClient

    /// `client` is this source's own.
    public init(_ client: InternalClient) { self.client = client }

    public func teleTAN(_ kind: WarningType, now: Int64) throws(PortalError) -> String {
        do throws(VerificationError) { return try client.teleTAN(kind) } catch { throw PortalError(error) }
    }
}

extension PortalError {
    /// What a verification server's refusal means here.
    init(_ error: VerificationError) {
        self.init(error.code == .teleTANRateExceeded ? .limitReached : .sourceFailed, error.code.rawValue)
    }
}
