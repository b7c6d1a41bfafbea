// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Synchronization
import Testing
import Varlink
import VarlinkSocket

@testable import DiagnosisPlugin

/// Two plugins that differ only in what their wearers did, with the same slots: what a page can ask without a proof that the wearer is signed in, and
/// what a technician reads in the log, is the same of both.
@Suite struct ServiceTwinTests {
    /// One of the two, in a rehearsal, so that its slots can be waited for.
    private final class Twin {
        let bench: PluginBench<DiagnosisPlugin>
        private let providers: [ProviderStandIn]
        /// Counts how often it was said whether there is news: at the start and after each slot.
        private let said = Count()

        private final class Count: Sendable {
            let value = Mutex(0)
        }

        /// With what `other` keeps on its disk, so that both have the same slots.
        init(_ servers: Servers, sameAs other: Twin? = nil) throws {
            var providers: [ProviderStandIn] = []
            var settings = try #require(JSON(parsing: Array(servers.settings.utf8)).object)
            settings["rehearsal"] = .int(SlotClock.largestFactor)
            bench = try PluginBench<DiagnosisPlugin>(name: "diagnosis", settings: .object(settings)) { supervisor in
                for name in [Release1.name, Access1.name, Indicator1.name] {
                    providers.append(try supervisor.provide(InterfaceTexts.core[name] ?? ""))
                }
                if let other { try Self.copy(other.bench.supervisor.folder.path, supervisor.folder.path) }
            }
            self.providers = providers
            let day = Int64(time(nil)) / 86_400
            providers[0].on("TakeDiagnosisKeys") { _ in
                .reply([
                    "keys": [
                        [
                            "keyData": .string(Base64.string([UInt8](repeating: 1, count: 16))),
                            "rollingStartIntervalNumber": .int((day - 1) * 144), "rollingPeriod": 144,
                        ]
                    ]
                ])
            }
            providers[1].on("RedeemProof") { _ in .failure("\(Access1.name).NotSignedIn", [:]) }
            let said = said
            providers[2].on("SayNews") { _ in
                said.value.withLock { $0 += 1 }
                return .reply([:])
            }
        }

        private static func copy(_ from: String, _ to: String) throws {
            let folder = try #require(opendir(from + "/state"))
            defer { closedir(folder) }
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard let file = fopen("\(from)/state/\(name)", "r") else { continue }
                defer { fclose(file) }
                var bytes = [UInt8](repeating: 0, count: 1 << 20)
                let count = fread(&bytes, 1, bytes.count, file)
                guard count > 0, let copy = fopen("\(to)/state/\(name)", "w") else { continue }
                defer { fclose(copy) }
                try #require(fwrite(bytes, 1, count, copy) == count)
            }
        }

        /// Whether it has told so often if there is news.
        func hasSaid(_ count: Int) -> Bool { said.value.withLock { $0 } >= count }

        /// Plays the next slot, to its end.
        func slot() throws {
            try bench.turn { self.hasSaid(1) }
            let before = said.value.withLock { $0 }
            bench.advance(by: .seconds(10))
            try bench.turn { self.hasSaid(before + 1) }
        }

        func wearer(_ method: String, _ parameters: JSON) throws -> JSON {
            try bench.call("\(Diagnosis1.name).\(method)", parameters, as: ProofGate.console)
        }

        /// What a page is answered that nobody has signed in to.
        func page(_ method: String, _ parameters: JSON) throws -> String {
            do {
                return try bench.call("\(Diagnosis1.name).\(method)", parameters, as: "webui").description
            } catch let error as VarlinkSocketError {
                let reply = try #require(error.reply)
                return "\(reply.error ?? "") \(JSON.object(reply.parameters))"
            }
        }
    }

    /// All that can be asked, about the test that one of them has.
    private static func questions(_ teleTAN: String) throws -> [(String, JSON)] {
        let all: JSON = [
            "typed": .string(teleTAN), "code": .string(teleTAN), "number": 1, "ticket": "x",
            "symptoms": ["statement": "noSymptoms"], "federation": false, "batches": [1, 77],
        ]
        let interface = try InterfaceDescription(parsing: InterfaceTexts.all[Diagnosis1.name] ?? "")
        return interface.methods.map { method in
            var parameters = JSON.Object()
            for field in method.parameters { parameters[field.name] = all[field.name] }
            return (method.name, .object(parameters))
        }
    }

    @Test func whatTheWearerDidIsNotSeenWithoutAProof() throws {
        let servers = try Servers()
        let teleTAN = try servers.teleTAN()
        let plain = try Twin(servers)
        let other = try Twin(servers, sameAs: plain)
        #expect(
            plain.bench.plugin.store.seed.withBytes { Array($0) } == other.bench.plugin.store.seed.withBytes { Array($0) }
        )
        // A test of which nothing is to be known any more.
        let old = try RegistrationKey(TeleTAN(typed: servers.teleTAN(), prefixes: []))
        let now = Int64(time(nil))
        _ = try other.bench.plugin.store.change {
            try $0.enter(old, kind: .pcr, request: "x", at: now - (TestRegistry.retentionDays + 1) * 86_400)
        }
        for twin in [plain, other] { try twin.bench.start() }
        let questions = try Self.questions(teleTAN)
        var count = 0
        func compare(_ when: String) throws {
            for (method, parameters) in questions {
                let (one, two) = try (plain.page(method, parameters), other.page(method, parameters))
                #expect(one == two, "\(method) \(when)")
                count += 1
            }
            #expect(plain.bench.log == other.bench.log, "the log \(when)")
        }
        try compare("with an old test")
        for twin in [plain, other] { try twin.slot() }
        #expect(other.bench.plugin.store.registry.tests.isEmpty)
        try compare("when it was forgotten")
        let number = try #require(try other.wearer("EnterTeleTAN", ["typed": .string(teleTAN)])["number"])
        try compare("when a test was entered")
        for twin in [plain, other] { try twin.slot() }
        #expect(try other.wearer("GetResult", ["number": number])["result"] == "positive")
        try compare("when the result was looked at")
        _ = try other.wearer(
            "Warn", ["number": number, "ticket": "x", "symptoms": ["statement": "noSymptoms"], "federation": false])
        try other.bench.turn {
            if case .prepared? = other.bench.plugin.store.registry.tests.first?.warning { true } else { false }
        }
        try compare("when the wearer agreed to warn")
        for twin in [plain, other] { try twin.slot() }
        try compare("after a slot with a warning")
        #expect(count == 6 * questions.count && questions.count >= 10)
    }
}
