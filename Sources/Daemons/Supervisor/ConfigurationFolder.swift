// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import PluginManifest
import SystemCalls

/// What a board keeps of its fleet's configurations, `data/configuration`: the file that holds, the one on trial with what was before it, and the
/// last one that was taken back.
///
/// The folder `trial` *is* the trial, and `keeping` the decision to keep it: each appears by one rename. Whoever finds `trial` at a start takes it back, whoever finds
/// `keeping` finishes that; either may be done again and again.
struct ConfigurationFolder {
    /// A configuration that was taken back, and why.
    struct TakenBack: Equatable {
        let version: Int64
        let reason: String
    }

    /// What was found at a start and put in order.
    enum Recovery: Equatable { case nothing, kept, takenBack }

    let path: String
    /// `grants.json`.
    let grants: String
    /// Called before each step that the disk remembers: a test ends there, as a power cut would.
    var beforeStep: () throws -> Void = {}

    private var held: String { "\(path)/held" }
    private var trial: String { "\(path)/trial" }
    private var keeping: String { "\(path)/keeping" }
    private var draft: String { "\(path)/draft" }
    private var record: String { "\(path)/taken-back" }
    private static let (document, before, after, version) = ("document", "before", "after", "version")
    private static let limit = 4 << 20

    init(path: String, grants: String) { (self.path, self.grants) = (path, grants) }

    /// The file of the configuration that holds; `nil` if none does.
    func heldFile() -> [UInt8]? { Folders.read(held, limit: Self.limit) }
    /// The file of the configuration on trial; `nil` if none is.
    func trialFile() -> [UInt8]? { Folders.read("\(trial)/\(Self.document)", limit: Self.limit) }
    /// The last one that was taken back.
    func takenBack() -> TakenBack? {
        guard let bytes = Folders.read(record, limit: Self.limit), let json = try? JSON(parsing: bytes),
            let version = json["version"]?.int, let reason = json["reason"]?.string
        else { return nil }
        return TakenBack(version: version, reason: reason)
    }

    /// Keeps a configuration that changes nothing here.
    func hold(_ file: [UInt8]) throws {
        try make()
        try beforeStep()
        try Folders.replaceLastingly(held, with: file, mode: 0o600)
    }

    /// Begins a trial: what is before it is on the disk when this returns, and nothing is changed yet. The grants are ``putGrants()``'s.
    func begin(_ file: [UInt8], version: Int64, grants wished: [UInt8]) throws {
        try make()
        try remove(draft)
        try beforeStep()
        guard mkdir(draft, 0o700) == 0 else { throw Folders.Failure(draft, "cannot be made") }
        let former = access(grants, F_OK) == 0 ? Folders.read(grants, limit: Self.limit) : []
        guard let former else { throw Folders.Failure(grants, "cannot be read") }
        for (name, bytes) in [
            (Self.document, file), (Self.before, former), (Self.after, wished), (Self.version, Array("\(version)".utf8)),
        ] {
            try beforeStep()
            try Folders.replaceLastingly("\(draft)/\(name)", with: bytes, mode: 0o600)
        }
        try beforeStep()
        try move(draft, trial)
    }

    /// Puts the grants of the trial in force.
    func putGrants() throws {
        guard let wished = Folders.read("\(trial)/\(Self.after)", limit: Self.limit) else {
            throw Folders.Failure(trial, "cannot be read")
        }
        try beforeStep()
        try Folders.replaceLastingly(grants, with: wished, mode: 0o640)
    }

    /// The trial is over well. `keepNetwork` removes what the network was before, and may be called again after a cut.
    func keep(_ keepNetwork: () throws -> Void) throws {
        try beforeStep()
        try move(trial, keeping)
        try finish(keepNetwork)
    }

    private func finish(_ keepNetwork: () throws -> Void) throws {
        try beforeStep()
        try keepNetwork()
        // Without it, a cut came after it was copied.
        if let file = Folders.read("\(keeping)/\(Self.document)", limit: Self.limit) {
            try beforeStep()
            try Folders.replaceLastingly(held, with: file, mode: 0o600)
        }
        try remove(keeping)
    }

    /// What the trial changed is as before, and it is noted why. `restoreNetwork` puts back what the network was, and may be called again after a cut. A plugin whose entry is
    /// another one by now (a new card's, the console's) keeps it.
    ///
    /// The network comes first: it needs no room on the disk, and a board that is cut off needs it most.
    func takeBack(_ reason: String, _ restoreNetwork: () throws -> Void) throws {
        try beforeStep()
        try restoreNetwork()
        let version = Folders.read("\(trial)/\(Self.version)", limit: 32).flatMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        if let former = Folders.read("\(trial)/\(Self.before)", limit: Self.limit),
            let wished = Folders.read("\(trial)/\(Self.after)", limit: Self.limit),
            let restored = Self.restored(Folders.read(grants, limit: Self.limit), before: former, after: wished)
        {
            try beforeStep()
            try Folders.replaceLastingly(grants, with: restored, mode: 0o640)
        }
        if let version {
            let note: JSON = ["version": .int(version), "reason": .string(reason)]
            try beforeStep()
            try Folders.replaceLastingly(record, with: note.bytes, mode: 0o600)
        }
        try remove(trial)
    }

    /// Puts in order what a cut left, before anything reads grants. The network is put back by whoever looks after it, which finds itself what to put back; what is to be kept is kept
    /// here (`keepNetwork`).
    func recover(_ keepNetwork: () throws -> Void) throws -> Recovery {
        try remove(draft)
        let isKept = access(keeping, F_OK) == 0
        if isKept { try finish(keepNetwork) }
        guard access(trial, F_OK) == 0 else { return isKept ? .kept : .nothing }
        try takeBack("the board ended, or its power failed, while it was on trial") {}
        return .takenBack
    }

    /// The grants with each plugin that the trial changed as it was before; `nil` if nothing is to be changed. An empty `before` is no file.
    static func restored(_ now: [UInt8]?, before: [UInt8], after: [UInt8]) -> [UInt8]? {
        func plugins(_ bytes: [UInt8]?) -> JSON.Object {
            bytes.flatMap { try? JSON(parsing: $0) }?["plugins"]?.object ?? JSON.Object()
        }
        if now == after { return before.isEmpty ? Array(#"{"plugins": {}}"#.utf8) : before }
        guard let now, var document = (try? JSON(parsing: now))?.object else { return nil }
        let (former, wished) = (plugins(before), plugins(after))
        var mine = plugins(now)
        var hasChanged = false
        for member in wished.members where former[member.name] != member.value && mine[member.name] == member.value {
            mine[member.name] = former[member.name]
            hasChanged = true
        }
        guard hasChanged else { return nil }
        document["plugins"] = .object(mine)
        return Array(JSON.object(document).indentedText.utf8)
    }

    // MARK: Steps

    private func make() throws {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw Folders.Failure(path, "cannot be made") }
    }

    private func move(_ from: String, _ to: String) throws {
        guard rename(from, to) == 0 else { throw Folders.Failure(to, "cannot be put in its place") }
        try Folders.syncFolder(of: to)
    }

    /// First out of its place, by one step.
    private func remove(_ folder: String) throws {
        if folder != draft {
            // What a cut left of another one.
            try remove(draft)
            try beforeStep()
            try move(folder, draft)
        }
        for name in Folders.names(draft) {
            try beforeStep()
            unlink("\(draft)/\(name)")
        }
        guard rmdir(draft) == 0 || errno == ENOENT else { throw Folders.Failure(draft, "cannot be removed") }
    }
}
