// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import Interfaces
import KeyIntake
import Ledger
public import TimeTrust

/// A pairing file: marks by which another device of the same person knows, later, that something published came from this one. A mark is
/// SHA-256 over a domain and the key: it can be compared with a published key, and is good for nothing else.
enum PairingFile {
    private static let heading = "vigil-pairing 1"
    static let maximumByteCount = 16_384
    static let maximumMarks = 200

    static func mark(_ key: Block) -> [UInt8] { SHA256.digest(of: Array("vigil pairing 1 ".utf8) + key.bytes) }

    static func bytes(_ marks: [[UInt8]]) -> [UInt8] {
        let lines = [heading] + marks.map { $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// `nil` for anything ``bytes(_:)`` cannot have made.
    static func marks(_ bytes: [UInt8]) -> [[UInt8]]? {
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count <= maximumMarks + 2, lines.popLast() == "", lines.first == heading[...] else { return nil }
        var marks: [[UInt8]] = []
        for line in lines.dropFirst() {
            let digits = line.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map { UInt8($0) } }
            guard digits.count == 64, line.utf8.count == 64 else { return nil }
            marks.append(stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
        }
        return marks
    }
}

extension ExposureService {
    /// Writes a pairing file with this name into the caller's spool; no such file may exist. The ticket is used up even if
    /// the file cannot be written. The file has the marks of the newest 200 keys; none if the time is not known.
    ///
    /// - Throws: ``Refusal`` if the caller has no folder, the ticket is not valid, or the file or the disk refuses.
    public func writePairing(
        _ file: String, ticket: String, by caller: Caller, at now: BootInstant
    ) throws(Refusal) {
        let spool = try spool(of: caller, file)
        try ledger.record {
            try redeem(ticket, for: .pair, $0, at: now)
            try $0.audit(auditWriter.entry(.pairingWritten, caller, at: now))
        }
        let marks = beacon.ownKeys(at: now).map { PairingFile.mark($0.block) }
        do throws(IntakeFailure) {
            try spool.create(file, PairingFile.bytes(marks.suffix(PairingFile.maximumMarks)))
        } catch {
            throw .fileRefused(file, rule: error.ruleName, "\(error)")
        }
    }

    /// Reads another device's pairing file, at most 16 KiB and 200 marks, and stores it under `name`: 1 to 32
    /// letters of any script, digits (0 to 9), dashes and blanks. If a device has that name already, the marks are
    /// added to it, and the newest 200 are kept.
    ///
    /// - Throws: ``Refusal`` if the name or the file cannot be used, the ticket is not valid, there are too many devices,
    ///   or the disk refuses. Nothing was stored then, and the ticket not used.
    public func readPairing(
        _ file: String, name: String, ticket: String, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Device1.Paired {
        let spool = try spool(of: caller, file)
        guard Self.isName(name) else {
            throw .fileRefused(
                file, rule: "badName", "A device's name has 1 to 32 letters, digits, dashes and blanks. Choose another one."
            )
        }
        let bytes: [UInt8]
        do throws(IntakeFailure) { bytes = try spool.read(file, limit: PairingFile.maximumByteCount) } catch {
            throw .fileRefused(file, rule: error.ruleName, "\(error)")
        }
        guard let marks = PairingFile.marks(bytes) else {
            throw .fileRefused(
                file, rule: "notAPairingFile",
                "This is not a pairing file, or it is damaged. Write it again on the other device.")
        }
        let day = UInt32(clamping: (beacon.present(at: now).time?.seconds ?? 0) / 86_400)
        try ledger.record {
            try redeem(ticket, for: .pair, $0, at: now)
            try $0.addPaired(name: name, digests: marks, day: day)
            try $0.audit(auditWriter.entry(.pairingRead, caller, at: now))
        }
        announce(.pairingChanged)
        return Device1.Paired(name: name)
    }

    /// Returns the devices that this one is paired with, by name; empty if there are none.
    ///
    /// - Throws: ``Refusal`` if the disk cannot be read.
    public func paired() throws(Refusal) -> [Device1.Paired] {
        try reading { try ledger.pairedNames() }.map { Device1.Paired(name: $0) }
    }

    /// Forgets the paired device with this name, and records and announces that. If there is none, nothing happens.
    ///
    /// - Throws: ``Refusal`` if the disk cannot be read or written.
    public func forgetPaired(_ name: String, by caller: Caller, at now: BootInstant) throws(Refusal) {
        guard try reading({ try ledger.pairedNames() }).contains(name) else { return }
        try ledger.record {
            try $0.removePaired(name: name)
            try $0.audit(auditWriter.entry(.pairingForgotten, caller, at: now))
        }
        announce(.pairingChanged)
    }

    private func spool(of caller: Caller, _ file: String) throws(Refusal) -> Spool {
        guard let spool = caller.spool else {
            throw .fileRefused(
                file, rule: "noSpool", "This caller has no folder for files. Give it one where its socket is configured.")
        }
        return spool
    }

    private static func isName(_ name: String) -> Bool {
        (1...32).contains(name.count)
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == " "
            }
    }
}

extension TemporaryExposureKey {
    /// The key as a block, as published keys are.
    var block: Block { secret.withBytes { $0.loadUnaligned(as: Block.self) } }
}
