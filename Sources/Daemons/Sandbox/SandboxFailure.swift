// SPDX-License-Identifier: Apache-2.0

/// The reason why a confined process could not be prepared or started.
public struct SandboxFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure. Raw values are stable; the text may change.
    public enum Code: String, Sendable, Hashable {
        /// The plan is too long, has too many parts, contains control characters, or makes a writable bind
        /// optional.
        case planInvalid
        /// The program vigil-jail does not exist or cannot be executed.
        case jailMissing
        /// The system provided no process, descriptor or memory.
        case startFailed
        /// A folder or file system for the process could not be made.
        case folderFailed
    }

    /// The kind of failure, by which callers decide.
    public let code: Code
    private let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// A sentence for the operator's log, with what to do; it contains paths and the kernel's message, and nothing that the
    /// program wrote.
    public var description: String {
        switch code {
        case .planInvalid: "the process cannot be described to vigil-jail: \(detail); correct its manifest or its grants"
        case .jailMissing: "vigil-jail cannot be started: \(detail); it belongs beside the program vigil"
        case .startFailed: "the process cannot be started: \(detail); it is tried again later"
        case .folderFailed: "a folder of the process cannot be made: \(detail); check the file system it is on"
        }
    }
}
