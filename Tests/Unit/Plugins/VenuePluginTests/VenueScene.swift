// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import ExposureRisk
import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import PresenceTracing
import Synchronization
import Testing
import Varlink
import VarlinkSocket
import VenuePlan

@testable import VenuePlugin

/// The plugin in this process, with stand-ins for the core, Sync, Diagnosis and the light that answer as the real ones do.
struct VenueScene {
    /// What the stand-ins say and were told.
    struct Facts: Sendable {
        var role = "person"
        var state = "authenticated"
        /// Unix milliseconds; the fourth of March 2021.
        var now: Int64? = 1_614_850_000_000
        var isSilent = false
        var newestEnd: Int64?
        /// How often Sync was asked, which starts it.
        var questions = 0
        var news: [Bool] = []
        /// What the core was told last of when to remind.
        var reminders: [JSON] = []
        var proofs: Set<String> = []
        /// Batches of reports of which Diagnosis says that they are out; it says nothing while there are none to be known.
        var published: [JSON]? = []
        /// Batches that may still go out. Any that is asked for and is neither here nor out never will.
        var waiting: [JSON] = []
        /// Batches of which nobody knows whether they went out.
        var uncertain: [JSON] = []
        var asked: [JSON] = []
        var isDiagnosisSilent = false
        /// What waits to be taken of a held button, and what was said of it.
        var doorCode: (number: Int64, content: String)?
        var notes: [JSON] = []
        /// What is broadcast.
        var showings: [[JSON]] = []
    }

    /// ``Facts`` behind a lock, and who answers by them. Stand-ins answer on threads of their own, and may do so a moment longer than this is there:
    /// they hold the facts, and not this.
    @dynamicMemberLookup final class World {
        final class Shared: Sendable {
            private let facts = Mutex(Facts())
            func with<Result: Sendable>(_ body: (inout sending Facts) -> sending Result) -> sending Result {
                facts.withLock(body)
            }
        }

        let shared = Shared()
        var standIns: [ProviderStandIn] = []
        var diagnosis: ProviderStandIn?
        /// Whether Diagnosis has answered what it was asked first.
        var hasAnswer: Bool { (diagnosis?.answered ?? 0) > 0 }

        subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<Facts, Value>) -> Value {
            get { shared.with { $0[keyPath: path] } }
            set { shared.with { $0[keyPath: path] = newValue } }
        }
    }

    let world: World
    let bench: PluginBench<VenuePlugin>

    init() throws { (bench, world) = try Self.bench() }

    static func bench(
        _ settings: JSON = ["systems": ["coronaWarnApp", "swissCovid"]], isSealed: Bool = true, world: World = World(),
        keeping records: VenueRecords? = nil, isDamaged: Bool = false
    ) throws -> (PluginBench<VenuePlugin>, World) {
        let bench = try PluginBench<VenuePlugin>(name: "venue", settings: settings) { supervisor in
            let seal = String(repeating: "s", count: 32)
            if isSealed { try supervisor.folder.write("run/seal", seal) }
            if let records {
                let store = try VenueStore.open(
                    folder: supervisor.folder.path + "/state", seal: SecretBytes(copying: Array(seal.utf8)))
                try store.change { $0 = records }
            }
            if isDamaged {
                for name in ["store", VenueStore.choiceName] { try supervisor.folder.write("state/\(name)", "damaged") }
            }
            let exposure = try supervisor.provide(InterfaceTexts.all[Exposure1.name] ?? "", granted: ["GetStatus"])
            let device = try supervisor.provide(InterfaceTexts.all[Device1.name] ?? "", granted: ["GetTime"])
            let access = try supervisor.provide(InterfaceTexts.all[Access1.name] ?? "", granted: ["RedeemProof"])
            let light = try supervisor.provide(InterfaceTexts.all[Indicator1.name] ?? "", granted: ["SayNews"])
            let sync = try supervisor.provide(InterfaceTexts.all[Sync1.name] ?? "", granted: ["GetFreshness"])
            let diagnosis = try supervisor.provide(InterfaceTexts.all[Diagnosis1.name] ?? "", granted: ["GetPublished"])
            let facts = world.shared
            world.standIns = [exposure, device, access, light, sync, diagnosis]
            world.diagnosis = diagnosis
            diagnosis.on("GetPublished") { parameters in
                let (isSilent, known, waiting, uncertain) = facts.with {
                    $0.asked.append(parameters["batches"] ?? [])
                    return ($0.isDiagnosisSilent, $0.published, $0.waiting, $0.uncertain)
                }
                if isSilent { return .silence }
                guard let published = known else { return .failure("\(Diagnosis1.name).NotSignedIn") }
                let wanted = parameters["batches"]?.array ?? []
                let others = published + waiting + uncertain
                var reply: JSON.Object = [
                    "published": .array(published.filter(wanted.contains)),
                    "over": .array(wanted.filter { !others.contains($0) }),
                ]
                if !uncertain.isEmpty { reply["uncertain"] = .array(uncertain.filter(wanted.contains)) }
                return .reply(.object(reply))
            }
            let door = try supervisor.provide(
                InterfaceTexts.all[Door1.name] ?? "", granted: ["Broadcast", "TakeCode", "NoteVisit"])
            world.standIns.append(door)
            door.on("TakeCode") { _ in
                let code = facts.with { facts in
                    defer { facts.doorCode = nil }
                    return facts.doorCode
                }
                guard let (number, content) = code else { return .reply([:]) }
                return .reply(["number": .int(number), "content": .string(content)])
            }
            door.on("NoteVisit") { parameters in
                facts.with { $0.notes.append(.object(parameters.object ?? JSON.Object())) }
                return .reply([:])
            }
            door.on("Broadcast") { parameters in
                facts.with { $0.showings.append(parameters["showings"]?.array ?? []) }
                return .reply([:])
            }
            exposure.on("GetStatus") { _ in
                let world = facts.with { $0 }
                if world.isSilent { return .failure("\(Exposure1.name).StorageUnavailable", ["reason": "x"]) }
                return .reply([
                    "status": [
                        "enabled": true, "state": "active", "sentence": "x", "role": .string(world.role),
                        "timeState": .string(world.state), "matchedFileCount": 0, "matching": false, "limit": ["used": 0],
                    ]
                ])
            }
            device.on("GetTime") { _ in
                let world = facts.with { $0 }
                var time: JSON.Object = ["state": .string(world.state), "sentence": "x"]
                time["now"] = world.now.map(JSON.int)
                time["uncertainty"] = world.now.map { _ in 1 }
                return .reply(["time": .object(time)])
            }
            access.on("RedeemProof") { parameters in
                let proof = parameters["proof"]?.string ?? ""
                if proof == "full" {
                    return .failure("\(Access1.name).StorageUnavailable", ["reason": "The disk is full."])
                }
                guard proof == "good:\(parameters["method"]?.string ?? "")",
                    facts.with({ $0.proofs.insert(proof).inserted })
                else {
                    return .failure("\(Access1.name).NotSignedIn", [:])
                }
                return .reply(["seconds": 600])
            }
            light.on("SayNews") { parameters in
                facts.with {
                    $0.news.append(parameters["news"]?.bool == true)
                    $0.reminders = parameters["reminders"]?.array ?? []
                }
                return .reply([:])
            }
            sync.on("GetFreshness") { _ in
                var source: JSON.Object = [
                    "name": "a", "kind": "cwa", "missingCount": 0, "faults": [:], "packageCount": 0, "byteCount": 0,
                ]
                let newestEnd = facts.with {
                    $0.questions += 1
                    return $0.newestEnd
                }
                source["newestEnd"] = newestEnd.map(JSON.int)
                return .reply(["freshness": ["sources": [.object(source)], "running": false]])
            }
        }
        try bench.start()
        return (bench, world)
    }

    func ask(_ method: String, _ parameters: JSON = .empty, as caller: String = ProofGate.console) throws -> JSON {
        try bench.call("\(Checkin1.name).\(method)", parameters, as: caller)
    }

    /// The error's name, without the interface's, and its parameters.
    func refusal(
        _ method: String, _ parameters: JSON = .empty, as caller: String = ProofGate.console
    ) throws -> (name: String, parameters: JSON) {
        do {
            _ = try ask(method, parameters, as: caller)
            Issue.record("\(method) was not refused")
            return ("", .empty)
        } catch let error as VarlinkSocketError {
            let reply = try #require(error.reply)
            return (String(reply.error?.split(separator: ".").last ?? ""), .object(reply.parameters))
        }
    }

    func code(_ name: String, minutes: UInt32 = 90) throws -> JSON {
        .string(
            VenueCode.text(
                try TraceLocation(
                    name: name, address: "Canary Street 7", kind: .permanentFoodService, defaultMinutes: minutes,
                    publicKey: [],
                    seed: [UInt8](repeating: 2, count: 16))))
    }

    var visits: [JSON] { get throws { try ask("GetVisits")["visits"]?.array ?? [] } }

    /// Settings of a plugin that follows the Corona-Warn-App at these servers.
    static func settings(_ servers: WarningServers) throws -> JSON {
        let key = try servers.key.verificationKey.pem()
        return [
            "systems": ["coronaWarnApp"], "coronaWarnAppServer": .string(servers.base), "plainHTTP": true,
            "signers": .array(
                ["export", "config"].map {
                    ["system": "coronaWarnApp", "name": "262-v1", "key": .string(key), "role": .string($0)]
                }),
        ]
    }
}
