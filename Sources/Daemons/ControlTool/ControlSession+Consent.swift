// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import ForeignText
import GAEN
import Glibc
public import Interfaces
import JSON
import KeyExport

extension ControlSession {
    /// Agrees to one act, and shows the ticket that the program needs which carries it out. The ticket is a secret until it
    /// is used or expires.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func consent(_ purpose: Device1.Purpose) throws(ControlFailure) {
        let reply = try link.ask(Device1.Method.giveConsent, Device1.GiveConsentCall(purpose: purpose))
        try show(reply, as: Device1.GiveConsentReply.self) {
            let end =
                $0.expires.map { "until \(Words.moment($0)), \(Words.age(of: $0, at: now()))" }
                ?? "until the device knows the time"
            return ForeignText.line($0.ticket) + "\n" + screen.paragraph("Good for one use, \(end).", .quiet)
        }
    }

    /// Writes the device's own keys to a new file that only this user can read, in the form that `vigil export create
    /// --keys` reads. The keys are never shown.
    /// - Parameters:
    ///   - path: The path of a file that must not exist; removed again if the keys do not come.
    ///   - isAgreed: Whether the person has agreed already (`--yes`); otherwise the person is asked.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown. If the keys came and cannot be
    ///   written, the consent is spent: `badFile`.
    public func release(to path: String, isAgreed: Bool) throws(ControlFailure) {
        try person.agree(
            to: """
                The keys of the last 14 days are going to be written to \(ForeignText.line(path)). Once they are published, whoever met this device \
                can be warned, and whoever recorded identifiers can tell which were yours. Today's key is used no more.
                """, isAgreed: isAgreed)
        // The file first: keys whose answer is lost need another consent.
        try reserve(path)
        var isWritten = false
        defer { if isWritten { leftovers.forget(path) } else { leftovers.remove(path) } }
        let ticket = try ticket(.releaseKeys)
        let reply = try link.ask(Release1.Method.takeDiagnosisKeys, Device1.TicketCall(ticket: ticket))
        let keys = try reply.read(Release1.KeysReply.self).keys
        var table: [ExportedKey] = []
        for key in keys { table.append(try Self.exported(key)) }
        do { try Files.write(Array(KeysFile.text(table).utf8), to: path, mode: 0o600) } catch {
            throw ControlFailure(.badFile, "\(error). The consent is spent: release them again.")
        }
        isWritten = true
        try say(
            "\(Words.count(keys.count, "key")) written to \(path), readable by you only. `vigil export create --keys \(path)` makes a file to publish of them; delete it afterwards.",
            ["output": .string(path), "keyCount": .int(Int64(keys.count))])
    }

    private func reserve(_ path: String) throws(ControlFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason =
                errno == EEXIST ? "it exists already, and keys overwrite nothing" : String(cString: strerror(errno))
            throw ControlFailure(.badFile, "\(path) cannot be made: \(reason). Choose another file.")
        }
        close(descriptor)
        leftovers.add(path)
    }

    /// The key as a table has it; risk, report type and onset are the health authority's to fill in.
    private static func exported(_ key: Release1.TemporaryExposureKey) throws(ControlFailure) -> ExportedKey {
        guard let bytes = Base64.bytes(key.keyData), let data = Block(bytes),
            let start = UInt32(exactly: key.rollingStartIntervalNumber), let period = UInt32(exactly: key.rollingPeriod),
            let key = DiagnosisKey(data: data, rollingStart: ENIN(start), rollingPeriod: period)
        else {
            throw ControlFailure(
                .notUnderstood,
                "The core gave a key that is none: 16 bytes and 1 to 144 intervals. Nothing was written; look at its log.")
        }
        return ExportedKey(key)
    }

    /// Erases everything, after a person has typed the word `erase`.
    /// - Parameters:
    ///   - handsOn: Whether the device is for somebody else from now on (`--hand-on`): the wearer's secret ends, too.
    ///   - isAgreed: Whether the person has agreed already (`--yes`) and is not asked again.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func reset(handsOn: Bool = false, isAgreed: Bool) throws(ControlFailure) {
        let more = handsOn ? " The wearer's secret ends: its label opens nothing any more." : ""
        try person.agree(
            to: """
                EVERYTHING on this device will be erased: what was heard, what was found, the keys, the settings, the consents and the log. \
                Nobody can bring it back, and whom you met can no longer be warned by you.\(more)
                """, word: "erase", isAgreed: isAgreed)
        let ticket = try ticket(.reset)
        let reply = try link.ask(
            Device1.Method.reset, Device1.TicketCall(ticket: ticket, handOn: handsOn ? true : nil), .long)
        try say(
            handsOn
                ? "Everything is erased, and the wearer's secret is void. The core starts as new. Next: `vigil ctl wiped` shows that nothing is left, and `vigil ctl access make wearer` makes the next wearer's secret."
                : "Everything is erased. The core starts as new; switch it on with `vigil ctl enable`.", reply)
    }

    // MARK: Pairing

    /// A pairing file is a few kilobytes: at most 200 marks of 64 digits.
    private static let pairingFileLimit = 65_536

    /// Writes this device's pairing file to `path`, which must not exist; 64 KiB at most. It holds no secret.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func writePairing(to path: String) throws(ControlFailure) {
        guard access(path, F_OK) != 0 else {
            throw ControlFailure(.badFile, "\(path) exists already, and nothing is overwritten. Choose another file.")
        }
        let name = spool.freshNames(1, ending: ".pairing")[0]
        spool.expect(name)
        defer { spool.remove([name]) }
        do throws(ControlFailure) {
            let ticket = try ticket(.pair)
            _ = try link.ask(Device1.Method.writePairingFile, Device1.WritePairingCall(file: name, ticket: ticket))
        } catch { throw error.renamed([name: path]) }
        try spool.fetch(name, to: path, limit: Self.pairingFileLimit)
        try say(
            "Written to \(path). It holds no secret; read it on the other device with `vigil ctl pair read`.",
            ["output": .string(path)])
    }

    /// Reads another device's pairing file, and calls that device `other`, a name that the core checks. The core
    /// refuses a file of more than 16 KiB.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func readPairing(_ path: String, name other: String) throws(ControlFailure) {
        try link.reach()
        let name = spool.freshNames(1, ending: ".pairing")[0]
        defer { spool.remove([name]) }
        try spool.copy(path, as: name)
        do throws(ControlFailure) {
            let ticket = try ticket(.pair)
            let reply = try link.ask(
                Device1.Method.readPairingFile, Device1.ReadPairingCall(file: name, name: other, ticket: ticket))
            try show(reply, as: Device1.ReadPairingReply.self) {
                screen.paragraph(
                    "Paired with \($0.paired.name): what it publishes counts as no encounter.")
            }
        } catch { throw error.renamed([name: path]) }
    }

    /// Shows the devices that are paired with this one.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func listPaired() throws(ControlFailure) {
        try show(link.ask(Device1.Method.getPaired), as: Device1.PairedReply.self) {
            DeviceViews.paired($0.paired, screen)
        }
    }

    /// Removes the pairing with the device of this name; has no effect if there is none.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func forgetPaired(_ name: String) throws(ControlFailure) {
        let reply = try link.ask(Device1.Method.forgetPaired, Device1.NameCall(name: name))
        try say("No device called \(name) is paired with this one any more.", reply)
    }

    // MARK: The wearer's data

    /// Shows the wearer's data, or writes it to a new file that only this user can read. It contains no key.
    /// - Parameter path: The path of a file that must not exist; `nil` shows it.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func exportMyData(to path: String?) throws(ControlFailure) {
        let reply = try link.askPages(Device1.Method.exportMyData, list: "sections")
        guard let path else {
            return try show(reply, as: Device1.DataReply.self) { DeviceViews.data($0.sections, screen) }
        }
        let sections = try reply.read(Device1.DataReply.self).sections
        let text = isJSON ? PlainText.json(reply) + "\n" : DeviceViews.data(sections, Screen())
        try reserve(path)
        do { try Files.write(Array(text.utf8), to: path, mode: 0o600) } catch {
            leftovers.remove(path)
            throw ControlFailure(.badFile, "\(error)")
        }
        leftovers.forget(path)
        try say(
            "Written to \(path), readable by you only.",
            ["output": .string(path), "sectionCount": .int(Int64(sections.count))])
    }
}
