// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import FoundationEssentials
import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import PresenceTracing
import RandomValues
import Synchronization
import Testing
import Varlink
import VarlinkSocket
import VenuePlan

@testable import DiagnosisPlugin
@testable import VenuePlugin

/// The two plugins, one asking the other as on a board: what a wearer chose for the visits is what the warning has.
@Suite(.serialized) struct VisitsInWarningTests {
    /// How Diagnosis finds the other plugin.
    enum Venue: String, CaseIterable { case there, absent, denied }

    /// The plugin with the visits. Unchecked, because Diagnosis's stand-in calls it from a thread of its own: the test's waits for that answer, so that one
    /// thread at a time is in here.
    private final class VenueBoard: @unchecked Sendable {
        let bench: PluginBench<VenuePlugin>
        private let standIns: [ProviderStandIn]
        /// Proofs that the core gave, and that were not spent.
        let proofs = Mutex<Set<String>>([])

        /// For stand-ins that are made before the board; used on its thread.
        private final class Holder: @unchecked Sendable { weak var board: VenueBoard? }

        /// Where Diagnosis answers this one, once it is there.
        let diagnosis = Mutex<String?>(nil)

        init(_ records: VenueRecords) throws {
            let holder = Holder()
            var standIns: [ProviderStandIn] = []
            bench = try PluginBench<VenuePlugin>(name: "venue", settings: ["systems": ["coronaWarnApp"]]) { supervisor in
                let seal = String(repeating: "s", count: 32)
                try supervisor.folder.write("run/seal", seal)
                let store = try VenueStore.open(
                    folder: supervisor.folder.path + "/state", seal: SecretBytes(copying: Array(seal.utf8)))
                try store.change { $0 = records }
                for name in [Exposure1.name, Device1.name, Access1.name, Diagnosis1.name] {
                    standIns.append(try supervisor.provide(InterfaceTexts.all[name] ?? ""))
                }
                standIns[0].on(
                    "GetStatus",
                    reply: [
                        "status": [
                            "enabled": true, "state": "active", "sentence": "x", "role": "person",
                            "timeState": "authenticated",
                            "matchedFileCount": 0, "matching": false, "limit": ["used": 0],
                        ]
                    ])
                standIns[1].on("GetTime") { _ in
                    .reply([
                        "time": [
                            "state": "authenticated", "sentence": "x", "now": .int(Int64(time(nil)) * 1_000),
                            "uncertainty": 1,
                        ]
                    ])
                }
                standIns[2].on("RedeemProof") { parameters in
                    let isGood = parameters["method"]?.string == "\(Checkin1.name).TakeReports"
                    guard isGood, holder.board?.proofs.withLock({ $0.remove(parameters["proof"]?.string ?? "") }) != nil
                    else {
                        return .failure("\(Access1.name).NotSignedIn")
                    }
                    return .reply(["seconds": 600])
                }
                standIns[3].on("GetPublished") { parameters in
                    guard let path = holder.board?.diagnosis.withLock({ $0 }) else {
                        return .reply(["published": [], "over": []])
                    }
                    // Blocks until Diagnosis answers, which waits for this plugin's answer meanwhile.
                    do {
                        let client = try VarlinkClient(path: path, timeout: .seconds(120))
                        return .reply(try client.call(Diagnosis1.Method.getPublished.path, parameters))
                    } catch {
                        guard let reply = (error as? VarlinkSocketError)?.reply else { return .silence }
                        return .failure(reply.error ?? "", reply.parameters)
                    }
                }
            }
            self.standIns = standIns
            holder.board = self
            try bench.start()
        }

        /// What the plugin answers to Diagnosis.
        func answer(_ parameters: JSON) -> ProviderStandIn.Answer {
            do {
                return .reply(try bench.call("\(Checkin1.name).TakeReports", parameters, as: "diagnosis"))
            } catch {
                guard let reply = (error as? VarlinkSocketError)?.reply else { return .silence }
                return .failure(reply.error ?? "", reply.parameters)
            }
        }
    }

    private static func ticket(_ number: Int) throws -> VenueTicket {
        .coronaWarnApp(
            try TraceLocation(
                name: "Canary \(number)", address: "Street", kind: .permanentFoodService, defaultMinutes: 60, publicKey: [],
                seed: [UInt8](repeating: UInt8(number), count: 16)))
    }

    /// The last one ended an hour ago, and between two beginnings is an hour.
    private static func records(_ count: Int, isKept: Bool) throws -> VenueRecords {
        var records = VenueRecords()
        let now = Int64(time(nil))
        for number in 0..<count {
            let arrival = now - Int64(count - number) * 3_600 - 1_800
            let visit = try records.diary.checkIn(ticket(number), at: arrival)
            try records.diary.checkOut(visit, at: arrival + 1_200)
            if !isKept { try records.diary.setWarning(visit, to: false) }
        }
        return records
    }

