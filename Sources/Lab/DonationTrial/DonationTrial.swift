// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
package import DonationService
import Glibc
import JSON

/// Boards for days, with the real issuer and the real donation server, and all that an adversary could have of it. Virtual time: nothing waits.
package struct DonationTrial {
    /// What was played.
    package struct Summary: Sendable, Hashable {
        /// Boards whose wearers agreed.
        package let consents: Int
        /// Donations that were stored.
        package let donations: Int
        /// Wearers who took part in the survey, and the digests that were stored.
        package let participants: Int, digests: Int
        /// The length of each of the two files of exchanges, in exchanges.
        package let issuerExchanges: Int, serverExchanges: Int
    }

    /// The day on which a trial begins: 2026-12-01.
    static let firstDay = UTCDay(number: 20_788)

    private let settings: DonationTrialSettings
    private let makeKey: () throws(DonationServiceError) -> DayKey

    /// Prepares a trial. `makeKey` makes the issuer's keys; it is for tests.
    package init(
        _ settings: DonationTrialSettings, makeKey: @escaping () throws(DonationServiceError) -> DayKey = DayKey.generate
    ) {
        self.settings = settings
        self.makeKey = makeKey
    }

    /// Plays it into `folder`, which is made, or is empty. Takes minutes for a thousand boards; `progress` is told the days that are over.
    ///
    /// Throws ``DonationTrialError`` if the folder is not empty or cannot be written, and what servers and keys throw.
    package func run(into folder: String, progress: (Int) -> Void = { _ in }) throws -> Summary {
        let path = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        try Self.make(path)
        let start = Double(Self.firstDay.start)
        let groups: Int
        let summary: Summary
        do {
            let world = try TrialWorld(settings, folder: path, makeKey: makeKey)
            groups = world.servers.groupCount
            let boards = try (0..<settings.boards).map { try DonorBoard($0, settings, start: start) }
            for board in boards { try world.servers.add(board.verificationKey) }
            try Self.play(boards, world, settings.days, progress)
            try world.servers.flush()
            try world.dump.end()
            try Self.write(boards, path)
            summary = Summary(
                consents: boards.count { $0.life.consent != nil }, donations: world.dump.stored,
                participants: boards.count { $0.life.survey != nil }, digests: world.dump.storedDigests,
                issuerExchanges: world.dump.issuerCount, serverExchanges: world.dump.serverCount)
        }
        // The databases are closed.
        TrialServers.removeKeys(path, groups: groups)
        return summary
    }

    private static func make(_ folder: String) throws {
        if mkdir(folder, 0o700) == 0 { return }
        guard errno == EEXIST, let directory = opendir(folder) else { throw DonationTrialError.system(folder) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let isDot = entry.pointee.d_name.0 == CChar(UInt8(ascii: "."))
            guard isDot else { throw DonationTrialError(file: folder, "it is not empty") }
        }
    }

    private static func write(_ boards: [DonorBoard], _ folder: String) throws {
        // In the order of the registry.
        let list = boards.map { (device: $0.device, ueid: Hex.string($0.ueid)) }.sorted { $0.device < $1.device }.map {
            entry -> JSON in
            ["device": .string(entry.device), "ueid": .string(entry.ueid)]
        }
        try TrialServers.writePublic(JSON.array(list).bytes, to: "\(folder)/devices.json")
        try TrialServers.writePublic(Array("{}".utf8), to: "\(folder)/keys.json")
        try TrialServers.writeLogs(folder)
    }

    private static func play(
        _ boards: [DonorBoard], _ world: TrialWorld, _ days: Int, _ progress: (Int) -> Void
    ) throws {
        let start = Double(firstDay.start)
        let end = start + Double(days) * 86_400
        // Cover begins with the first document.
        var next = boards.map { $0.life.begins }
        var day = 0
        while let index = next.indices.min(by: { next[$0] < next[$1] }), next[index] < end {
            let time = next[index]
            while day <= Int(time - start) / 86_400 {
                try world.begin(day: day, at: start + Double(day) * 86_400)
                progress(day)
                day += 1
            }
            next[index] = try boards[index].act(at: time, world) ?? .infinity
        }
        progress(days)
    }
}

/// What the boards of a trial share: servers, published documents, the dump.
final class TrialWorld {
    let servers: TrialServers
    let dump: TrialDump
    private let settings: DonationTrialSettings
    /// Documents by the time of their publication, for each group of devices.
    private var published: [(time: Double, terms: [DonationTerms])] = []
    private var connections: [String: Int] = [:]

    init(
        _ settings: DonationTrialSettings, folder: String, makeKey: @escaping () throws(DonationServiceError) -> DayKey
    ) throws {
        self.settings = settings
        servers = try TrialServers(settings, folder: folder, makeKey: makeKey)
        dump = try TrialDump(folder)
    }

    /// What operators do on a day.
    func begin(day: Int, at time: Double) throws {
        guard day.isMultiple(of: max(1, settings.termsEvery)) else { return }
        published.append((time, try servers.publish(at: Int64(time))))
    }

    /// The document that a board has: it fetches a new one within a day after it was published, and the first one before.
    func terms(at time: Double, _ board: Int) -> DonationTerms {
        var newest = published.count - 1
        while newest > 0 {
            var random = SeededNumbers(settings.seed, part: 1 << 32 | UInt64(newest) << 20 | UInt64(board))
            if published[newest].time + .random(in: 0..<86_400, using: &random) <= time { break }
            newest -= 1
        }
        let terms = published[newest].terms
        return terms[board % terms.count]
    }

    /// The number of the next connection to a server.
    func count(_ host: String) -> Int {
        connections[host, default: 0] += 1
        return connections[host] ?? 0
    }
}
