// SPDX-License-Identifier: Apache-2.0

import Interfaces
import LabKit
import Ledger
import Logging
import Radio
import Testing
import TimeTrust

@testable import Core

/// Signing in without the rest of the core: no beacon, no vault, no sockets.
@Suite struct SignInServiceTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let start = BootInstant(nanoseconds: 1_000_000_000)
    private let page = Caller(
        name: "page", reading: .windows, spool: nil, presence: "caller", isBoundToSessions: true)
    private let console = Caller(name: "ctl", reading: .windows, spool: nil, presence: Caller.console)

    private let ledger: Ledger
    private let roles: RoleState
    private let announcer = Announcer()
    private let service: SignInService

    init() throws {
        ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        roles = RoleState(ledger, profile: .person)
        let audit = AuditWriter(ledger, clock: { _ in ExposureServiceBench.noon }, log: Self.log)
        service = SignInService(
            AccessControl(data: nil, iterations: 500), roles: roles, ledger: ledger, audit: audit,
            announcer: announcer, log: Self.log)
    }

    private func makeSecret(_ role: Access1.Role) throws -> String {
        var made: Result<String?, AccessRefusal>?
        service.makeSecret(role, by: console, at: Self.start) { made = $0 }
        work()
        return try #require(try made?.get())
    }

    /// Hashes whatever is to be hashed.
    private func work() {
        let window = WorkWindow(rotationDue: nil)
        while service.deadline(at: Self.start, in: window) != nil { service.advance(at: Self.start, in: window) }
    }

    private func signIn(_ role: Access1.Role, _ secret: String) -> Result<Access1.SignInReply, AccessRefusal>? {
        var outcome: Result<Access1.SignInReply, AccessRefusal>?
        service.signIn(
            Access1.SignInCall(role: role, secret: secret), by: page, at: Self.start, isWanted: { true }
        ) { outcome = $0 }
        work()
        return outcome
    }

    private func kinds() throws -> [String] { try ledger.auditEntries(after: 0, limit: 100).map(\.entry.kind) }

    @Test func whoSignsInIsOnRecordAndActs() throws {
        let secret = try makeSecret(.wearer)
        let session = try #require(try signIn(.wearer, secret)?.get())
        #expect(try kinds() == ["secretChanged", "signedIn"])
        #expect(
            try service.useSession(session.session, isAttended: true, by: page, on: 1, at: Self.start) == .wearer)
        let acting = try service.acting(page, .device1(.giveConsent), on: 1, at: Self.start)
        #expect(acting.session?.role == .wearer && service.isStillActing(acting, at: Self.start))
    }

    @Test func aPlaceHasNoWearerWhoeverHasSignedIn() throws {
        let secret = try makeSecret(.wearer)
        let session = try #require(try signIn(.wearer, secret)?.get())
        _ = try service.useSession(session.session, isAttended: true, by: page, on: 1, at: Self.start)
        try ledger.write { try roles.store(.place, $0) }
        #expect(throws: AccessRefusal.notSignedIn) {
            try service.acting(page, .device1(.giveConsent), on: 1, at: Self.start)
        }
        #expect(service.signInRoles.isEmpty)
    }

    @Test func aNewSecretEndsSessionsAndSaysSo() throws {
        var news: [Announcer.News] = []
        announcer.listen { news.append($0) }
        _ = try makeSecret(.technician)
        #expect(news == [.sessionsEnded])
    }

    @Test func wrongSecretsAreOnRecordOnceAMinute() {
        var failures = SignInFailures()
        let told = [
            (Access1.Role.wearer, 10), (.wearer, 20), (.technician, 20), (.wearer, 69), (.wearer, 70), (.wearer, 131),
        ]
        .map { failures.add($0, at: .seconds($1)) }
        #expect(told == [1, nil, 1, nil, 3, 1], "each role by itself, and with those of before")
    }
}
