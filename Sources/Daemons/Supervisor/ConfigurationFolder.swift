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
    /// A configuration that was taken back, and why; with its file, so that it counts only while that does.
    struct TakenBack: Equatable {
        let version: Int64
        let reason: String
        let file: [UInt8]
    }

    /// What was found at a start and put in order.
    enum Recovery: Equatable {
        case nothing, kept, takenBack
        /// There is one to be taken back, and somebody else is changing grants.
        case left
    }
    /// Why one is taken back that was on trial when the board ended.
    static let ended = "the board ended, or its power failed, while it was on trial"

    let path: String
    /// `grants.json`.
    let grants: String
    /// Called before each step that the disk remembers: the supervisor says there that it lives, and a test ends there, as a power cut would.
    var beforeStep: () throws -> Void = {}

    private var held: String { "\(path)/held" }
    private var trial: String { "\(path)/trial" }
    private var keeping: String { "\(path)/keeping" }
    private var draft: String { "\(path)/draft" }
    private var note: String { "\(path)/taken-back" }
    private static let limit = 4 << 20

    /// What is in `trial`, in one file, because each file costs the disk two waits and the supervisor's loop with it.
    private struct Record {
        static let name = "record"

        let version: Int64
        /// The signed file, and grants before (empty if there were none) and after: texts.
        let document, before, after: [UInt8]

        init(version: Int64, document: [UInt8], before: [UInt8], after: [UInt8]) {
            (self.version, self.document, self.before, self.after) = (version, document, before, after)
        }

        init?(in folder: String) {
            guard let bytes = Folders.read("\(folder)/\(Self.name)", limit: ConfigurationFolder.limit),
                let json = try? JSON(parsing: bytes), let version = json["version"]?.int,
                let document = json["document"]?.string, let before = json["before"]?.string,
                let after = json["after"]?.string
            else { return nil }
            self.init(
                version: version, document: Array(document.utf8), before: Array(before.utf8), after: Array(after.utf8))
        }

        var bytes: [UInt8] {
            func text(_ bytes: [UInt8]) -> JSON { .string(String(decoding: bytes, as: UTF8.self)) }
            let json: JSON = [
                "version": .int(version), "document": text(document), "before": text(before), "after": text(after),
            ]
            return json.bytes
        }
    }

    init(path: String, grants: String) { (self.path, self.grants) = (path, grants) }

    /// The file of the configuration that holds; `nil` if none does.
    func heldFile() -> [UInt8]? { Folders.read(held, limit: Self.limit) }
    /// The file of the configuration on trial; `nil` if none is.
    func trialFile() -> [UInt8]? { Record(in: trial)?.document }
    /// The last one that was taken back.
    func takenBack() -> TakenBack? {
        guard let bytes = Folders.read(note, limit: Self.limit), let json = try? JSON(parsing: bytes),
            let version = json["version"]?.int, let reason = json["reason"]?.string, let file = json["file"]?.string
        else { return nil }
        return TakenBack(version: version, reason: reason, file: Array(file.utf8))
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
        let record = Record(version: version, document: file, before: former, after: wished)
        try beforeStep()
        try Folders.replaceLastingly("\(draft)/\(Record.name)", with: record.bytes, mode: 0o600)
        try beforeStep()
        try move(draft, trial)
    }

    /// Puts the grants of the trial in force.
    func putGrants() throws {
        guard let record = Record(in: trial) else { throw Folders.Failure(trial, "cannot be read") }
        try beforeStep()
        try Folders.replaceLastingly(grants, with: record.after, mode: 0o640)
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
        if let record = Record(in: keeping) {
            try beforeStep()
            try Folders.replaceLastingly(held, with: record.document, mode: 0o600)
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
        if let record = Record(in: trial) {
            if let restored = Self.restored(
                Folders.read(grants, limit: Self.limit), before: record.before, after: record.after)
            {
                try beforeStep()
                try Folders.replaceLastingly(grants, with: restored, mode: 0o640)
            }
            let said: JSON = [
                "version": .int(record.version), "reason": .string(reason),
                "file": .string(String(decoding: record.document, as: UTF8.self)),
            ]
            try beforeStep()
            try Folders.replaceLastingly(note, with: said.bytes, mode: 0o600)
        }
        try remove(trial)
    }

    /// Puts in order what a cut left, before anything reads grants. The network is put back by whoever looks after it, which finds itself what to put back; what is to be kept is kept
    /// here (`keepNetwork`). `mayTakeBack`: nobody else is changing grants.
    func recover(mayTakeBack: Bool = true, _ keepNetwork: () throws -> Void) throws -> Recovery {
        try remove(draft)
        let isKept = access(keeping, F_OK) == 0
        if isKept { try finish(keepNetwork) }
        guard access(trial, F_OK) == 0 else { return isKept ? .kept : .nothing }
        guard mayTakeBack else { return .left }
        try takeBack(Self.ended) {}
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