    /// A device whose wearer has a positive result.
    private func diagnosis(
        _ venue: Venue, _ board: VenueBoard, tests: Int = 1
    ) throws -> (bench: PluginBench<DiagnosisPlugin>, standIns: [ProviderStandIn]) {
        let settings: JSON = [
            "verification": "http://127.0.0.1:9", "submission": "http://127.0.0.1:9", "exactlyOnce": true,
            "plainHTTP": true,
        ]
        var standIns: [ProviderStandIn] = []
        let bench = try PluginBench<DiagnosisPlugin>(name: "diagnosis", settings: settings) { supervisor in
            standIns.append(try supervisor.provide(InterfaceTexts.all[Release1.name] ?? ""))
            if venue != .absent {
                let granted = venue == .denied ? ["GetRegistrationFacts"] : ["TakeReports"]
                standIns.append(try supervisor.provide(InterfaceTexts.all[Checkin1.name] ?? "", granted: granted))
            }
        }
        let day = Int64(time(nil)) / 86_400
        standIns[0].on("TakeDiagnosisKeys") { _ in
            _ = board.proofs.withLock { $0.insert("from the core") }
            return .reply([
                "keys": [
                    [
                        "keyData": .string(Base64.string([UInt8](repeating: 1, count: 16))),
                        "rollingStartIntervalNumber": .int((day - 1) * 144), "rollingPeriod": 144,
                    ]
                ], "proof": "from the core",
            ])
        }
        if venue == .there { standIns[1].on("TakeReports") { board.answer($0) } }
        var random = SeededGenerator(seed: 45)
        for _ in 0..<tests {
            let key = RegistrationKey(TeleTAN(using: &random))
            let request = ExchangeRequest.requestName(using: &random)
            let made: JSON = ["registrationToken": .string(ServerToken(using: &random).text)]
            try bench.plugin.store.change { registry in
                var random = SeededGenerator(seed: 46)
                let now = Int64(time(nil))
                let number = try registry.enter(key, kind: .pcr, request: request, at: now)
                _ = try registry.begin(.registrationToken, number, using: &random)
                for (call, status, body) in [
                    (Playbook.Call.registrationToken, 201, made), (.testResult, 200, ["testResult": 2]),
                ] {
                    _ = registry.finish(call, number, .answered(status: status, body: body.bytes), .exactlyOnce, at: now)
                }
            }
        }
        try bench.start()
        let path = try bench.supervisor.allow("venue", [Diagnosis1.Method.getPublished.path])
        board.diagnosis.withLock { $0 = path }
        return (bench, standIns)
    }

    /// Agrees for that test, and returns how many reports are in the warning.
    private func agree(_ number: Int, _ bench: PluginBench<DiagnosisPlugin>) throws -> Int {
        _ = try bench.call(
            "\(Diagnosis1.name).Warn",
            [
                "number": .int(Int64(number)), "ticket": "x", "symptoms": ["statement": "noStatement"],
                "federation": true,
            ],
            as: ProofGate.console)
        var submission: WarningStage.Submission?
        try bench.turn {
            if case .prepared(let found)? = bench.plugin.store.registry.test(number)?.warning { submission = found }
            return submission != nil
        }
        let body = try #require(Base64.bytes(submission?.body ?? ""))
        return try DiagnosisPlan.SubmissionPayload(decoding: body).reports.count
    }

    private func withdraw(_ number: Int, _ bench: PluginBench<DiagnosisPlugin>) throws {
        let reply = try bench.call("\(Diagnosis1.name).Withdraw", ["number": .int(Int64(number))], as: ProofGate.console)
        #expect(reply["isWithdrawn"] == true)
    }

    /// The server takes the warning.
    private func send(_ number: Int, _ bench: PluginBench<DiagnosisPlugin>) throws {
        try bench.plugin.store.change { registry in
            var random = SeededGenerator(seed: UInt64(number))
            let now = Int64(time(nil))
            let tan: JSON = ["tan": .string(ServerToken(using: &random).text)]
            for (call, status, body) in [(Playbook.Call.tan, 201, tan), (.submission, 200, [:])] {
                _ = try registry.begin(call, number, using: &random)
                _ = registry.finish(call, number, .answered(status: status, body: body.bytes), .exactlyOnce, at: now)
            }
        }
    }

