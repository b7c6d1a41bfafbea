// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Interfaces
import JSON
import TestKit
import Testing
import TimeTrust

@testable import Core

/// What is left of who may sign in, and of the operator's agreement, after each kind of reset (docs/access.md).
@Suite struct ResetAccessTests {
    enum Kind: CaseIterable {
        case wearer, technician, console, handedOn, button, authority
    }

    /// A device whose file of who may sign in is on a disk, in its first life.
    private final class Device {
        let folder: TemporaryFolder
        let desk: AccessDesk
        var access: AccessControl { desk.bench.service.signIn.access }

        init() throws {
            folder = try TemporaryFolder()
            try Self.begin("first life", in: folder.path)
            desk = try AccessDesk(ExposureServiceBench(access: AccessControl(data: folder.path, iterations: 600)))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder.path) }

        static func begin(_ life: String, in folder: String) throws {
            try Data(life.utf8).write(to: URL(filePath: folder + "/life"))
        }

        /// As the program finds it at its next start, in that life.
        func next(_ life: String) throws -> AccessControl {
            try Self.begin(life, in: folder.path)
            return AccessControl(data: folder.path, iterations: 600)
        }

        func reset(_ kind: Kind) throws {
            let bench = desk.bench
            switch kind {
            case .wearer: try reset(desk.connect(as: .wearer))
            case .technician: try reset(desk.connect(as: .technician))
            case .console: try reset(desk.connect("ctl"))
            case .handedOn: try reset(desk.connect("ctl"), handOn: true)
            case .button:
                let caller = Caller(name: "button", reading: .nothing, spool: nil, presence: "button")
                let ticket = try bench.service.giveConsent(.reset, by: caller, at: bench.now).ticket
                try bench.service.reset(ticket: ticket, by: caller, at: bench.now)
            case .authority:
                let caller = Caller(name: "authority", reading: .nothing, spool: nil, presence: "authority")
                try bench.service.erase(by: caller, at: bench.now)
            }
            #expect(bench.service.wasReset)
        }

