// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc

/// Where this program lies, and its siblings beside it.
public enum ProgramFolder {
    /// The path of the folder of the executable of this process, without links and without a slash at its end. Throws
    /// `InputError` where there is no /proc. On any thread.
    public static func path() throws -> String {
        guard let path = realpath("/proc/self/exe", nil) else { throw InputError(file: "/proc/self/exe", "cannot be read") }
        defer { free(path) }
        return String(cString: path).split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
    }
}
