// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What lies in a folder.
enum FolderNames {
    /// More files than this plugin ever has.
    private static let most = 4_096

    /// Names, in no order; none when the folder cannot be read.
    static func all(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < most, let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
