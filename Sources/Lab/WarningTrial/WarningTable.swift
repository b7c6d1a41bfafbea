// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import FoundationEssentials

/// The table in `Tests/Vectors/warnings` of what people must be told. It was made from the specifications by a program that
/// shares no code with this firmware; its README explains the parts.
public struct WarningTable: Sendable, Decodable {
    /// The state that a person is told, in the words of `org.vigil.risk1`.
    public enum Told: String, Sendable, Decodable {
        /// A low risk, a warning, or no answer.
        case low, increased, unknown
    }

    struct Scenario: Sendable, Decodable {
        /// Full hours of the day, UTC, of submission and of each look.
        let submitHourUTC: Int64
        let checkHourUTC: Int64
        /// Days between submission and look; cases have one verdict for each.
        let checkDelays: [Int64]
        let secondPersonStatement: String
        let mappingA: Mapping
        let mappingB: Mapping

        /// Days since onset of every record in `revisions`, as the table's legend has it.
        var revisionOnset: Int32 { 2 }
    }

    /// Infectiousness (0 none, 1 standard, 2 high) by days since onset.
    struct Mapping: Sendable, Decodable {
        let days: [String: Int64]
        let whenMissing: Int64
        let reportTypeWhenMissing: Int64
    }

    /// Scans without a gap: one exposure window.
    struct Meeting: Sendable, Decodable {
        struct Scan: Sendable, Decodable {
            let typical: Int
            let min: Int
            let seconds: Int
        }

        /// Days before the day that the case names.
        let day: Int64
        /// "HH:MM", UTC.
        let hour: String
        /// "A", or "A2" for the second person.
        let who: String
        let scans: [Scan]

        var contact: Contact {
            Contact(
                scans: scans.map {
                    Contact.Scan(
                        typicalAttenuation: $0.typical, minimumAttenuation: $0.min, secondsSinceLastScan: $0.seconds)
                })
        }

        /// Seconds after midnight.
        var start: Int64 {
            let parts = hour.split(separator: ":").compactMap { Int64($0) }
            return parts.count == 2 ? parts[0] * 3_600 + parts[1] * 60 : 0
        }
    }

    /// One statement, one age, one contact.
    struct Case: Sendable, Decodable {
        let statement: String
        /// Days between the meeting and the submission.
        let age: Int64
        let contact: String
        /// Level and days since onset as submitted.
        let submitted: [Int32]
        /// Level, days since onset and report type as published; `nil` when the key is not.
        let published: [Int32]?
        let told: [Told]
        /// Normalised minutes of the day that counts most; `nil` where no day counts.
        let points: [Double?]
        let alt: Alternative?
    }

    /// Whether another reading of the specifications does not publish the key.
    struct Alternative: Sendable, Decodable {
        let isPublishedOtherwise: Bool

        private enum CodingKeys: String, CodingKey { case published }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            isPublishedOtherwise = try values.contains(.published) && values.decodeNil(forKey: .published)
        }
    }

    /// A published key of somebody who was met.
    struct Heard: Sendable, Decodable {
        let reportType: Int32
        let onset: Int32?
        let level: Int32
        let contact: String

        init(reportType: Int32, onset: Int32?, level: Int32, contact: String) {
            self.reportType = reportType
            self.onset = onset
            self.level = level
            self.contact = contact
        }

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            reportType = try values.decode(Int32.self)
            onset = try values.decodeNil() ? nil : values.decode(Int32.self)
            level = try values.decode(Int32.self)
            contact = try values.decode(String.self)
        }
    }

    /// What is published of one key: for each mapping and list of models a letter a contact.
    struct ReportRow: Sendable, Decodable {
        let reportType: Int32
        let onset: Int32?
        let level: Int32
        let codes: [String: String]
        let days: [String: String]
        /// By the name of another reading, mapping and models.
        let alt: [String: [String: [String: String]]]?

        private enum CodingKeys: String, CodingKey {
            case reportType, onset, level, alt
            /// Mapping A names codes, as the Corona-Warn-App's does; B names days.
            case codes = "A"
            case days = "B"
        }
    }

    /// Several keys that were heard on one day.
    struct MixedRow: Sendable, Decodable {
        let name: String
        let mapping: String
        let keys: [Heard]
        let told: [String: Told]
        let alt: [String: [String: Told]]?
    }

    /// One key that is published again and again.
    struct RevisionRow: Sendable, Decodable {
        /// Who reads it: a board of the authority, for whom types are codes, or a phone with Google's framework.
        enum Receiver: String, Sendable, Decodable {
            case own, phone
        }

        /// Report types, in the order in which they were published.
        let sequence: [Int32]
        let receiver: Receiver
        let contact: String
        /// Whether the receiver downloaded after each record, and not only after the last.
        let isDownloadedBetween: Bool
        /// After each record; `nil` where nothing was downloaded yet.
        let told: [Told?]
        /// By the name of another reading.
        let alt: [String: [Told?]]?

        private enum CodingKeys: String, CodingKey {
            case sequence, receiver, contact, told, alt
            case isDownloadedBetween = "downloadedBetween"
        }
    }

    let scenario: Scenario
    let contacts: [String: [Meeting]]
    let cases: [Case]
    let reportContacts: [String: [Meeting]]
    let reports: [ReportRow]
    let mixed: [MixedRow]
    let revisionContacts: [String: [Meeting]]
    let revisions: [RevisionRow]

    /// Reads `warnings.json` at `path`. Throws ``WarningFailure`` when it cannot be read or its cases do not fit its
    /// scenario, and the decoder's error when it has another form.
    public init(contentsOf path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else { throw WarningFailure("\(path) cannot be read") }
        self = try JSONDecoder().decode(Self.self, from: data)
        guard cases.allSatisfy({ $0.told.count == scenario.checkDelays.count && contacts[$0.contact] != nil }),
            revisions.allSatisfy({ $0.told.count == $0.sequence.count && revisionContacts[$0.contact] != nil })
        else {
            throw WarningFailure("\(path) has cases that do not fit its scenario")
        }
    }

    /// The number of verdicts in the table, one for each case and each day on which the person looks; 0 or more.
    public var verdictCount: Int { cases.count * scenario.checkDelays.count }

    /// The statement of that name in the table.
    static func statement(_ name: String) throws -> SymptomStatement {
        switch name {
        case "none": return .noStatement
        case "noSymptoms": return .noSymptoms
        case "symptomsNoDate": return .unknownSince
        case "lastSevenDays": return .lastSevenDays
        case "oneToTwoWeeks": return .oneToTwoWeeksAgo
        case "moreThanTwoWeeks": return .moreThanTwoWeeksAgo
        default:
            guard name.hasPrefix("onset"), let days = Int(name.dropFirst(5)) else {
                throw WarningFailure("the table has a statement \(name) that is not known here")
            }
            return .since(daysAgo: days)
        }
    }
}
