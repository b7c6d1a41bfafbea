// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Cryptography
import GAEN
import Glibc
import Matching
import Vault

/// What a board's vault holds, in the clear: for tests that compare it with what was on the air.
struct SightingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightings",
        abstract: "Prints what a board heard, one line per reading, with identifiers.",
        discussion: """
            For laboratories only: it never ships on a board, because what it prints tells who was where. The core may go on \
            running; copies of its files are read.
            """)

    /// The columns of the output.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case full, matcher
    }

    @Option(help: "The board's folder for keys and sightings.")
    var data: String

    @Option(help: "The folder of the key that seals them; DATA/key if not given.")
    var keys: String?

    @Option(help: "full: all that is kept. matcher: the columns `vigil match --sightings` reads.")
    var forms = Form.full

    func run() throws {
        var scans: [ScanRecord] = []
        // A board forgets old days by replacing its key: a copy made just then may have one key and data under the other.
        for attempt in 1...3 {
            let copy = try VaultCopy(data: data, keys: keys ?? "\(data)/key")
            let vault = try copy.open()
            scans = try vault.days.sorted().flatMap { try vault.scans(day: $0) }
            let damage = vault.findings.filter(\.isDamage)
            if damage.isEmpty { break }
            guard attempt == 3 else { continue }
            for finding in damage { Terminal.error("vigil-lab: \(finding)\n") }
        }
        print(forms == .full ? Self.full(scans) : Self.matcher(scans), terminator: "")
    }

    private static func full(_ scans: [ScanRecord]) -> String {
        var text = "time,previousScan,identifier,metadata,rssi,offset,profileRevision\n"
        for scan in scans {
            for sender in scan.heard {
                let (identifier, metadata) = (sender.payload.identifier.bytes, sender.payload.metadata.bytes)
                let start = "\(scan.start),\(scan.previousScan),\(Hex.string(identifier)),\(Hex.string(metadata)),"
                for rssi in sender.readings { text += start + "\(rssi),\(sender.offset),\(scan.profileRevision)\n" }
            }
        }
        return text
    }

    private static func matcher(_ scans: [ScanRecord]) -> String {
        SightingsFile.text(
            scans.flatMap { scan in
                scan.heard.flatMap { sender in
                    sender.readings.map { rssi in
                        Sighting(
                            identifier: sender.payload.identifier, metadata: sender.payload.metadata,
                            time: UInt32(clamping: UInt64(scan.start) + UInt64(sender.offset)),
                            previousScan: scan.previousScan, rssi: rssi)
                    }
                }
            })
    }
}

/// Copies of a vault's folders, gone when this is. Opening a vault repairs it, which is its owner's business alone.
private final class VaultCopy {
    /// Far above what one day may fill.
    private static let maximumFileByteCount = 512 << 20

    private let folder: String
    private var data: String { "\(folder)/data" }
    private var keys: String { "\(folder)/keys" }

    init(data: String, keys: String) throws {
        var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/vigil-sightings.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("a temporary folder") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        for made in [self.data, self.keys] where mkdir(made, 0o700) != 0 { throw Self.failure(made) }
        // Without its key nothing can be read, and a copy without it would look like a vault that holds nothing.
        let holdsSomething = try Self.copy(data, to: self.data) > 0
        guard try Self.copy(keys, to: self.keys) > 0 || !holdsSomething else {
            throw InputError(file: keys, "holds no key, so what is in \(data) cannot be read")
        }
    }

    deinit {
        for made in [data, keys] {
            for name in (try? PosixStorage(folder: made).names()) ?? [] { unlink("\(made)/\(name)") }
            rmdir(made)
        }
        rmdir(folder)
    }

    func open() throws -> Vault {
        try Vault(PosixStorage(folder: data), provider: FileKeyProvider(PosixStorage(folder: keys)))
    }

    private static func failure(_ folder: String) -> InputError {
        InputError(file: folder, "cannot make it: \(String(cString: strerror(errno)))")
    }

    /// How many files there were. One that goes while they are copied is left out.
    private static func copy(_ source: String, to target: String) throws -> Int {
        let (from, to) = (try PosixStorage(folder: source), try PosixStorage(folder: target))
        let names = try from.names().filter { name in
            var status = stat()
            return lstat("\(source)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
        for name in names {
            if let bytes = try from.read(name, limit: maximumFileByteCount) { try to.write(bytes, to: name, at: 0) }
        }
        return names.count
    }
}

extension Vault.Finding {
    /// Whether something is not in the output that should be. A torn last record is one that is being written.
    fileprivate var isDamage: Bool {
        switch self {
        case .tornRecord, .timeLost, .dayDropped, .quotaReached, .wasReset: false
        case .setAside, .damagedRecords, .orphanRemoved, .cannotWrite: true
        }
    }
}
