// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces
import JSON
import PluginTestKit
import Synchronization
import VenuePlan

/// What the plugin calls: the core and Diagnosis, which answer as real ones do and remember what they were told. The power of these two does not fail.
final class VenueWorld: Sendable {
    private struct State {
        var now: Int64 = 0
        /// What a held button collected, until it is taken, and by which number.
        var collected: (number: Int64, content: String)?
        var holds: Int64 = 0
        /// Of each hold, whether the wearer was told that the visit is there.
        var kept: [Int64: Bool] = [:]
        /// What the light shows.
        var news: Bool?
        /// Names of reports that are out.
        var published: Set<Int64> = []
        /// Names of reports that wait to go out.
        var waiting: Set<Int64> = []
    }

    private let state = Mutex(State())
    private let providers: Mutex<[ProviderStandIn]>

    /// Serves all interfaces in a plugin's run folder.
    init(run: String) throws {
        providers = Mutex([])
        func provide(_ name: String) throws -> ProviderStandIn {
            let provider = try ProviderStandIn(InterfaceTexts.all[name] ?? "", path: "\(run)/\(name)")
            providers.withLock { $0.append(provider) }
            return provider
        }
        try provide(Exposure1.name).on(
            "GetStatus",
            reply: [
                "status": [
                    "enabled": true, "state": "active", "sentence": "x", "role": "person", "timeState": "authenticated",
                    "matchedFileCount": 0, "matching": false, "limit": ["used": 0],
                ]
            ])
        try provide(Device1.name).on("GetTime") { [weak self] _ in
            let now = self?.now ?? 0
            return .reply([
                "time": ["state": "authenticated", "sentence": "x", "now": .int(now * 1_000), "uncertainty": 1]
            ])
        }
        try provide(Indicator1.name).on("SayNews") { [weak self] call in
            self?.state.withLock { $0.news = call["news"]?.bool }
            return .reply([:])
        }
        try provide(Diagnosis1.name).on("GetPublished") { [weak self] call in
            let asked = (call["batches"]?.array ?? []).compactMap(\.int)
            let (published, waiting) = self?.state.withLock { ($0.published, $0.waiting) } ?? ([], [])
            return .reply([
                "published": .array(asked.filter(published.contains).map(JSON.int)),
                "over": .array(asked.filter { !published.contains($0) && !waiting.contains($0) }.map(JSON.int)),
            ])
        }
        let door = try provide(Door1.name)
        door.on("Broadcast", reply: [:])
        door.on("TakeCode") { [weak self] _ in
            let code = self?.state.withLock { state in
                defer { state.collected = nil }
                return state.collected
            }
            guard let code else { return .reply([:]) }
            return .reply(["number": .int(code.number), "content": .string(code.content)])
        }
        door.on("NoteVisit") { [weak self] call in
            guard let number = call["number"]?.int else { return .reply([:]) }
            self?.state.withLock { $0.kept[number] = call["kept"]?.bool }
            return .reply([:])
        }
    }

    /// What the device takes for the time, Unix seconds.
    var now: Int64 {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    /// Whether the light says that there is news; `nil` before it was told anything.
    var news: Bool? { state.withLock { $0.news } }

    /// The names of reports that are out.
    var published: Set<Int64> {
        get { state.withLock { $0.published } }
        set { state.withLock { $0.published = newValue } }
    }

    /// The names of reports that wait to go out with a warning. Any that is neither here nor out never will.
    var waiting: Set<Int64> {
        get { state.withLock { $0.waiting } }
        set { state.withLock { $0.waiting = newValue } }
    }

    /// Holds the button beside a door with this code, and returns the number of the hold.
    func hold(_ code: String) -> Int64 {
        let content = Base64.string(BroadcastCode.bytes(of: code) ?? [])
        return state.withLock { state in
            state.holds += 1
            state.collected = (state.holds, content)
            return state.holds
        }
    }

    /// What the wearer was told of a hold; `nil` if nothing yet.
    func outcome(of hold: Int64) -> Bool? { state.withLock { $0.kept[hold] } }

    /// Everything for a new story.
    func forget() { state.withLock { $0 = State() } }

    /// What did not fit an interface.
    var faults: [String] { providers.withLock { $0.flatMap(\.faults) } }
}
