// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a capture cannot be read: the broken rule, and the record. Two errors are equal if their codes are.
public struct CaptureError: CodedError {
    /// The rules that a capture can break. Raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The file does not begin with the eight bytes of a btsnoop file.
        case notACapture
        /// The version of the format is not 1.
        case unknownVersion
        /// The packets are not in the form of H4 (datalink 1002), or not of a Bluetooth controller.
        case otherDatalink
        /// The file ends in its heading or in the middle of a record.
        case truncated
        /// The record has fewer bytes than the packet had: whoever wrote the file left some out.
        case cutRecord
        /// The record claims more bytes than a packet can have.
        case recordTooLong
        /// The packet in the record is none, or not as long as its own header says.
        case badPacket
        /// The file cannot be read on.
        case unreadable
        /// The time of the record cannot be: it is before 1970, or after the year 9999.
        case impossibleTime
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The number of the record, counted from 1; 0 for the heading of the file.
    public let record: Int
    /// Numbers of this error, may be empty; never addresses, identifiers or payloads.
    public let detail: String

    init(_ code: Code, record: Int, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.record = record
        self.detail = detail
    }

    /// An error for a file that the system does not give on after `record` records. Cannot fail.
    package static func unreadable(record: Int) -> CaptureError { CaptureError(.unreadable, record: record) }

    /// The text for people: what is wrong, where, and what to do; never an address, an identifier or data.
    public var description: String {
        let place = record == 0 ? "" : " (record \(record))"
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(sentence)\(more)\(place) [\(code.rawValue)]"
    }

    private var sentence: String {
        switch code {
        case .notACapture: "this is no capture in the btsnoop format; Android and BlueZ (btmon -w) write such files"
        case .unknownVersion: "this btsnoop file is of a version that is not read here; version 1 is"
        case .otherDatalink: "the packets are not in the form H4 (datalink 1002); record with a tool that writes it"
        case .truncated: "the file ends too early; copy it again"
        case .cutRecord: "a packet was cut when it was recorded; record with the full length"
        case .recordTooLong: "a record claims more bytes than a packet can have; the file is damaged"
        case .badPacket: "a record holds no packet, or one of another length than its header says; the file is damaged"
        case .unreadable: "the file cannot be read; copy it again"
        case .impossibleTime: "a record has a time that cannot be; the file is damaged"
        }
    }
}
