// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Enrolment
import ForeignText
public import JSON

/// A difference between what is wanted for a board and what its card was made with.
public struct CardDifference: Hashable, Sendable {
    /// Who wants it: `the table`, or the option.
    let source: String
    /// What is wanted, as an operator writes it.
    let wanted: String
    /// What the card was made with.
    let made: String

    /// Returns the differences between answers and the record (`board.json`) of a card, in the order of the questions;
    /// empty if they agree. Cannot fail.
    public static func all(
        _ answers: BoardAnswers, _ record: JSON, enrolment: EnrolmentPlace? = nil, fleet: FleetMembership? = nil
    ) -> [CardDifference] {
        var found: [CardDifference] = []
        func compare(_ source: String, _ wanted: String, _ made: String) {
            if wanted != made { found.append(CardDifference(source: source, wanted: wanted, made: made)) }
        }
        func said(_ name: String) -> String { record[name]?.string ?? "none" }
        compare("the table", answers.use.rawValue, said("use"))
        compare("the table", answers.language, said("language"))
        compare("the table", answers.network.text, said("network"))
        compare(
            "the table", answers.title.map { "the title “\($0)”" } ?? "no title",
            record["title"]?.string.map { "the title “\($0)”" } ?? "no title")
        let (name, made) = (answers.authority?.profile.name ?? "none", said("authority"))
        if answers.authority.map({ DeviceFile.hash($0.bytes) }) != record["authorityHash"]?.string {
            compare("--authority", name, name == made ? "an earlier profile of \(made)" : made)
        }
        let keys = (answers.technicians?.keys ?? []).map(\.fingerprint)
        let known = (record["technicians"]?.array ?? []).compactMap(\.string)
        compare("--technician", Self.list(keys), Self.list(known))
        let (place, madeAt) = (enrolment?.address ?? "none", record["enrolment"]?["address"]?.string ?? "none")
        let anchor = record["enrolment"]?["anchor"]?.string
        let isSame =
            if let enrolment, let anchor { enrolment.isMade(with: anchor) } else { enrolment == nil && anchor == nil }
        if !isSame {
            compare("--enrolment", place, place == madeAt ? "other certificates of \(madeAt)" : madeAt)
        } else {
            compare("--enrolment", place, madeAt)
        }
        // Of cards that were made before groups and keys went onto them nothing is said.
        if let fleet, let key = record["files"]?[DeviceFile.keyName]?.string {
            compare(
                "the table", fleet.group.map { "the group \($0)" } ?? "no group",
                record["group"]?.string.map { "the group \($0)" } ?? "no group")
            let keys = fleet.keys.map { DeviceFile.hash(Array($0.text.utf8)) }
            compare("--key", keys[0], key)
            compare(
                "--spare-key", Self.list(Array(keys.dropFirst())),
                Self.list(FleetMembership.spareFiles.compactMap { record["files"]?[$0]?.string }))
            compare("--board-type", fleet.boardType ?? "every kind", record["boardType"]?.string ?? "every kind")
        }
        return found
    }

    private static func list(_ keys: [String]) -> String { keys.isEmpty ? "none" : keys.joined(separator: " ") }

    /// Returns a clause without a full stop, such as `the table says fr, the card vg-7k3m-q0r1x was made with en`. Cannot
    /// fail.
    public func clause(_ serial: BoardSerial) -> String {
        "\(source) says \(wanted), the card \(serial) was made with \(ForeignText.line(made, limit: 400))"
    }
}
