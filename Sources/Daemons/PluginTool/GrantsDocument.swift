// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import PluginManifest

/// `grants.json` while it is changed: everything in it that is not changed stays as the operator has written it, order included.
struct GrantsDocument {
    private(set) var json: JSON.Object
    let path: String

    /// An operator's first one.
    private static let new: JSON.Object = ["plugins": [:]]

    /// Reads it; a file that is not there has nothing granted to anybody.
    init(path: String) throws(PluginFailure) {
        self.path = path
        let (folder, name) = try Self.split(path)
        var status = stat()
        guard stat(folder, &status) == 0, let file = try OpenFile.folder(folder).file(name) else {
            json = Self.new
            return
        }
        guard let bytes = try file.readAll(most: Limits.grantsByteCount) else {
            throw PluginFailure(.badGrants, "\(path) has more than \(Limits.grantsByteCount) bytes.")
        }
        do throws(Refusal) { _ = try GrantsFile(parsing: bytes) } catch {
            throw PluginFailure(.badGrants, "\(path) cannot be used as it is:", problems: error.problems)
        }
        guard case .object(let object)? = try? JSON(parsing: bytes) else {
            throw PluginFailure(.badGrants, "\(path) cannot be used as it is.")
        }
        json = object
    }

    /// What it grants.
    func file() throws(PluginFailure) -> GrantsFile {
        do throws(Refusal) { return try GrantsFile(parsing: bytes) } catch {
            throw PluginFailure(.badGrants, "\(path) would not be usable any more:", problems: error.problems)
        }
    }

    subscript(plugin name: String) -> JSON.Object? {
        get { json["plugins"]?[name]?.object }
        set {
            var plugins = json["plugins"]?.object ?? JSON.Object()
            plugins[name] = newValue.map(JSON.object)
            json["plugins"] = .object(plugins)
        }
    }

    private var bytes: [UInt8] { Array(JSON.object(json).indentedText.utf8) }

    /// Puts it in the place of the old one: whoever reads, and whenever the power goes, finds the old one or the new one.
    func save() throws(PluginFailure) {
        _ = try file()
        let (parent, name) = try Self.split(path)
        if mkdir(parent, 0o755) != 0, errno != EEXIST { throw .system("\(parent) cannot be made") }
        let folder = try OpenFile.folder(parent)
        let temporary = ".\(name).\(getpid())"
        unlinkat(folder.number, temporary, 0)
        do throws(PluginFailure) {
            // It says what runs here; only root and its group need to know.
            let new = try folder.newFile(temporary, mode: 0o640)
            try new.write(bytes)
            try new.sync()
            guard renameat(folder.number, temporary, folder.number, name) == 0 else {
                throw .system("\(path) cannot be replaced")
            }
            try folder.sync()
        } catch {
            unlinkat(folder.number, temporary, 0)
            throw error
        }
    }

    private static func split(_ path: String) throws(PluginFailure) -> (folder: String, name: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty, name != ".", name != ".." else {
            throw PluginFailure(.badUsage, "\(path) is no path of a file.")
        }
        let folder = parts.dropLast().joined(separator: "/")
        return (parts.count == 1 ? "." : folder.isEmpty ? "/" : folder, String(name))
    }
}
