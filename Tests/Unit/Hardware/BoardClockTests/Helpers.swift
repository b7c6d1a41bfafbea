// SPDX-License-Identifier: Apache-2.0

import BoardClock
import Glibc
import Testing

/// A folder of the test's own, removed with everything in it at the end.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/vigil-clock-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in names() { remove("\(path)/\(name)") }
        remove(path)
    }

    /// What lies in it, hidden files too.
    func names() -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func file(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        try #require(descriptor >= 0)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
    }

    func file(_ name: String, _ text: String) throws { try file(name, Array(text.utf8)) }
}

/// The code of the failure that `body` throws; records an issue if it throws none.
func code(of body: () throws -> Void) -> ClockFailure.Code? {
    do {
        try body()
    } catch let failure as ClockFailure {
        // One line, with the code: what a log and a status page show.
        #expect(failure.description.hasSuffix("[\(failure.code.rawValue)]") && !failure.description.contains("\n"))
        return failure.code
    } catch {
        Issue.record("\(error)")
    }
    Issue.record("nothing was thrown")
    return nil
}
