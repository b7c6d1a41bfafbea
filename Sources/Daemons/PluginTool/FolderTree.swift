// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whole folders: copied within bounds, removed. Never through a link, in either direction.
struct FolderTree {
    static let mostFiles = 4_096
    static let mostBytes: Int64 = 268_435_456
    static let mostDepth = 16

    private(set) var fileCount = 0
    private(set) var byteCount: Int64 = 0
    /// Names beginning with a dot, left out: version control, editors, build folders.
    private(set) var hiddenCount = 0

    /// Copies all plain files and folders, everything on the disk when it returns. Files become 0644, or 0755 when their owner may
    /// execute them: whoever runs the command owns them, and nobody else writes to them.
    mutating func copy(_ source: OpenFile, to target: OpenFile, path: String = "", depth: Int = 0) throws(PluginFailure) {
        guard depth < Self.mostDepth else {
            throw PluginFailure(.badFolder, "\(path) lies more than \(Self.mostDepth) folders deep.")
        }
        let (entries, hasMore) = try source.entries(most: Self.mostFiles)
        guard !hasMore else { throw tooMany() }
        for entry in entries {
            let place = path.isEmpty ? entry.name : "\(path)/\(entry.name)"
            guard !entry.name.hasPrefix(".") else {
                hiddenCount += 1
                continue
            }
            fileCount += 1
            guard fileCount <= Self.mostFiles else { throw tooMany() }
            switch entry.kind {
            case .folder:
                guard let inner = try source.folder(entry.name) else { continue }
                try copy(inner, to: try target.newFolder(entry.name, mode: 0o755), path: place, depth: depth + 1)
            case .file:
                guard let file = try source.file(entry.name) else { continue }
                let copy = try target.newFile(entry.name, mode: entry.mode & 0o100 != 0 ? 0o755 : 0o644)
                while case let bytes = try file.read(65_536), !bytes.isEmpty {
                    byteCount += Int64(bytes.count)
                    guard byteCount <= Self.mostBytes else {
                        throw PluginFailure(
                            .badFolder, "The folder has more than \(Self.mostBytes >> 20) MiB; a plugin is smaller.")
                    }
                    try copy.write(bytes)
                }
                try copy.sync()
            case .link:
                throw PluginFailure(
                    .badFolder,
                    "\(place) is a link; a plugin's folder holds plain files and folders only. Put the file itself there.")
            case .other:
                throw PluginFailure(.badFolder, "\(place) is neither a file nor a folder. Remove it.")
            }
        }
        try target.sync()
    }

    private func tooMany() -> PluginFailure {
        PluginFailure(.badFolder, "The folder has more than \(Self.mostFiles) files; a plugin has fewer.")
    }

    /// Removes what is called `name` in `folder`, with everything in it. What is not there is removed already.
    static func remove(_ name: String, in folder: OpenFile, depth: Int = 0) throws(PluginFailure) {
        guard unlinkat(folder.number, name, 0) != 0 else { return }
        let error = errno
        if error == ENOENT { return }
        guard error == EISDIR || error == EPERM, depth < 64 else { throw .system("\(name) cannot be removed", error) }
        if let inner = try folder.folder(name) {
            // In parts, as reading goes on in a folder that is changing.
            while case let (entries, _) = try inner.entries(most: 1_024), !entries.isEmpty {
                for entry in entries { try remove(entry.name, in: inner, depth: depth + 1) }
            }
        }
        guard unlinkat(folder.number, name, AT_REMOVEDIR) == 0 || errno == ENOENT else {
            throw .system("\(name) cannot be removed")
        }
    }
}
