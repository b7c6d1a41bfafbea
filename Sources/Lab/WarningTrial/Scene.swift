// SPDX-License-Identifier: Apache-2.0

/// A little story that is played end to end, and what its wearer must be told. `Tests/Vectors/warnings/SCENES.md` says what each part means.
///
/// Times are seconds, intervals ten-minute numbers; both count from 00:00 UTC of the day of submission.
struct Scene: Sendable, Decodable {
    /// Who publishes the keys of its persons.
    enum Authority: String, Sendable, Decodable {
        case own, foreign
    }

    /// What somebody is told; a place has no personal risk.
    enum Told: String, Sendable, Decodable {
        case low, increased, unknown, none
    }

    /// The time when the board is restarted.
    enum Restart: String, Sendable, Decodable {
        case afterRules, afterHearing, afterSubmission, afterDownload, beforeAsking
    }

    /// A key that was on air.
    struct Key: Sendable, Decodable {
        /// Days before the day of submission.
        let age: Int64
        /// First interval within its day.
        let start: Int64
        let period: Int64
        /// As submitted; `nil` is a field that is not there.
        let level: Int64?
        let onset: Int64?
        /// Report type, days since onset and level as a foreign authority publishes them.
        let foreign: [Int32?]?
        /// Report type, days since onset and level as our authority must publish them; `nil` where it must not.
        let published: [Int32]?
        /// In how many packages a foreign authority publishes it.
        let packages: Int

        private enum CodingKeys: String, CodingKey {
            case age, start, period, level, onset, published, packages
            case foreign = "tek"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            age = try values.decode(Int64.self, forKey: .age)
            start = try values.decodeIfPresent(Int64.self, forKey: .start) ?? 0
            period = try values.decodeIfPresent(Int64.self, forKey: .period) ?? 144
            level = try values.decodeIfPresent(Int64.self, forKey: .level)
            onset = try values.decodeIfPresent(Int64.self, forKey: .onset)
            foreign = try values.decodeIfPresent([Int32?].self, forKey: .foreign)
            published = try values.decodeIfPresent([Int32].self, forKey: .published)
            packages = try values.decodeIfPresent(Int.self, forKey: .packages) ?? 1
        }

        /// Its intervals.
        var intervals: Range<Int64> {
            let first = start - age * 144
            return first..<(first + period)
        }
    }

    struct Person: Sendable, Decodable {
        let name: String
        let keys: [Key]
        /// When she submits.
        let submit: Int64
        /// The reason why the authority must refuse what she submits; `nil` where it must take it.
        let refused: String?

        private enum CodingKeys: String, CodingKey { case name, keys, submit, refused }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            keys = try values.decode([Key].self, forKey: .keys)
            submit = try values.decodeIfPresent(Int64.self, forKey: .submit) ?? 43_200
            refused = try values.decodeIfPresent(String.self, forKey: .refused)
        }
    }

    /// One scan that heard somebody.
    struct Scan: Sendable, Decodable {
        let time: Int64
        let typicalAttenuation: Int
        let minimumAttenuation: Int
        /// Back to the end of the scan before; `nil` is unknown.
        let secondsSinceLastScan: Int64?

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            time = try values.decode(Int64.self)
            typicalAttenuation = try values.decode(Int.self)
            minimumAttenuation = try values.decode(Int.self)
            let seconds = try values.decodeNil() ? 0 : values.decode(Int64.self)
            // The table writes unknown as null or 0, as a time of 0 is.
            secondsSinceLastScan = seconds == 0 ? nil : seconds
        }
    }

    /// Scans that heard one person.
    struct Meeting: Sendable, Decodable {
        let person: String
        /// How much the sender's clock is ahead of the receiver's, seconds.
        let offset: Int64?
        /// The key and the interval whose identifier is on air at every scan, whatever the sender's clock says.
        let stuck: [Int64]?
        let scans: [Scan]
        /// What is on air, run by run: the key or nothing, the interval, how many scans.
        let sent: [[Int64?]]
    }

    /// The board is asked.
    struct Check: Sendable, Decodable {
        let time: Int64
        /// Whether it downloads before.
        let hasNetwork: Bool
        let told: Told
        /// The best day's sum; `nil` where nothing counts.
        let points: Double?
        /// Days before the check, and that day's sum.
        let days: [[Double?]]?

        private enum CodingKeys: String, CodingKey {
            case told, points, days
            case time = "at"
            case hasNetwork = "network"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            time = try values.decode(Int64.self, forKey: .time)
            hasNetwork = try values.decodeIfPresent(Bool.self, forKey: .hasNetwork) ?? true
            told = try values.decode(Told.self, forKey: .told)
            points = try values.decodeIfPresent(Double.self, forKey: .points)
            days = try values.decodeIfPresent([[Double?]].self, forKey: .days)
        }
    }

    /// Something that happens to the board at a time of its own.
    struct Event: Sendable, Decodable {
        enum Kind: String, Sendable, Decodable {
            case rules, download, restart
            case downloadAgain = "download again"
        }

        let time: Int64
        let kind: Kind

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            time = try values.decode(Int64.self)
            kind = try values.decode(Kind.self)
        }
    }

    let name: String
    let group: String
    let authority: Authority
    let mapping: String
    let models: String
    let persons: [Person]
    let meetings: [Meeting]
    let checks: [Check]
    let role: String?
    let restarts: [Restart]?
    let events: [Event]?
    /// From when to when the board is off.
    let off: [[Int64]]?
    /// What is told by another reading of the specifications, one for each check.
    let alt: [String: [Told]]?

    var isPlace: Bool { role == "place" }
    /// Whether the board must outlive a process.
    var isRestarted: Bool {
        restarts?.isEmpty == false || off?.isEmpty == false || events?.contains { $0.kind == .restart } == true
    }

    /// What must be told at each check, by the readings that were chosen: each replaces the table's own.
    func told(_ readings: [String]) -> [Set<Told>] {
        let chosen = readings.compactMap { alt?[$0] }
        return checks.indices.map { index in
            chosen.isEmpty ? [checks[index].told] : Set(chosen.map { $0[index] })
        }
    }
}
