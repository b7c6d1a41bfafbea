// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import Trust

/// Which private key signs from when on: `keys/signers.json`, written by each change of keys. A key of no entry is `keys/ROLE.pem`, with its name in the
/// settings.
///
/// Nothing is moved when the time comes: who signs follows from this file and the time alone, so no cut can part a key from its name.
struct SignerPlan {
    struct Entry: Hashable {
        let role: KeyRole
        let name: KeyName
        /// The private key, within the folder of keys.
        let file: String
        /// Unix seconds, inclusive.
        let from: Int64
        /// The change of keys that told boards, within the folder of successions. Without it the entry says nothing.
        let succession: String
    }

    private(set) var entries: [Entry] = []

    private static let maximumByteCount = 256 << 10

    static func path(_ folder: StateFolder) -> String { folder.keys + "/signers.json" }

    /// Throws `stateDamaged` for a file that is none: with a wrong key everything would be signed in vain.
    init(_ folder: StateFolder) throws(AuthorityError) {
        let path = Self.path(folder)
        guard FileWork.exists(path) else { return }
        let bytes = try FileWork.read(path, limit: Self.maximumByteCount)
        guard let list = (try? JSON(parsing: bytes, maximumDepth: 4))?["signers"]?.array else {
            throw AuthorityError(.stateDamaged, "\(path): not JSON with a list of signers")
        }
        for value in list {
            guard let role = value["role"]?.string.flatMap(KeyRole.init), StateFolder.roles.contains(role),
                let name = value["name"]?.string.flatMap(AuthoritySettings.keyName), let from = value["from"]?.int,
                let file = value["file"]?.string, !file.contains("/"),
                let succession = value["succession"]?.string, !succession.contains("/")
            else { throw AuthorityError(.stateDamaged, "\(path): an entry has no role, name, file, time or succession") }
            entries.append(Entry(role: role, name: name, file: file, from: from, succession: succession))
        }
    }

    /// The name of a file without its folders.
    static func lastPart(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Adds an entry; one of an interrupted run of the same change is replaced.
    mutating func add(_ entry: Entry) {
        entries.removeAll { $0.succession == entry.succession }
        entries.append(entry)
    }

    func write(_ folder: StateFolder) throws(AuthorityError) {
        let list = entries.map { entry -> JSON in
            [
                "role": .string(entry.role.rawValue), "name": .string("\(entry.name)"), "file": .string(entry.file),
                "from": .int(entry.from), "succession": .string(entry.succession),
            ]
        }
        try FileWork.write((["signers": .array(list)] as JSON).indented, to: Self.path(folder), mode: 0o600)
    }

    /// The entry by which `role` signs at `now`; `nil` for the key and name that were there before all changes, or were put there by hand.
    func signer(_ role: KeyRole, _ folder: StateFolder, now: Int64) -> Entry? {
        entries.last { entry in
            entry.role == role && entry.from <= now && FileWork.exists("\(folder.keys)/\(entry.file)")
                && FileWork.exists("\(folder.path)/successions/\(entry.succession)")
        }
    }
}

extension StateFolder {
    /// The key that signs in that role at `now` (Unix seconds), and what it is called.
    func signer(
        _ role: KeyRole, _ settings: AuthoritySettings, now: Int64
    ) throws(AuthorityError) -> (name: KeyName, key: P256.SigningKey, isPlanned: Bool) {
        if let entry = try SignerPlan(self).signer(role, self, now: now) {
            return (entry.name, try signingKey(in: "\(keys)/\(entry.file)"), true)
        }
        let name =
            switch role {
            case .export: settings.exportKeyName
            case .config: settings.configKeyName
            default: settings.timeKeyName
            }
        return (name, try signingKey(role), false)
    }
}
