// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A folder that is removed, with its contents, together with this object. Use it on one thread at a time.
public final class TemporaryFolder {
    /// The path of the folder, without a slash at its end. It is short, because paths of sockets are limited in length.
    public let path: String

    /// Creates the folder in TMPDIR, or in /tmp. Throws ``TestKitError`` when it cannot be created.
    public init() throws(TestKitError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/vp-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw .system("no temporary folder in \(parent)") }
        path = String(cString: made)
    }

    deinit { Self.remove(path) }

    /// Writes a text file at the relative path `name`, and creates the folders on its way. Throws ``TestKitError`` when it
    /// cannot be written.
    public func write(_ name: String, _ text: String) throws(TestKitError) {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/\(part)"
            mkdir(folder, 0o755)
        }
        guard let file = fopen("\(path)/\(name)", "w") else { throw .system("\(name) cannot be written") }
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
        guard fclose(file) == 0, count == bytes.count else { throw .system("\(name) cannot be written") }
    }

    private static func remove(_ path: String) {
        guard let stream = opendir(path) else {
            unlink(path)
            return
        }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard name != ".", name != ".." else { continue }
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR { remove("\(path)/\(name)") } else { unlink("\(path)/\(name)") }
        }
        closedir(stream)
        rmdir(path)
    }
}

/// The error of a test that lacks something that it needs or waited for.
public struct TestKitError: Error, CustomStringConvertible {
    /// How long the kit waits for an event before it calls it missing: two minutes of real time, so that a loaded machine
    /// fails no test.
    public static let patience: Duration = .seconds(120)

    /// The missing thing, in words for the person who runs the test.
    public let description: String

    /// Creates an error whose text says what is missing.
    public init(_ description: String) { self.description = description }

    static func system(_ what: String) -> Self { Self("\(what): \(String(cString: strerror(errno)))") }
}
