// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc

/// One complete public tree on the disk: `generations/N/tree` and the list of what is in it.
///
/// A generation is never changed once it has its name; the link `public` moves from one to the next in one step. Whoever reads
/// through the link sees a list together with everything the list names.
struct Generation {
    let number: Int
    /// Lines "path, kind, MD5, bytes", by tabulators, sorted.
    let manifest: [UInt8]

    /// The one the link points to; `nil` before the first publication.
    static func current(_ folder: StateFolder) throws(AuthorityError) -> Generation? {
        guard let number = currentNumber(folder) else { return nil }
        let path = "\(folder.generations)/\(number)/manifest"
        guard FileWork.exists(path) else { return nil }
        return Generation(number: number, manifest: try FileWork.read(path, limit: 64 << 20))
    }

    static func currentNumber(_ folder: StateFolder) -> Int? {
        var buffer = [CChar](repeating: 0, count: 64)
        let length = readlink(folder.publicTree, &buffer, buffer.count - 1)
        guard length > 0 else { return nil }
        let target = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let parts = target.split(separator: "/")
        guard parts.count == 3, parts[0] == "generations", parts[2] == "tree" else { return nil }
        return Int(parts[1])
    }

    /// Writes `tree` as the next generation and moves the link; nothing when it is what is public already. Files that stay are
    /// linked, so that they keep their time (and with it the tag a web server makes).
    static func publish(
        _ tree: PublicTree, _ folder: StateFolder, now: Int64, _ checkpoint: Checkpoint
    ) throws(AuthorityError) -> Bool {
        let manifest = tree.manifest
        let current = try current(folder)
        guard current?.manifest != manifest else { return false }
        let old = current.map { Set($0.manifest.split(separator: 0x0A).map(Array.init)) } ?? []
        let number = (try numbers(folder).max() ?? 0) + 1
        let partial = "\(folder.generations)/\(number).partial"
        try FileWork.removeTree(partial)
        try FileWork.makeFolder(partial, mode: 0o755)
        let root = partial + "/tree"
        var known: Set<String> = []
        for object in tree.objects {
            let target = "\(root)/\(object.fileName)"
            try makeFolders(of: target, below: partial, &known)
            switch object.content {
            case .file(let source):
                try link(source, target)
            case .bytes(let bytes):
                let line = Array("\(object.path)\t\(object.kind)\t\(object.tag)\t\(object.byteCount)".utf8)
                let before = current.map { "\(folder.generations)/\($0.number)/tree/\(object.fileName)" }
                if let before, old.contains(line), FileWork.exists(before) {
                    try link(before, target)
                } else {
                    try create(bytes, at: target, modified: now)
                }
            }
        }
        try create(manifest, at: partial + "/manifest", modified: nil)
        for name in known { try FileWork.sync(folder: name) }
        try FileWork.sync(folder: partial)
        try checkpoint(.generationFilled)
        let place = "\(folder.generations)/\(number)"
        guard rename(partial, place) == 0 else { throw FileWork.failure(place, "put it in place") }
        try FileWork.sync(folder: folder.generations)
        try checkpoint(.generationNamed)
        try point(folder, to: number)
        try checkpoint(.switched)
        return true
    }

    private static func point(_ folder: StateFolder, to number: Int) throws(AuthorityError) {
        let temporary = folder.publicTree + ".partial"
        unlink(temporary)
        guard symlink("generations/\(number)/tree", temporary) == 0 else { throw FileWork.failure(temporary, "make it") }
        guard rename(temporary, folder.publicTree) == 0 else { throw FileWork.failure(folder.publicTree, "move it") }
        try FileWork.sync(folder: folder.path)
    }

    private static func create(_ bytes: [UInt8], at path: String, modified: Int64?) throws(AuthorityError) {
        let result: Result<Void, AuthorityError> = bytes.withUnsafeBytes { bytes in
            do throws(AuthorityError) {
                return .success(try FileWork.create(bytes, at: path, mode: 0o644, modified: modified))
            } catch { return .failure(error) }
        }
        try result.get()
    }

    private static func link(_ source: String, _ target: String) throws(AuthorityError) {
        guard Glibc.link(source, target) == 0 else { throw FileWork.failure(source, "link it into the public tree") }
    }

    private static func makeFolders(of path: String, below base: String, _ known: inout Set<String>) throws(AuthorityError)
    {
        var missing: [String] = []
        var folder = path
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            guard folder != base, !known.contains(folder) else { break }
            missing.append(folder)
        }
        for folder in missing.reversed() {
            try FileWork.makeFolder(folder, mode: 0o755)
            known.insert(folder)
        }
    }

    private static func numbers(_ folder: StateFolder) throws(AuthorityError) -> [Int] {
        try FileWork.names(in: folder.generations).compactMap { Int($0) }
    }

    /// Removes every generation but the public one and the one before, which somebody may be reading from.
    static func removeOld(_ folder: StateFolder) throws(AuthorityError) {
        guard let current = currentNumber(folder) else { return }
        for name in try FileWork.names(in: folder.generations) {
            if let number = Int(name), number == current || number == current - 1 { continue }
            try FileWork.removeTree("\(folder.generations)/\(name)")
        }
    }
}
