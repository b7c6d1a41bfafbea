// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A list that an operator hands to a command.
enum OperatorList {
    /// The bytes of the file at `path`, or of standard input for `-`; a pipe is waited for. Throws `EFBIG` for more than `limit` bytes, so
    /// nothing of a longer list is taken.
    static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        try path == "-" ? WholeFile.read(0, limit: limit) : WholeFile.read(path, limit: limit)
    }
}
