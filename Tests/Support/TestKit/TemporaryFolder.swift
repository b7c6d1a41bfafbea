// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import SystemCalls

/// A folder of the test's own, gone with everything in it when the test lets go of it. Its path is short, so that a socket fits into it, and others
/// may look into it, because programs of other users do.
public final class TemporaryFolder: Sendable {
    /// Absolute, without a slash at its end.
    public let path: String

    /// Makes it, empty. Throws `SystemError` when the system does not let it.
    public init() throws {
        var template = Array("/tmp/vigil-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError(number: errno) }
        path = String(cString: made)
        chmod(path, 0o755)
        Self.made.withLock { $0.append(path) }
        _ = Self.emptying
    }

    /// All folders of this process. Some are still there at its end: those that several tests share, and those into which something has written after its test.
    private static let made = Mutex<[String]>([])
    private static let emptying: pid_t = {
        atexit {
            // A process that a test has forked has the list, too, and its folders are another's.
            guard getpid() == emptying else { return }
            for path in made.withLock({ $0 }) { remove(path) }
        }
        return getpid()
    }()

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in names(path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// The path of a name within, whether there is such a file or not; folders on the way are made.
    public func file(_ name: String) -> String {
        for index in name.indices where name[index] == "/" { mkdir("\(path)/\(name[..<index])", 0o755) }
        return "\(path)/\(name)"
    }

    /// Writes a file within, in place of what was there. Throws `SystemError`.
    public func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    /// Writes a file within, in place of what was there. Throws `SystemError`.
    public func write(_ bytes: [UInt8], to name: String) throws {
        let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemError(number: errno) }
        defer { close(descriptor) }
        let number = SystemCall.writeAll(descriptor, bytes)
        guard number == 0 else { throw SystemError(number: number) }
    }

    /// The text of a file within; empty where there is none.
    public func read(_ name: String) -> String {
        guard let stream = fopen(file(name), "re") else { return "" }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    /// The names of what lies in it, hidden files too, in order.
    public var names: [String] { Self.names(path).sorted() }

    private static func names(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
