// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CSQLite
import CrowdNotifier
import Cryptography
import FoundationEssentials
import Glibc
import JSON
import Vault

/// Somebody who has taken a whole board with all that is written in it, every key that lies there, and the codes of all places of a town: opens what a key
/// opens, and looks in all of it for whatever is made of a code, as bytes, hexadecimal, Base64, and as browsers send it.
struct DiskAttack {
    /// Bytes that are compared.
    private static let window = 8
    private static let filterBits = 22

    /// The place of what is made of a code, by its first bytes; and a filter before it, for speed.
    private var byNeedle: [UInt64: Int] = [:]
    private var filter: [Bool]

    /// `hours` are those of the visits, by their first seconds.
    init(_ town: [CrowdNotifierVenue], hours: Set<Int64>) {
        filter = [Bool](repeating: false, count: 1 << Self.filterBits)
        for (index, venue) in town.enumerated() {
            let keys = venue.keys
            var needles = [Array(venue.name.utf8), venue.seed, keys.preID, SHA256.digest(of: venue.payload)]
            needles.append(keys.notificationKey.withBytes { Array($0) })
            for start in hours {
                let timeKey = keys.timeKey(start: start)
                needles += [timeKey, VenueKeys.identity(preID: keys.preID, timeKey: timeKey, start: start)]
            }
            for needle in needles {
                let word = needle.prefix(Self.window).reduce(0) { $0 << 8 | UInt64($1) }
                byNeedle[word] = index
                filter[Self.slot(word)] = true
            }
        }
    }