        private func reset(_ line: AccessDesk.Line, handOn: Bool? = nil) throws {
            let consent = desk.call(line, "org.vigil.device1.GiveConsent", ["purpose": "reset"])
            let ticket = try #require(consent?["parameters"]?["ticket"])
            var parameters: JSON.Object = ["ticket": ticket]
            if let handOn { parameters["handOn"] = .bool(handOn) }
            let reply = desk.call(line, "org.vigil.device1.Reset", .object(parameters))
            #expect(reply?["error"] == nil, "\(reply ?? .null)")
        }
    }

    /// Every cell: secrets, tokens and known browsers of each role, sessions, and whether the operator may still agree for the wearer.
    @Test(arguments: Kind.allCases) func theTableOfResetsIsWhatHolds(kind: Kind) throws {
        let device = try Device()
        var secrets: [Access1.Role: String] = [:]
        for role in Access1.Role.allCases { secrets[role] = try device.desk.makeSecret(role) }
        let token = try device.access.makeToken("script", .technician, time: nil)
        let sessions = Access1.Role.allCases.map { device.access.makeSession($0, at: .zero) }
        let browsers = Dictionary(uniqueKeysWithValues: zip(Access1.Role.allCases, sessions.map(\.browser)))
        #expect(device.access.isFirstLife && device.desk.bench.service.mayOperatorAgree)
        try device.reset(kind)

        let next = try device.next("second life")
        let left: Set<Access1.Role> =
            [.technician, .handedOn].contains(kind)
            ? [.technician, .technicianReadOnly] : [.wearer, .technician, .technicianReadOnly]
        #expect(Set(next.roles) == left)
        for role in Access1.Role.allCases {
            #expect(next.party(browser: browsers[role] ?? nil, source: nil, role: role).isKnown == left.contains(role))
        }
        #expect(next.tokens.map(\.name) == ["script"])
        #expect(next.use(token, isAttended: true, on: 1, at: .zero, time: nil)?.role == .technician)
        for session in sessions {
            #expect(next.use(session.session, isAttended: true, on: 2, at: .zero, time: nil) == nil)
        }
        #expect(!next.isFirstLife)
        // Those that are left open what they opened.
        let again = try AccessDesk(ExposureServiceBench(access: next))
        for (role, secret) in secrets {
            let reply = try again.signIn(role, secret)
            #expect((reply?["error"] == nil) == left.contains(role), "\(role) \(reply ?? .null)")
        }
    }

    /// A technician's reset takes the wearer's secret, wherever the power goes: not before everything is erased, and then for good.
    @Test func aCutNeitherSparesTheFormerWearersSecretNorTakesThePresentOnes() throws {
        let device = try Device()
        _ = try device.desk.makeSecret(.wearer)
        try device.access.beginReset(takingWearers: true)
        // Cut before anything was erased.
        let same = try device.next("first life")
        #expect(same.roles == [.wearer] && same.isFirstLife)
        // And afterwards.
        let next = try device.next("second life")
        #expect(next.roles.isEmpty && !next.isFirstLife)
        // The next wearer's is another.
        let desk = try AccessDesk(ExposureServiceBench(access: next))
        _ = try desk.makeSecret(.wearer)
        #expect(try device.next("second life").roles == [.wearer])
        // A reset that was not carried out makes no first life of a later one.
        try next.beginReset(takingWearers: false)
        #expect(try !device.next("second life").isFirstLife)
    }

    /// What a desk is told: which life this is, when the one before was erased and whether to hand the device on; counted once for each reset that
    /// was carried out, wherever the power goes. The wearer-to-be reads it as the first entry of the log.
    @Test func livesAreCountedAndTheNextWearerReadsIt() throws {
        let device = try Device()
        #expect(device.access.lifeNumber == 1 && device.access.begunBy == nil)
        #expect(device.desk.bench.service.storage().life == 1 && device.desk.bench.service.storage().handedOn == nil)
        // Begun and cut: nothing was erased.
        try device.access.beginReset(takingWearers: false, time: 7)
        let same = try device.next("first life")
        #expect(same.lifeNumber == 1 && same.begunBy == nil)
        try same.beginReset(takingWearers: true, time: 1_800_000_000)
        let second = try device.next("second life")
        #expect(second.lifeNumber == 2 && second.begunBy?.time == 1_800_000_000 && second.begunBy?.handsOn == true)
        // The name of the life before is nowhere any more.
        let kept = String(
            decoding: try Data(contentsOf: URL(filePath: device.folder.path + "/access/secrets")), as: UTF8.self)
        #expect(!kept.contains("first life"))
        // The same at each later start, also once the next wearer has a secret.
        let bench = try ExposureServiceBench(access: second)
        let desk = try AccessDesk(bench)
        _ = try desk.makeSecret(.wearer)
        #expect(try device.next("second life").begunBy?.handsOn == true)
        let storage = bench.service.storage()
        #expect(storage.life == 2 && storage.erased == 1_800_000_000 && storage.handedOn == true)
        for role in Access1.Role.allCases {
            let reply = try desk.call(desk.connect(as: role), "org.vigil.device1.GetAudit", .empty)
            let first = reply?["parameters"]?["entries"]?.array?.first
            #expect(first?["kind"] == "lifeBegun" && first?["time"] == 1_800_000_000, "\(role) \(reply ?? .null)")
            #expect(first?["details"] == ["handedOn": "yes", "life": "2"], "\(reply ?? .null)")
        }
        // A reset begun and cut counts for nothing; one that nobody knew the time of counts.
        try second.beginReset(takingWearers: false, time: nil)
        #expect(try device.next("second life").lifeNumber == 2)
        let third = try device.next("third life")
        #expect(third.lifeNumber == 3 && third.begunBy?.time == nil && third.begunBy?.handsOn == false)
    }

    /// A record that was set aside as damaged has the hash of the former wearer's secret: it goes when the device is handed on, and stays otherwise.
    @Test func whatWasSetAsideAsDamagedGoesWhenItIsHandedOn() throws {
        let folder = try TemporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        try Device.begin("first life", in: folder.path)
        try FileManager.default.createDirectory(atPath: folder.path + "/access", withIntermediateDirectories: true)
        try Data("damaged".utf8).write(to: URL(filePath: folder.path + "/access/secrets"))
        let access = AccessControl(data: folder.path, iterations: 600)
        let aside = folder.path + "/access/secrets.damaged"
        #expect(FileManager.default.fileExists(atPath: aside) && access.lifeNumber == nil)
        try access.beginReset(takingWearers: false)
        try Device.begin("second life", in: folder.path)
        let second = AccessControl(data: folder.path, iterations: 600)
        #expect(FileManager.default.fileExists(atPath: aside))
        try second.beginReset(takingWearers: true)
        try Device.begin("third life", in: folder.path)
        let third = AccessControl(data: folder.path, iterations: 600)
        #expect(!FileManager.default.fileExists(atPath: aside))
        // How often nobody knows; that it was handed on, yes. And it is no first life, although nothing is damaged any more.
        #expect(third.lifeNumber == nil && third.begunBy?.handsOn == true && !third.isFirstLife)
    }

    /// Who has a device after a reset agrees anew, whatever the operator has set; in a place the operator has it.
    @Test func theOperatorAgreesForNobodyAfterAReset() throws {
        let device = try Device()
        try device.reset(.console)
        let bench = try ExposureServiceBench(access: device.next("second life"))
        #expect(!bench.service.mayOperatorAgree)
        let operators = Caller(name: "command-line", reading: .nothing, spool: nil, presence: "operator")
        try bench.service.setRole(.place, by: operators, at: bench.now)
        #expect(bench.service.mayOperatorAgree)
        // Who may sign in is not known, so neither is how often it was reset.
        let folder = try TemporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        try FileManager.default.createDirectory(atPath: folder.path + "/access", withIntermediateDirectories: true)
        try Data("damaged".utf8).write(to: URL(filePath: folder.path + "/access/secrets"))
        #expect(!AccessControl(data: folder.path).isFirstLife)
    }
}
