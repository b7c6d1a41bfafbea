// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import Glibc
public import JSON
import SystemCalls

extension CardFolder {
    /// The most bytes that a board takes from its folder `provision` (docs/image.md).
    static let maximumByteCount = 4 << 20

    /// Returns the files of a board's folder `provision`, by path below it and in the order of the paths, secrets among them: for its
    /// card and nobody else. `record` is the `board.json` that the inventory has of the card.
    ///
    /// All of it is compared with the record, the two secrets by their hashes, so a folder that is changed meanwhile is noticed. Throws
    /// `notAsMade` when a file is missing, changed or strange, and `system` when one cannot be read.
    public static func files(at path: String, of record: JSON) throws(FolderFault) -> [(path: String, bytes: [UInt8])] {
        let place = "\(path)/\(Card.folder)"
        let hashes = record["files"]?.object?.members.map { ($0.name, $0.value.string ?? "") } ?? []
        var expected = Dictionary(hashes, uniquingKeysWith: { first, _ in first })
        let known = Set(
            Card.paths.filter { $0.hasPrefix("\(Card.folder)/") }.map { String($0.dropFirst(Card.folder.utf8.count + 1)) })
        for name in expected.keys where !known.contains(name) { throw .notAsMade(path: path, name: name) }
        for name in ["first-secrets", "enrolment-claim"] { expected[name] = "" }
        var files: [(path: String, bytes: [UInt8])] = []
        var total = 0
        for name in try found(in: place, "") {
            guard known.contains(name) else { throw .notAsMade(path: path, name: name) }
            let bytes = try content("\(place)/\(name)")
            total += bytes.count
            guard total <= maximumByteCount else { throw .notAsMade(path: path, name: name) }
            guard isRight(name, bytes, expected.removeValue(forKey: name), record) else {
                throw .notAsMade(path: path, name: name)
            }
            files.append((name, bytes))
        }
        if let missing = expected.keys.min() { throw .notAsMade(path: path, name: missing) }
        let (text, signature) = (DeviceFile.name, DeviceFile.signatureName)
        guard files.contains(where: { $0.path == text }) == files.contains(where: { $0.path == signature }) else {
            throw .notAsMade(path: path, name: signature)
        }
        return files
    }

    private static func isRight(_ name: String, _ bytes: [UInt8], _ hash: String?, _ record: JSON) -> Bool {
        switch name {
        case "first-secrets":
            let codes = (try? JSON(parsing: bytes))?.object?.members ?? []
            guard codes.count == 1, let code = codes.first?.value.string else { return false }
            return record["labelCodeHash"]?.string == CardSecrets.digest(SecretBytes(copying: code.utf8))
        case "enrolment-claim":
            return bytes.last == UInt8(ascii: "\n")
                && record["claimHash"]?.string == CardSecrets.digest(SecretBytes(copying: bytes.dropLast()))
        case DeviceFile.name: return (try? JSON(parsing: bytes)) == record
        // Nobody here has the public key: whether the two belong together is the board's question.
        case DeviceFile.signatureName: return (8...72).contains(bytes.count)
        default: return hash == DeviceFile.hash(bytes)
        }
    }

    /// The files in a folder, by path, sorted.
    private static func found(in folder: String, _ below: String) throws(FolderFault) -> [String] {
        guard let names = names(in: folder) else { throw .system(path: folder, action: "read", number: errno) }
        guard names.count < 100 else { throw .notAsMade(path: folder, name: "the number of files") }
        var result: [String] = []
        for name in names.sorted() {
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0 else {
                throw .system(path: "\(folder)/\(name)", action: "look at", number: errno)
            }
            if status.st_mode & S_IFMT == S_IFDIR, below.isEmpty {
                result += try found(in: "\(folder)/\(name)", "\(name)/")
            } else {
                result.append(below + name)
            }
        }
        return result
    }

    private static func content(_ path: String) throws(FolderFault) -> [UInt8] {
        do throws(SystemError) { return try WholeFile.read(path, limit: maximumByteCount, [.ordinary, .noLink]) } catch {
            throw .system(path: path, action: "read", number: error.number)
        }
    }
}
