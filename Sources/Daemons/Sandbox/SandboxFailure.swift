// SPDX-License-Identifier: Apache-2.0

/// The reason why a confined process could not be prepared or started.
public struct SandboxFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure. Raw values are stable; the text may change.
    public enum Code: String, Sendable, Hashable {
        /// The description of the process is not one that vigil-jail would understand.
        case planInvalid
        /// The program vigil-jail is not there or cannot be executed.
        case jailMissing
        /// The system gave no process, descriptor or memory.
        case startFailed
        /// A folder or file system for the process could not be made.
        case folderFailed
    }

    /// The kind of failure, for callers to decide by.
    public let code: Code
    private let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// A sentence for the operator's log, with what to do; it has paths and the kernel's words in it, and nothing of the program's.
    public var description: String {
        switch code {
        case .planInvalid: "the process cannot be described to vigil-jail: \(detail); correct its manifest or its grants"
        case .jailMissing: "vigil-jail cannot be started: \(detail); it belongs beside the program vigil"
        case .startFailed: "the process cannot be started: \(detail); it is tried again later"
        case .folderFailed: "a folder of the process cannot be made: \(detail); check the file system it is on"
        }
    }
}
