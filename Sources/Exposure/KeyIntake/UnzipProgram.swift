// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// The program that unpacks key files: its path, and what is asked of it.
public struct UnzipProgram: Sendable, Hashable {
    /// File name of the program, beside that of the core.
    public static let name = "vigil-zip"

    /// Path of the program: absolute, links resolved.
    public let path: String
    /// Whether it may work where the kernel cannot confine it: emulators of one architecture on another, for tests.
    public let mayBeUnconfined: Bool

    /// A program at `path`, relative to the current folder or absolute. Throws `programMissing` when nothing is there,
    /// or nothing that may be reached; whether it can be run is not looked at.
    public init(path: String, mayBeUnconfined: Bool = false) throws(IntakeFailure) {
        guard let absolute = realpath(path, nil) else {
            throw IntakeFailure(.programMissing, "\(path): \(SystemCall.text(errno))")
        }
        defer { free(absolute) }
        self.path = String(cString: absolute)
        self.mayBeUnconfined = mayBeUnconfined
    }

    /// The program beside the running one, wherever it was started from.
    ///
    /// Without `/proc` the folder is that of the name this process was started with, if it has one. Throws
    /// `programMissing`.
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
