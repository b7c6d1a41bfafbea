// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The rule of the stream that the other process broke. The file is not at fault, and nothing that the process sent
/// may be used. Two errors are equal when their codes are.
public struct KeyStreamError: CodedError {
    /// The rules of the stream. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The sender uses another version than ``KeyStreamFrame/version``, or an unknown confinement.
        case wrongVersion
        /// A frame has an unknown type.
        case unknownFrame
        /// A frame came at a place where its type is not allowed.
        case outOfOrder
        /// A frame has a length that its type does not allow.
        case wrongLength
        /// More content came than was announced.
        case moreThanAnnounced
        /// Less content came than was announced.
        case lessThanAnnounced
        /// More content is announced than ``KeyStreamFrame/maximumAnnouncedBytes``.
        case announcesTooMuch
        /// A refusal names no rule of the archive, or its parts do not match.
        case malformedFailure
        /// Bytes came after the last frame.
        case afterTheEnd
        /// The stream ended before its last frame was complete.
        case endedEarly
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The number of bytes of the stream that were decoded when the error was found, 0 or more, including those of
    /// the faulty frame that were looked at.
    public let offset: UInt64

    init(_ code: Code, at offset: UInt64, file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.offset = offset
    }

    /// A text for logs: a sentence, the offset and the code; nothing that the other process sent.
    public var description: String { "\(Self.sentence(code)), at byte \(offset) of the stream [\(code.rawValue)]" }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .wrongVersion: "it is of another version"
        case .unknownFrame: "it sent something unknown"
        case .outOfOrder: "it sent things out of order"
        case .wrongLength: "it sent something of an impossible length"
        case .moreThanAnnounced: "it sent more than it announced"
        case .lessThanAnnounced: "it sent less than it announced"
        case .announcesTooMuch: "it announced more than any key file has"
        case .malformedFailure: "it sent a refusal that says nothing"
        case .afterTheEnd: "it went on after its end"
        case .endedEarly: "it stopped in the middle"
        }
    }
}