    private static func slot(_ word: UInt64) -> Int {
        Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15) >> (64 - UInt64(filterBits)))
    }

    // MARK: What there is

    /// Every file below the folder with what it has, and every content that one of the keys opens, by its name.
    static func everything(below folder: String) throws -> [(name: String, bytes: [UInt8])] {
        var found: [(name: String, bytes: [UInt8])] = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
            found.append(("name of \(name)", Array(name.utf8)))
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                let data = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
            else { continue }
            found.append((name, [UInt8](data)))
        }
        let files = Dictionary(found.map { ($0.name, $0.bytes) }, uniquingKeysWith: { first, _ in first })
        for (name, bytes) in files where name.hasPrefix("data/state/") {
            let plugin = name.split(separator: "/")[2]
            guard let seal = files["data/seals/\(plugin)"], seal.count == SealedBox.keyByteCount else { continue }
            found += opened(store: bytes, by: SecretBytes(copying: seal)).map { ("\(name), opened", $0) }
        }
        let keys = sealingKeys(files["data/core/key/sealing.key"] ?? [])
        for (name, bytes) in files where name.hasPrefix("data/core/") && name.hasSuffix(".slots") {
            found += opened(slots: bytes, String(name.split(separator: "/").last ?? ""), by: keys).map {
                ("\(name), opened", $0)
            }
        }
        found += try ledgerRows(in: "\(folder)/data/core").map { ("ledger, opened", $0) }
        return found
    }

    /// The halves of a store of constant size, and the whole of another one.
    private static func opened(store bytes: [UInt8], by seal: SecretBytes) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for kind in [2, 4, 6, 8] {
            let mark = Array("vigil-store \(kind)\n".utf8)
            let blocks = stride(from: 0, to: bytes.count, by: 4_096).filter { bytes[$0...].starts(with: mark) }
            for (place, start) in blocks.enumerated() {
                // Up to the next part, or the end.
                let half = (bytes.count - 8 * 4_096) / 2
                let ends = [
                    blocks.dropFirst(place + 1).first ?? bytes.count, start + 4_096, half, 2 * half, bytes.count / 2,
                    bytes.count,
                ]
                for end in Set(ends) where end > start && end <= bytes.count {
                    guard let message = SealedBox.open(bytes[start..<end].dropFirst(mark.count), key: seal, context: mark)
                    else {
                        continue
                    }
                    found.append(message.withBytes { Array($0) })
                }
            }
        }
        return found
    }

    /// Of `sealing.key`: two parts of 128 bytes, each with 32 bytes behind 12 others.
    private static func sealingKeys(_ bytes: [UInt8]) -> [SecretBytes] {
        stride(from: 12, to: max(12, bytes.count - 32), by: 128).map { SecretBytes(copying: bytes[$0..<($0 + 32)]) }
    }

    /// Of a file of the core's with two slots: magic, number of the write, length, what is sealed.
    private static func opened(slots bytes: [UInt8], _ name: String, by keys: [SecretBytes]) -> [[UInt8]] {
        [0, bytes.count / 2].flatMap { start -> [[UInt8]] in
            guard bytes.count >= start + 16 else { return [] }
            let number = Array(bytes[(start + 4)..<(start + 12)])
            let length = bytes[(start + 12)..<(start + 16)].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count / 2 - 16 else { return [] }
            let sealed = bytes[(start + 16)..<(start + 16 + length)]
            return keys.compactMap {
                SealedBox.open(sealed, key: $0, context: Array("vigil slot \(name) ".utf8) + number)?.withBytes {
                    Array($0)
                }
            }
        }
    }

    /// All rows of the core's database, by the keys that its vault has, and by the key of the audit log, which is in a row.
    private static func ledgerRows(in folder: String) throws -> [[UInt8]] {
        let copy = folder + "-copy"
        try FileManager.default.copyItem(atPath: folder, toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let vault = try Vault(PosixStorage(folder: copy), provider: FileKeyProvider(PosixStorage(folder: copy + "/key")))
        var keys = vault.ledgerKeys
        var found: [[UInt8]] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: copy)
        where name.hasSuffix(".db") || name.contains("ledger") {
            var database: OpaquePointer?
            defer { sqlite3_close(database) }
            guard sqlite3_open_v2("\(copy)/\(name)", &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { continue }
            // First what the ledger knows of itself: the key of the audit log is among it.
            for table in ["meta", "setting", "match", "file", "attempt", "ticket", "evidence", "paired", "audit"] {
                var statement: OpaquePointer?
                defer { sqlite3_finalize(statement) }
                guard
                    sqlite3_prepare_v2(database, "SELECT tag, written, content FROM \(table)", -1, &statement, nil)
                        == SQLITE_OK
                else { continue }
                func blob(_ column: Int32) -> [UInt8] {
                    let count = Int(sqlite3_column_bytes(statement, column))
                    return sqlite3_column_blob(statement, column).map {
                        Array(UnsafeRawBufferPointer(start: $0, count: count))
                    } ?? []
                }
                while sqlite3_step(statement) == SQLITE_ROW {
                    let written = sqlite3_column_int64(statement, 1)
                    let context =
                        Array("vigil ledger \(table) ".utf8) + withUnsafeBytes(of: written.littleEndian) { Array($0) }
                        + blob(0)
                    for key in keys {
                        guard let content = SealedBox.open(blob(2)[...], key: key, context: context) else { continue }
                        found.append(content.withBytes { Array($0) })
                        if table == "meta", content.count == SealedBox.keyByteCount { keys.append(content) }
                    }
                }
            }
        }
        return found
    }

    // MARK: The search

    /// The places of the town that are found in these bytes, however they are written there.
    func places(in bytes: [UInt8]) -> Set<Int> {
        var found = look(bytes)
        for run in Self.runs(bytes, atLeast: 12, Self.isBase64) {
            for offset in 0..<4 { found.formUnion(look(Self.base64(run.dropFirst(offset)))) }
        }
        for run in Self.runs(bytes, atLeast: 16, { Self.hexDigit($0) != nil }) {
            for offset in 0..<2 { found.formUnion(look(Self.hex(run.dropFirst(offset)))) }
        }
        if bytes.contains(UInt8(ascii: "%")) { found.formUnion(look(Self.percentDecoded(bytes))) }
        return found
    }

    private func look(_ bytes: [UInt8]) -> Set<Int> {
        var found: Set<Int> = []
        bytes.withUnsafeBufferPointer { bytes in
            filter.withUnsafeBufferPointer { filter in
                var word: UInt64 = 0
                for position in bytes.indices {
                    word = word << 8 | UInt64(bytes[position])
                    guard position >= Self.window - 1, filter[Self.slot(word)], let place = byNeedle[word] else { continue }
                    found.insert(place)
                }
            }
        }
        return found
    }

    private static func runs(_ bytes: [UInt8], atLeast least: Int, _ isPart: (UInt8) -> Bool) -> [ArraySlice<UInt8>] {
        bytes.split { !isPart($0) }.filter { $0.count >= least }
    }

    private static func isBase64(_ byte: UInt8) -> Bool { sextet(byte) != nil }

    /// Of both alphabets.
    private static func sextet(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - 65)
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - 71)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte + 4)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var (result, word, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in text {
            word = word << 6 | (sextet(byte) ?? 0)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: word >> UInt32(count)))
        }
        return result
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
        default: nil
        }
    }

    private static func hex(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let digits = text.compactMap(hexDigit)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count, let high = hexDigit(bytes[place + 1]),
                let low = hexDigit(bytes[place + 2])
            {
                result.append(high << 4 | low)
                place += 3
            } else {
                result.append(bytes[place] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[place])
                place += 1
            }
        }
        return result
    }
}