    @Test(arguments: [true, false], [0, 1, 33]) func whatTheWearerChoseIsInTheWarning(isKept: Bool, count: Int) throws {
        let records = try Self.records(count, isKept: isKept)
        for venue in Venue.allCases {
            let board = try VenueBoard(records)
            let (bench, standIns) = try diagnosis(venue, board)
            _ = try bench.call(
                "\(Diagnosis1.name).Warn",
                ["number": 1, "ticket": "x", "symptoms": ["statement": "noStatement"], "federation": true],
                as: ProofGate.console)
            var submission: WarningStage.Submission?
            try bench.turn {
                if case .prepared(let found)? = bench.plugin.store.registry.tests.first?.warning { submission = found }
                return submission != nil
            }
            let body = try #require(Base64.bytes(submission?.body ?? ""))
            let reports = try DiagnosisPlan.SubmissionPayload(decoding: body).reports
            // What goes out has one size, whatever is in it.
            #expect(body.count == 4_096)
            let expected = venue == .there ? expectedParts(records) : []
            #expect((count == 33 && isKept && venue == .there) == (reports.count == 32))
            let told = try bench.call("\(Diagnosis1.name).GetTests", as: ProofGate.console)["tests"]?.array?.first?[
                "visits"]
            let visits = Set(expected.map(\.visit))
            switch venue {
            case .there:
                #expect(told == .int(Int64(visits.count)) && reports.count == expected.count)
                // Every report is of a visit that was chosen, and opens with the code of its place alone.
                #expect(try opened(reports, by: records.diary) == expected.map(\.record.start).sorted())
                #expect(board.bench.plugin.store.records.diary.batches.map(\.visits) == (visits.isEmpty ? [] : [visits]))
                #expect(board.proofs.withLock { $0.isEmpty })
            case .absent: #expect(told == nil && reports.isEmpty)
            case .denied: #expect(told == 0 && reports.isEmpty)
            }
            // The names of places are with the one plugin alone.
            for line in bench.log + board.bench.log { #expect(!line.contains("Canary"), "\(line)") }
            withExtendedLifetime(standIns) {}
        }
    }

    /// Somebody with two positive tests agrees twice before the first warning is out: whoever was there would count the same minutes
    /// twice. A consent that is taken back makes room again, however often; and a place that was visited after a warning goes along with the next.
    @Test func aVisitGoesAlongWithOneWarning() throws {
        let board = try VenueBoard(try Self.records(2, isKept: true))
        let (bench, standIns) = try diagnosis(.there, board, tests: 3)
        let first = try agree(1, bench)
        #expect(first > 0)
        #expect(try agree(2, bench) == 0)
        #expect(bench.plugin.store.registry.test(2)?.visits == VisitsInWarning.none(.underWay))
        try withdraw(1, bench)
        // More often than there can be batches.
        for _ in 0...VisitDiary.maximumBatches {
            try withdraw(2, bench)
            #expect(try agree(2, bench) == first)
        }
        try send(2, bench)
        let now = Int64(time(nil))
        try board.bench.plugin.store.change { records in
            let visit = try records.diary.checkIn(Self.ticket(200), at: now - 1_500)
            try records.diary.checkOut(visit, at: now - 300)
        }
        // At once, and with nothing that went out.
        #expect(try agree(3, bench) > 0)
        let diary = board.bench.plugin.store.records.diary
        #expect(diary.visits.map(\.isSubmitted) == [true, true, false] && diary.batches.map(\.visits) == [[3]])
        #expect(try agree(1, bench) == 0)
        withExtendedLifetime(standIns) {}
    }

    /// Reports that Diagnosis asked for, and did not get to keep, go along with the next warning: at their time the power failed.
    @Test func whatDiagnosisDidNotKeepGoesAlongWithTheNext() throws {
        var records = try Self.records(2, isKept: true)
        records.diary.handOut([1, 2], as: 77)
        let board = try VenueBoard(records)
        let (bench, standIns) = try diagnosis(.there, board)
        #expect(try agree(1, bench) > 0)
        let diary = board.bench.plugin.store.records.diary
        #expect(diary.batches.map(\.visits) == [[1, 2]] && diary.batches.first?.name != 77)
        withExtendedLifetime(standIns) {}
    }

    private func expectedParts(_ records: VenueRecords) -> [PublishedCheckIn] {
        records.diary.parts(
            levels: SymptomStatement.noStatement.levels, rules: .published, most: 32, at: Int64(time(nil)))
    }

    private func opened(_ reports: [ProtectedReport], by diary: VisitDiary) throws -> [UInt32] {
        var places: [[UInt8]: LocationID] = [:]
        for visit in diary.visits where visit.warns {
            guard case .coronaWarnApp(let payload) = visit.place else { continue }
            let location = LocationID(payload: payload)
            places[location.hash] = location
        }
        return try reports.map { try $0.open(#require(places[$0.locationIDHash])).start }.sorted()
    }
}
