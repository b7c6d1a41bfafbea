// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A folder that is gone with the value.
final class TemporaryFolder {
    struct Failure: Error {}

    let path: String

    init() throws {
        var template = Array("/tmp/vigil-core-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { rmdir(path) }
}
