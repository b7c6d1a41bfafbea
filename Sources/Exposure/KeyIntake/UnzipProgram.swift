// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// The program that unpacks key files: its path, and whether it must be confined.
public struct UnzipProgram: Sendable, Hashable {
    /// The file name of the program, which is in the same folder as the core.
    public static let name = "vigil-zip"

    /// The absolute path of the program, with links resolved.
    public let path: String
    /// Whether the program may run where the kernel cannot confine it, as in emulators of another architecture; for
    /// tests.
    public let mayBeUnconfined: Bool

    /// Creates a program from its path, relative to the current folder or absolute. Throws `programMissing` when
    /// there is no such file or it cannot be reached; whether it can be run is not checked.
    public init(path: String, mayBeUnconfined: Bool = false) throws(IntakeFailure) {
        guard let absolute = realpath(path, nil) else {
            throw IntakeFailure(.programMissing, "\(path): \(SystemCall.text(errno))")
        }
        defer { free(absolute) }
        self.path = String(cString: absolute)
        self.mayBeUnconfined = mayBeUnconfined
    }

    /// Returns the unzip program in the folder of the running program; `mayBeUnconfined` is the value of
    /// ``mayBeUnconfined``.
    ///
    /// Without `/proc` that folder is taken from the path with which this process was started. Throws
    /// `programMissing` when the folder is not known or has no such program.
    public static func besideThisProgram(mayBeUnconfined: Bool = false) throws(IntakeFailure) -> UnzipProgram {
        guard let own = ownPath, let slash = own.lastIndex(of: "/") else {
            throw IntakeFailure(.programMissing, "without /proc, start vigil by its full path, or say where \(name) is")
        }
        return try UnzipProgram(path: "\(own[...slash])\(name)", mayBeUnconfined: mayBeUnconfined)
    }

    private static var ownPath: String? {
        if let link = realpath("/proc/self/exe", nil) {
            defer { free(link) }
            return String(cString: link)
        }
        guard let started = vigil_argument(0).map({ String(cString: $0) }), started.contains("/") else { return nil }
        return started
    }
}
