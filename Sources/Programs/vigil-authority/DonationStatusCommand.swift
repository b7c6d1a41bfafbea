// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import Donation
import DonationService
import JSON

struct DonationsStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Tells for how many days the document has keys, and by day how many requests were answered and refused, and why; it names nobody.",
        discussion: """
            Of what people have sent to the donation server only whole days are told, and no count below \(DonationStatistics.smallestCell). \
            The document is terms.json of the folder: what the issuer made last, or what the donation server follows. Exit status 1 if it has keys of \
            fewer than \(DonationTerms.fewestDays) days: boards will stop donating.
            """)

    @Argument(help: "Folder of the issuer or of the donation server.")
    var folder: String

    @Flag(help: "JSON for scripts.")
    var json = false

    func run() throws {
        let folder: DonationFolder
        var months: [Month] = []
        let events: [(day: UTCDay, event: String, count: Int64?)]
        let today = UTCDay(containing: DonationService.machineTime())
        if let issuer = try? DonationFolder(self.folder, role: .issuer) {
            folder = issuer
            events = try IssuerStore(path: issuer.database).events().map { ($0.day, $0.event, $0.count) }
            months = try Self.months(IssuerFolder(self.folder))
        } else {
            folder = try DonationFolder(self.folder, role: .server)
            events = try DonationStore(path: folder.database).toldEvents(today: today)
        }
        let terms = try folder.terms()
        if json {
            let list = events.map { entry -> JSON in
                [
                    "day": .string(entry.day.date.isoText), "event": .string(entry.event),
                    "count": entry.count.map { .int($0) } ?? .null,
                ]
            }
            let few = months.map { month -> JSON in
                [
                    "purpose": .string(month.purpose.rawValue), "month": .string(month.text),
                    "devices": month.isFew ? .null : .int(Int64(month.devices)),
                ]
            }
            print(jsonText(["document": document(terms, today), "events": .array(list), "months": .array(few)]))
        } else {
            print(
                "document: \(terms.map { $0.keys.isEmpty ? "version \($0.version) has no keys: donations are ended" : $0.daysSentence(today: today) } ?? "none yet")"
            )
            if let terms { print("boards show the mark \(terms.fingerprint)") }
            for entry in events {
                let count = entry.count.map { "\($0)" } ?? "fewer than \(DonationStatistics.smallestCell)"
                print("\(entry.day.date.isoText)  \(entry.event)  \(count)")
            }
            if events.isEmpty { print("nothing was counted yet") }
            for month in months {
                print(
                    "\(month.text)  devices with a token for \(month.purpose == .log ? "error logs" : "surveys")  \(month.isFew ? "fewer than \(DonationStatistics.smallestCell)" : "\(month.devices)")"
                )
            }
        }
        if let terms, terms.isRunningOut(today: today) {
            say("vigil-authority: boards will stop donating: make a new document with `donations terms`, and publish it")
            throw ExitCode(1)
        }
    }

    /// A month with a key, and how many devices have asked for its token.
    private struct Month {
        let purpose: MonthlyPurpose
        let text: String
        let devices: Int
        /// Whether there are so few that their number is not told.
        var isFew: Bool { devices < DonationStatistics.smallestCell }
    }

    private static func months(_ issuer: IssuerFolder) throws -> [Month] {
        let store = try issuer.store()
        return try issuer.keys().live.compactMap { entry in
            guard let purpose = entry.purpose else { return nil }
            return Month(
                purpose: purpose, text: DonationEpoch.month(of: entry.day).text, devices: try store.deviceCount(of: entry))
        }
    }

    private func document(_ terms: DonationTerms?, _ today: UTCDay) -> JSON {
        guard let terms else { return .null }
        return [
            "version": .int(terms.version), "digest": .string(terms.fingerprint),
            "days": .int(Int64(terms.daysLeft(today: today))),
            "lastDay": terms.lastDay.map { .string($0.date.isoText) } ?? .null,
        ]
    }
}
