// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Interfaces
import JSON

/// The callers that the operator permits to call the core (docs/exposure-api.md), with their grants and folders.
public struct CallersFile: Sendable {
    /// One caller of the core: its name, what it may call, and its folder for files.
    public struct Entry: Sendable, Equatable {
        /// The caller's name, and that of its socket, `NAME.sock` in the run folder: small letters, digits and dashes, 1 to
        /// 32; not ``CallersFile/console``.
        public var name: String
        /// The methods that the caller may call, at least one: each entry is `interface.Method`, or `interface.*`
        /// for all methods of an interface. A method that is exclusive may be granted to one caller only.
        public var grants: Set<String>
        /// The absolute path of the caller's folder for files; `nil` if it has none, and then it cannot provide files.
        public var spool: String?
        /// The numbers of the users that may connect, besides the core's own user and root; may be empty.
        public var users: Set<UInt32>

        /// Creates an entry of these values, unchecked; `spool` is `nil` for a caller without a folder for files. Only
        /// entries that are read from a file are checked (``CallersFile/load(_:known:)``).
        public init(name: String, grants: Set<String>, spool: String?, users: Set<UInt32> = []) {
            self.name = name
            self.grants = grants
            self.spool = spool
            self.users = users
        }
    }

    /// The error for a file that cannot be used, with every rule that it breaks.
    public struct Refusal: Error, CustomStringConvertible {
        /// The broken rules, one English sentence each, with the entry that it concerns if there is one; at least one.
        public let problems: [String]
        /// All problems on one line, separated by semicolons; for the log.
        public var description: String { problems.joined(separator: "; ") }
    }

    /// The name of the operator's socket, which always exists and needs no entry.
    public static let console = "ctl"
    /// The most bytes of the file: 64 KiB, our choice.
    public static let maximumByteCount = 65_536
    /// The most entries of the file: 32, our choice.
    public static let mostCallers = 32

    /// The callers in the order of the file; their names differ if they were read from a file. May be empty.
    public let entries: [Entry]

    /// Creates a file with these entries; neither names nor grants are checked.
    public init(entries: [Entry] = []) { self.entries = entries }

    /// Reads the file at `path`. `methods` are all existing methods, as `interface.Method`.
    ///
    /// - Throws: ``Refusal`` with all problems if the file cannot be read, has more than ``maximumByteCount`` bytes, is not
    ///   JSON, or breaks a rule.
    public static func load(_ path: String, known methods: Set<String>) throws(Refusal) -> CallersFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Refusal(problems: ["it cannot be read: \(String(cString: strerror(errno)))"]) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count,
            case let got = bytes.withUnsafeMutableBytes({ read(descriptor, $0.baseAddress! + count, $0.count - count) }),
            got > 0
        { count += got }
        guard count <= maximumByteCount else { throw Refusal(problems: ["it has more than \(maximumByteCount) bytes"]) }
        return try CallersFile(parsing: Array(bytes[..<count]), known: methods)
    }

    /// Reads the text of a file, JSON in UTF-8, whose length is not checked here. `methods` are all existing
    /// methods, as `interface.Method`.
    ///
    /// - Throws: ``Refusal`` with all problems if the text is not a JSON object, has unknown fields, or an entry breaks a
    ///   rule.
    public init(parsing bytes: [UInt8], known methods: Set<String>) throws(Refusal) {
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes) } catch { throw Refusal(problems: ["\(error)"]) }
        var problems: [String] = []
        guard case .object(let members) = json else { throw Refusal(problems: ["it is not a JSON object"]) }
        var entries: [Entry] = []
        for member in members.members {
            let (name, value) = (member.name, member.value)
            switch name {
            case "$schema": break
            case "callers":
                guard case .array(let list) = value else {
                    problems.append("callers: a list")
                    break
                }
                for (index, item) in list.enumerated() {
                    entries.append(Self.entry(item, "callers[\(index)]", methods, &problems))
                }
            default: problems.append("\(name): there is no such field")
            }
        }
        if entries.count > Self.mostCallers { problems.append("callers: at most \(Self.mostCallers)") }
        for (name, count) in Dictionary(entries.map { ($0.name, 1) }, uniquingKeysWith: +) where count > 1 {
            problems.append("callers: \(name) is there \(count) times")
        }
        self.entries = entries
        for (method, callers) in exclusiveHolders where callers.count > 1 {
            problems.append(
                "callers: \(method.path) may be granted to one caller only, not to \(callers.joined(separator: " and "))")
        }
        guard problems.isEmpty else { throw Refusal(problems: problems) }
    }

    /// Each method that only one caller may be granted, with the names of those that are.
    var exclusiveHolders: [(method: CoreMethod, callers: [String])] {
        CoreMethod.allCases.filter(\.law.isExclusive).map { method in
            let wildcard = "\(method.interface).*"
            return (
                method, entries.filter { $0.grants.contains(method.path) || $0.grants.contains(wildcard) }.map(\.name)
            )
        }
    }

    private static func entry(
        _ json: JSON, _ path: String, _ methods: Set<String>, _ problems: inout [String]
    ) -> Entry {
        var entry = Entry(name: "", grants: [], spool: nil)
        guard case .object(let members) = json else {
            problems.append("\(path): an object")
            return entry
        }
        for member in members.members {
            let (field, value) = (member.name, member.value)
            switch (field, value) {
            case ("name", .string(let name)): entry.name = name
            case ("spool", .string(let spool)): entry.spool = spool
            case ("grants", .array(let grants)):
                for grant in grants {
                    guard case .string(let text) = grant else {
                        problems.append("\(path).grants: texts only")
                        continue
                    }
                    let isKnown =
                        methods.contains(text) || text.hasSuffix(".*") && methods.contains { $0.hasPrefix(text.dropLast()) }
                    if isKnown {
                        entry.grants.insert(text)
                    } else {
                        problems.append("\(path).grants: there is no method \(text)")
                    }
                }
            case ("users", .array(let users)):
                for user in users {
                    guard case .int(let number) = user, let id = UInt32(exactly: number) else {
                        problems.append("\(path).users: numbers of users only")
                        continue
                    }
                    entry.users.insert(id)
                }
            case ("name", _), ("spool", _), ("grants", _), ("users", _):
                problems.append("\(path).\(field): of another type")
            default: problems.append("\(path).\(field): there is no such field")
            }
        }
        let isName =
            (1...32).contains(entry.name.utf8.count)
            && entry.name.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || $0 == 45
            }
        if !isName || entry.name == console {
            problems.append("\(path).name: 1 to 32 small letters, digits and dashes, and not \(console)")
        }
        if let spool = entry.spool, !spool.hasPrefix("/") { problems.append("\(path).spool: an absolute path") }
        if entry.grants.isEmpty { problems.append("\(path).grants: at least one") }
        return entry
    }
}
