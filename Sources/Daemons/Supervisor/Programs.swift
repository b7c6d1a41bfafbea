// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The executables that a board is made of, and what they need to run.
public struct Programs: Sendable, Equatable {
    /// Absolute path of `vigil`: core and egress are roles of it.
    public var vigil: String
    /// Absolute path of `vigil-jail`, which confines itself and then becomes what it is told.
    public var jail: String
    /// Absolute path of `vigil-plugins`, the plugins of this tree, one role each; a board may do without.
    public var plugins: String
    /// Absolute path of `vigil-zip`, which unpacks key files for the core.
    public var zip: String
    /// Absolute paths of folders of shared libraries outside the system's own, such as Swift's in development; in order.
    public var libraries: [String]

    /// All are absolute paths; whether the files are there is found out when they are started.
    public init(vigil: String, jail: String, plugins: String, zip: String, libraries: [String]) {
        self.vigil = vigil
        self.jail = jail
        self.plugins = plugins
        self.zip = zip
        self.libraries = libraries
    }

    /// The programs beside the running one, with the libraries this process has loaded from elsewhere than the system.
    ///
    /// - Throws: `SupervisorFailure` if `/proc` is not mounted.
    public static func besideThisProgram() throws -> Programs {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else {
            throw SupervisorFailure("the programs cannot be found without /proc: mount it, or give --programs")
        }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return inside(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]), vigil: path)
    }

    private static func inside(_ folder: String, vigil: String) -> Programs {
        Programs(
            vigil: vigil, jail: "\(folder)/vigil-jail", plugins: "\(folder)/vigil-plugins", zip: "\(folder)/vigil-zip",
            libraries: loadedFolders())
    }

    /// Where libraries of this process lie that are not in the system's folders.
    private static func loadedFolders() -> [String] {
        guard let maps = Folders.read("/proc/self/maps", limit: 1 << 20) else { return [] }
        var folders: Set<String> = []
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            guard let start = line.firstIndex(of: "/"), line.hasSuffix(".so") || strstr(String(line), ".so.") != nil else {
                continue
            }
            let path = line[start...]
            guard let slash = path.lastIndex(of: "/"), !path.hasPrefix("/usr/"), !path.hasPrefix("/lib") else { continue }
            folders.insert(String(path[..<slash]))
        }
        return folders.sorted()
    }
}
