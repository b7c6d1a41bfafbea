// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Glibc

/// The files by which a kernel says what a board has, below a folder: `/`, or one that looks alike.
struct BoardTree {
    let root: String

    /// What could be read.
    enum Content: Equatable {
        case text(String)
        case missing
        /// It is there, and may not be read or is no file.
        case unreadable
    }

    /// Files of the kernel are a few lines; more is not read.
    private static let limit = 65_536

    func path(_ path: String) -> String { root == "/" ? path : root + path }

    /// Without what ends the last line.
    func content(_ path: String) -> Content {
        let descriptor = open(self.path(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < Self.limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .unreadable }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        while bytes.last == 10 { bytes.removeLast() }
        return .text(ForeignText.lines(String(decoding: bytes, as: UTF8.self), limit: Self.limit))
    }

    func text(_ path: String) -> String? {
        if case .text(let text) = content(path) { text } else { nil }
    }

    /// Sorted; without those that begin with a dot.
    func names(_ path: String) -> [String] {
        guard let folder = opendir(self.path(path)) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder), names.count < 1_024 {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// The last part of where a link leads.
    func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink(self.path(path), &buffer, buffer.count)
        guard count > 0 else { return nil }
        let place = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return ForeignText.line(place, limit: 4_096).split(separator: "/").last.map(String.init)
    }

    func isThere(_ path: String) -> Bool { access(self.path(path), F_OK) == 0 }
}
