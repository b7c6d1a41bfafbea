// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyExport
import PresenceTracing

/// The constant size to which the body of every submission is padded.
public struct SubmissionShape: Sendable, Hashable {
    /// The length of every body, in bytes, 1,024 to 65,536.
    public let bytes: Int

    /// The shape of 4,096 bytes, our choice: there is room for 14 keys, 31 countries and 32 check-in reports together, and
    /// for more of one kind if there are fewer of the others.
    public static let standard = SubmissionShape(bytes: 4_096)

    /// Creates a shape of this many bytes, limited to 1,024 to 65,536. All devices of a fleet must have the same shape.
    public init(bytes: Int) { self.bytes = min(max(bytes, 1_024), 65_536) }
}

extension SubmissionPayload {
    /// Encodes the payload as a Protobuf `SubmissionPayload` of exactly ``SubmissionShape/bytes`` bytes, padded with random
    /// letters and digits. The rules of ``check()`` are not applied, because fakes break them.
    /// - Throws: ``DiagnosisPlanError/Code/doesNotFit`` if fewer than 2 bytes are left for padding.
    public func encoded(
        as shape: SubmissionShape, using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> [UInt8] {
        var writer = content
        let room = shape.bytes - writer.bytes.count
        guard room >= 2 else { throw DiagnosisPlanError(.doesNotFit, "\(writer.bytes.count) of \(shape.bytes) bytes") }
        for length in Self.paddingFields(filling: room) { writer.data(2, WirePadding.bytes(length, using: &random)) }
        return writer.bytes
    }

    /// Returns the number of reports of check-ins that can be added so that ``encoded(as:using:)`` has room for them, 0 to
    /// ``maximumReports``. Cannot fail.
    public func roomForReports(in shape: SubmissionShape) -> Int {
        let room = shape.bytes - 2 - content.bytes.count
        return min(max(room / Self.reportFieldBytes, 0), Self.maximumReports)
    }

    /// A report of 104 bytes with its tag and length.
    private static let reportFieldBytes = 106

    private var content: ProtobufWriter {
        var writer = ProtobufWriter()
        for key in keys {
            writer.message(1) { Self.write(key, to: &$0) }
        }
        for country in visitedCountries { writer.text(3, country) }
        if !origin.isEmpty { writer.text(4, origin) }
        if consentToFederation { writer.number(5, 1) }
        if kind != .pcrTest { writer.number(7, UInt64(kind.rawValue)) }
        for report in reports { writer.data(8, report.encoded) }
        return writer
    }

    /// Lengths of padding fields that together take up exactly `room` bytes, at least 2. One is enough except where the length itself
    /// needs a byte more; there an empty one comes first, which readers forget when they see the second.
    static func paddingFields(filling room: Int) -> [Int] {
        func length(_ room: Int) -> Int? {
            for lengthBytes in 1...3 {
                let count = room - 1 - lengthBytes
                let fits = count >= (lengthBytes == 1 ? 0 : 1 << (7 * (lengthBytes - 1))) && count < 1 << (7 * lengthBytes)
                if fits { return count }
            }
            return nil
        }
        if let one = length(room) { return [one] }
        return [0, length(room - 2) ?? 0]
    }

    private static func write(_ key: DiagnosisKey, to writer: inout ProtobufWriter) {
        writer.data(1, key.data.bytes)
        if key.transmissionRiskLevel != 0 { writer.int32(2, Int32(key.transmissionRiskLevel)) }
        writer.int32(3, Int32(truncatingIfNeeded: key.rollingStart.number))
        writer.int32(4, Int32(key.rollingPeriod))
        if key.reportType != .unknown { writer.int32(5, Int32(key.reportType.rawValue)) }
        if let days = key.daysSinceOnset { writer.sint32(6, days) }
    }

    /// Reads a submission. Padding and unknown fields are skipped; absent fields are empty, `false` or ``Kind/pcrTest``.
    /// ``check()`` says whether a server would accept it.
    /// - Throws: ``DiagnosisPlanError/Code/malformedSubmission`` if the bytes are not such a message, have a kind that is
    ///   not in ``Kind``, or are more than ``maximumBytes``; ``DiagnosisPlanError/Code/malformedKey`` or
    ///   ``DiagnosisPlanError/Code/malformedReport`` if a part of the message cannot be a key or a check-in's report.
    public init(decoding bytes: [UInt8]) throws(DiagnosisPlanError) {
        guard bytes.count <= Self.maximumBytes else {
            throw DiagnosisPlanError(.malformedSubmission, "more than \(Self.maximumBytes) bytes")
        }
        // As a result, because the compiler cannot carry this error's type through the closure.
        self = try bytes.withUnsafeBytes { Self.read($0) }.get()
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) -> Result<SubmissionPayload, DiagnosisPlanError> {
        var cursor = ProtobufCursor(bytes)
        var payload = SubmissionPayload(keys: [], origin: "")
        func malformed() -> Result<SubmissionPayload, DiagnosisPlanError> {
            .failure(DiagnosisPlanError(.malformedSubmission, "at byte \(cursor.position)"))
        }
        while !cursor.isAtEnd {
            guard let (field, type) = cursor.tag() else { return malformed() }
            switch (field, type) {
            case (1, .bytes):
                guard let content = cursor.bytes() else { return malformed() }
                guard let key = key(content) else {
                    return .failure(DiagnosisPlanError(.malformedKey, "key \(payload.keys.count + 1)"))
                }
                payload.keys.append(key)
            case (3, .bytes):
                guard let country = cursor.string() else { return malformed() }
                payload.visitedCountries.append(country)
            case (4, .bytes):
                guard let origin = cursor.string() else { return malformed() }
                payload.origin = origin
            case (5, .varint):
                guard let value = cursor.varint() else { return malformed() }
                payload.consentToFederation = value != 0
            case (7, .varint):
                guard let value = cursor.varint(), let kind = UInt8(exactly: value).flatMap(Kind.init(rawValue:)) else {
                    return malformed()
                }
                payload.kind = kind
            case (8, .bytes):
                guard let content = cursor.bytes() else { return malformed() }
                guard let report = try? ProtectedReport(decoding: Array(content)) else {
                    return .failure(DiagnosisPlanError(.malformedReport, "report \(payload.reports.count + 1)"))
                }
                payload.reports.append(report)
            default: if !cursor.skip(type) { return malformed() }
            }
        }
        return .success(payload)
    }

    /// `nil` also for numbers that no key can have.
    private static func key(_ bytes: UnsafeRawBufferPointer) -> DiagnosisKey? {
        var cursor = ProtobufCursor(bytes)
        var data: Block?
        var numbers: [UInt32: UInt64] = [:]
        while !cursor.isAtEnd {
            guard let (field, type) = cursor.tag() else { return nil }
            switch (field, type) {
            case (1, .bytes): data = cursor.bytes().flatMap { Block($0) }
            case (2...6, .varint):
                guard let value = cursor.varint() else { return nil }
                numbers[field] = value
            default: if !cursor.skip(type) { return nil }
            }
        }
        guard let data, let level = UInt8(exactly: numbers[2] ?? 0), let start = UInt32(exactly: numbers[3] ?? 0),
            start <= UInt32(Int32.max), let period = UInt32(exactly: numbers[4] ?? UInt64(ENIN.perDay)),
            let type = UInt8(exactly: numbers[5] ?? 0).flatMap(ReportType.init(rawValue:))
        else { return nil }
        var days: Int32?
        if let number = numbers[6] {
            guard let zigzag = UInt32(exactly: number) else { return nil }
            days = Int32(bitPattern: zigzag >> 1) ^ -Int32(bitPattern: zigzag & 1)
        }
        return DiagnosisKey(
            data: data, rollingStart: ENIN(start), rollingPeriod: period, transmissionRiskLevel: level, reportType: type,
            daysSinceOnset: days)
    }
}
