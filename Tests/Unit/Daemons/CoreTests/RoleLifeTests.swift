// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GAEN
import Interfaces
import JSON
import KeyExport
import KeyIntake
import LabKit
import Ledger
import Logging
import Radio
import RandomValues
import TestKit
import Testing
import TimeTrust
import Trust
import VirtualAir

@testable import Core

/// Another role is another life of the device.
@Suite struct RoleLifeTests {
    private let caller = ExposureServiceBench.caller()

    /// What the next wearer of a board must not find: the former one's secret, sessions, consents, choices, findings and log.
    @Test(arguments: [true, false]) func aChangeOfRoleIsANewLife(byProfile: Bool) throws {
        let folder = try TemporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        try Data("first life".utf8).write(to: URL(filePath: folder.path + "/life"))
        func access() -> AccessControl { AccessControl(data: folder.path, iterations: 600) }
        let bench = try ExposureServiceBench(access: access())
        let service = bench.service
        let desk = try AccessDesk(bench)
        _ = try desk.makeSecret(.wearer)
        _ = try desk.makeSecret(.technician)
        let wearer = try desk.connect(as: .wearer)
        _ = try service.setPreferences(.init(introduced: true, notifications: true, language: "fr"))
        let ticket = try service.giveConsent(.releaseKeys, by: caller, at: bench.now).ticket
        _ = try service.takeKeys(ticket: ticket, by: caller, at: bench.now)
        #expect(service.remainder(of: ticket) != nil)
        #expect(!service.roleHasChanged && !ExposureService.hasEnded(life: Array("first life".utf8), by: bench.ledger))

        let next: ExposureService
        if byProfile {
            var profile = BoardProfile.token
            profile.role = .place
            let beacon = try Beacon(
                profile: profile, vault: bench.vault, bootIdentity: BootIdentity(high: 1, low: 3),
                generator: SeededGenerator(seed: 2), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                at: bench.now)
            next = ExposureService(
                beacon, vault: bench.vault, ledger: bench.ledger, trust: try TrustStore(keys: []), policy: .namedKeys,
                program: .failure(IntakeFailure(.programMissing)), access: access(),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        } else {
            try service.setRole(.place, by: caller, at: bench.now)
            let reply = desk.call(wearer, "org.vigil.device1.GetPreferences")
            #expect(reply?["parameters"]?["preferences"]?["language"]?.string == nil)
            next = service
        }
        #expect(next.role == .place && next.roleHasChanged)
        #expect(try next.audit(after: nil).records.map(\.kind) == ["roleChanged"])
        #expect(try next.audit(after: nil).verdict == AuditVerdict(intact: 1, firstBroken: nil, dropped: 0))
        #expect(try bench.ledger.openTicketCount(at: ExposureServiceBench.noon) == 0)
        #expect(next.remainder(of: ticket) == nil)
        #expect(try next.preferences(for: caller).introduced == false)
        // The supervisor empties plugins when the life has another name; until it has, whoever asks for it is not answered by the old one.
        #expect(ExposureService.hasEnded(life: Array("first life".utf8), by: bench.ledger))
        #expect(!ExposureService.hasEnded(life: Array("second life".utf8), by: bench.ledger))
        try Data("second life".utf8).write(to: URL(filePath: folder.path + "/life"))
        // Of the secrets the operator's are left, also when the power went before the wearer's was taken away.
        #expect(access().roles == [.technician])
        #expect(!access().isFirstLife)
    }
}
