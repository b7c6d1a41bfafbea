// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The executables that a board is made of, and what they need to run.
public struct Programs: Sendable, Equatable {
    /// The absolute path of `vigil`: core and egress are roles of it.
    public var vigil: String
    /// The absolute path of `vigil-jail`, which confines itself and then becomes the program that it starts.
    public var jail: String
    /// The absolute path of `vigil-plugins`, which contains the plugins of this tree, one role each; a board may do
    /// without.
    public var plugins: String
    /// The absolute path of `vigil-zip`, which unpacks key files for the core.
    public var zip: String
    /// The absolute paths of folders with shared libraries outside the system's own, such as Swift's in
    /// development, in order; may be empty.
    public var libraries: [String]

    /// Creates the set of these programs, all given by absolute paths. Nothing is checked here: a program that does
    /// not exist fails when it is started.
    public init(vigil: String, jail: String, plugins: String, zip: String, libraries: [String]) {
        self.vigil = vigil
        self.jail = jail
        self.plugins = plugins
        self.zip = zip
        self.libraries = libraries
    }

    /// Returns the programs in the folder of the running one, with the folders outside `/usr` and `/lib` from which
    /// this process has loaded libraries. Whether the programs exist is not checked.
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
