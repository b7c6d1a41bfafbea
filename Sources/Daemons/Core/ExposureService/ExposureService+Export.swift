// SPDX-License-Identifier: Apache-2.0

import Donation
import GAEN
public import Interfaces
import Ledger
import Matching
import Radio
public import TimeTrust
import Vault

extension ExposureService {
    /// Returns the data that this device stores about its wearer, in sections: everything except secrets, the minutes of
    /// encounters and other people's identifiers; the last section names what is left out, with the reason. The audit log
    /// records the export.
    ///
    /// - Throws: ``Refusal`` if the disk cannot be read.
    public func myData(by caller: Caller, at now: BootInstant) throws(Refusal) -> [Device1.DataSection] {
        var sections = [aboutThisDevice(at: now), ownKeySection(at: now)]
        try sections.append(contentsOf: [
            sightingSection(), matchSection(at: now), settingSection(at: now), donationSection(), logSection(),
        ])
        sections.append(
            Device1.DataSection(
                topic: "leftOut",
                explanation: """
                    Not in this answer, and in no other: the secret keys, because whoever had them could pass for this device; the \
                    identifiers and signal strengths heard from other people, because they are theirs and could show where \
                    they were; and the minutes of encounters, because with them you could find out who a published person \
                    is. All of it is counted above, is sealed on the disk, and is destroyed by a reset (vigil ctl reset).
                    """,
                values: [:]))
        auditWriter.note(.dataExported, caller, at: now)
        return sections
    }

    private func aboutThisDevice(at now: BootInstant) -> Device1.DataSection {
        Device1.DataSection(
            topic: "device",
            explanation: """
                For those around it this device has no name, no number and no account. What it knows of you is what is listed \
                here.
                """,
            values: [
                "version": Release.version, "profile": beacon.profile.name, "role": role.rawValue,
                "enabled": beacon.isEnabled ? "yes" : "no",
                "time": beacon.present(at: now).time.map(\.inWords) ?? "not known",
            ])
    }

    private func ownKeySection(at now: BootInstant) -> Device1.DataSection {
        let keys = beacon.ownKeys(at: now)
        return Device1.DataSection(
            topic: "ownKeys",
            explanation: """
                The secrets your identifiers were made of, one a day. They leave this device only if you agree to warn others. \
                Kept for 14 days.
                """,
            values: ["count": "\(keys.count)"])
    }

    private func sightingSection() throws(Refusal) -> Device1.DataSection {
        var values: [String: String] = [:]
        for day in vault.days.sorted() {
            var (scans, senders) = (0, 0)
            try reading {
                try vault.forEachScan(day: day) {
                    scans += 1
                    senders += $0.heard.count
                }
            }
            values[Self.dayText(day)] = "\(scans) scans that heard somebody, \(senders) identifiers in all"
        }
        return Device1.DataSection(
            topic: "sightings",
            explanation: """
                Random identifiers that were heard near this device, with time and signal strength. They say nothing about who \
                sent them, unless the sender publishes. Kept for 14 days.
                """,
            values: values)
    }

    private func matchSection(at now: BootInstant) throws(Refusal) -> Device1.DataSection {
        let (matches, mapping) = try derivation(at: now)
        var days: [UInt32: Int] = [:]
        for match in matches {
            for window in match.exposureWindows(under: mapping) { days[window.day, default: 0] += 1 }
        }
        var values = Dictionary(
            days.map { (Self.dayText($0.key), "\($0.value) exposure windows") }, uniquingKeysWith: { first, _ in first })
        values["publishedPeopleMet"] = "\(matches.count)"
        return Device1.DataSection(
            topic: "matches",
            explanation: """
                Encounters with people who published later: their published key, how and when it was heard. Nobody learns of them \
                unless you tell. Kept for 14 days.
                """,
            values: values)
    }

    private func settingSection(at now: BootInstant) throws(Refusal) -> Device1.DataSection {
        let paired = try paired()
        let stored = try storedMapping()
        return Device1.DataSection(
            topic: "settings",
            explanation: "What was set on this device. Kept until it is changed or the device is reset.",
            values: [
                "pairedDevices": paired.isEmpty ? "none" : paired.map(\.name).joined(separator: ", "),
                "mapping": stored == nil
                    ? "the one that comes with the device" : "set by the health authority's configuration",
            ])
    }

    private func donationSection() -> Device1.DataSection {
        let book = donations.book
        var values = ["consent": "none", "donations": "\(book.history.count) in the last weeks"]
        if let consent = book.consent { values["consent"] = "since \(UnixTime(seconds: consent.since).inWords)" }
        values["errorLogs"] = "none"
        if let errand = book[.log] {
            values["errorLogs"] = "since \(UnixTime(seconds: errand.consent.since).inWords)"
            values["noted"] = errand.seen.isEmpty ? "none" : errand.seen.map(\.trouble.rawValue).joined(separator: ", ")
        }
        values["surveys"] = "none"
        // Not the password: whoever reads the file could answer in the wearer's place.
        if let errand = book[.survey] { values["surveys"] = "since \(UnixTime(seconds: errand.consent.since).inWords)" }
        return Device1.DataSection(
            topic: "donations",
            explanation: """
                Whether you agreed to donate data (vigil ctl donation). For that the device has a name, which only the server that gives \
                it permissions knows; what is donated has none. Whether you agreed to error logs (vigil ctl donation log), and which troubles were noted for one. Whether you agreed to a survey (vigil ctl donation survey). Kept until \
                you take the consent back; the name until a reset.
                """,
            values: values)
    }

    private func logSection() throws(Refusal) -> Device1.DataSection {
        let verdict = try reading { try ledger.verifyAudit() }
        let hours = try reading { try ledger.evidence(from: 0, to: .max) }
        return Device1.DataSection(
            topic: "records",
            explanation: """
                A log of consents, releases, resets and changes, which you can read in full (vigil ctl audit), and hourly counts of \
                what was sent and heard (vigil ctl evidence). The counts are kept for 14 days.
                """,
            values: [
                "logEntries": "\(verdict.intact)", "logIntact": verdict.isIntact ? "yes" : "no",
                "hoursOfEvidence": "\(hours.count)",
            ])
    }

    private static func dayText(_ day: UInt32) -> String {
        String(UnixTime(seconds: Int64(day) * 86_400).inWords.prefix(10))
    }
}
