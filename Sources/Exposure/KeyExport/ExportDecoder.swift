// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText

/// Reads export.bin in one pass, in chunks of any size, with memory that does not depend on the size of the file.
///
/// Keys are passed on in batches while the file is read. Everything else is in the ``ExportSummary`` at the end,
/// because protobuf fields can be in any order. Nothing that was read may be used before the signature over all bytes
/// was verified. Not thread-safe; it has one owner.
public struct ExportDecoder: ~Copyable {
    /// The header with which export.bin begins, 16 bytes: 12 characters and four spaces (Google: "Exposure Key export
    /// file format").
    public static let header = Array("EK Export v1    ".utf8)
    /// The maximum number of keys in a batch: large enough that calls cost nothing, small enough for a first-level
    /// cache. The number is this project's own.
    public static let batchCapacity = 256
    // A real key takes 24 to 36 bytes. The allowance is for fields to come.
    private static let maximumKeyBytes = 1_024
    private static let maximumInfoBytes = 4_096
    private static let maximumRegionBytes = 64
    // Must hold the largest element that is not skipped, with its tag and length.
    private static let carryCapacity = 8_192

    private let limits: ExportLimits
    private let batch: UnsafeMutableBufferPointer<ExportedKey>
    private var batchCount = 0
    private let carry: UnsafeMutableRawBufferPointer
    private var carryCount = 0
    /// Bytes of an unknown field still to be stepped over.
    private var skipRemaining: UInt64 = 0
    private var summary = ExportSummary()
    private var hasHeader = false
    /// Offset in export.bin of the next byte to be interpreted.
    private var offset: UInt64 = 0

    /// Creates a decoder at the beginning of export.bin. `limits` bounds the size of the file and its number of keys
    /// and signature infos; the decoder needs no more memory later. Cannot fail.
    public init(limits: ExportLimits = .standard) {
        self.limits = limits
        batch = .allocate(capacity: Self.batchCapacity)
        batch.initialize(repeating: ExportedKey())
        carry = .allocate(byteCount: Self.carryCapacity, alignment: 16)
    }

    deinit {
        batch.deallocate()
        carry.deallocate()
    }

    /// Reads the next bytes, any number of them, and calls `body` with up to 256 keys at a time, in file order. The
    /// buffer is valid only during the call of `body`, because it is reused.
    ///
    /// - Throws: ``KeyExportError``: `entryTooLarge`, `tooManyKeys` and `tooManySignatureInfos` beyond the limits,
    ///   `wrongHeader` when the file begins otherwise, `malformedProtobuf` for a malformed field, a known field of
    ///   another type and a region that is not UTF-8, `elementTooLarge` for a region of more than 64 bytes, a
    ///   signature info of more than 4,096 or a key of more than 1,024 (all this project's own numbers); or what
    ///   `body` throws. The decoder must not be used after an error.
    public mutating func decode(
        _ chunk: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws {
        summary.byteCount += UInt64(chunk.count)
        guard summary.byteCount <= limits.maximumExportBytes else {
            throw KeyExportError(.entryTooLarge, at: limits.maximumExportBytes, "export.bin")
        }
        var rest = chunk
        while true {
            if skipRemaining > 0 {
                let step = Int(min(skipRemaining, UInt64(rest.count)))
                skipRemaining -= UInt64(step)
                offset += UInt64(step)
                rest = UnsafeRawBufferPointer(rebasing: rest[step...])
            }
            if rest.isEmpty { break }
            if carryCount > 0 {
                // Complete the element that was cut by the end of the chunk before: parse exactly one from the carry.
                let old = carryCount
                let added = min(rest.count, Self.carryCapacity - old)
                UnsafeMutableRawBufferPointer(rebasing: carry[old..<(old + added)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<added]))
                let filled = UnsafeRawBufferPointer(rebasing: carry[..<(old + added)])
                let used = try element(filled, body)
                if used == 0 {
                    guard added == rest.count else { throw KeyExportError(.elementTooLarge, at: offset) }
                    carryCount = old + added
                    break
                }
                offset += UInt64(used)
                carryCount = 0
                rest = UnsafeRawBufferPointer(rebasing: rest[(used - old)...])
            } else {
                let used = try element(rest, body)
                if used == 0 {
                    guard rest.count < Self.carryCapacity else { throw KeyExportError(.elementTooLarge, at: offset) }
                    carry.copyMemory(from: rest)
                    carryCount = rest.count
                    break
                }
                offset += UInt64(used)
                rest = UnsafeRawBufferPointer(rebasing: rest[used...])
            }
        }
    }

    /// Ends the file: calls `body` with the last keys, if any, and returns the summary. Throws `wrongHeader` when
    /// the file is empty or ends within its header, `truncated` when it ends within a field, or what `body` throws.
    public consuming func finish(
        _ body: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws -> ExportSummary {
        guard hasHeader || carryCount > 0 else { throw KeyExportError(.wrongHeader, at: 0, "the file is empty") }
        guard hasHeader else { throw KeyExportError(.wrongHeader, at: 0, "only \(carryCount) bytes") }
        guard carryCount == 0, skipRemaining == 0 else { throw KeyExportError(.truncated, at: offset) }
        try flush(body)
        return summary
    }

    private mutating func flush(_ body: (UnsafeBufferPointer<ExportedKey>) throws -> Void) throws {
        guard batchCount > 0 else { return }
        defer { batchCount = 0 }
        try body(UnsafeBufferPointer(rebasing: batch[..<batchCount]))
    }

    /// Interprets one element at the start of `bytes`; gives how many bytes it took, or 0 when it is not complete.
    private mutating func element(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws -> Int {
        guard hasHeader else {
            let known = min(bytes.count, Self.header.count)
            guard bytes.prefix(known).elementsEqual(Self.header.prefix(known)) else {
                throw KeyExportError(.wrongHeader, at: 0)
            }
            guard bytes.count >= Self.header.count else { return 0 }
            hasHeader = true
            return Self.header.count
        }
        var cursor = ProtobufCursor(bytes)
        guard let (field, type) = cursor.tag() else {
            // A tag takes at most five bytes; ten are there when it is malformed rather than cut.
            guard bytes.count < 10, cursor.position == 0, isPrefixOfVarint(bytes) else {
                throw KeyExportError(.malformedProtobuf, at: offset, "a field's tag")
            }
            return 0
        }
        if type == .bytes {
            guard let length = cursor.varint() else {
                guard isPrefixOfVarint(UnsafeRawBufferPointer(rebasing: bytes[cursor.position...])) else {
                    throw KeyExportError(.malformedProtobuf, at: offset, "a field's length")
                }
                return 0
            }
            return try lengthDelimited(field, length, bytes, contentAt: cursor.position, body)
        }
        let value: UInt64?
        switch type {
        case .varint: value = cursor.varint()
        case .fixed64: value = cursor.fixed64()
        default: value = cursor.skip(type) ? 0 : nil
        }
        guard let value else {
            guard type != .varint || isPrefixOfVarint(UnsafeRawBufferPointer(rebasing: bytes[cursor.position...])) else {
                throw KeyExportError(.malformedProtobuf, at: offset, "a number of field \(field)")
            }
            return 0
        }
        switch (field, type) {
        case (1, .fixed64): summary.startTimestamp = value
        case (2, .fixed64): summary.endTimestamp = value
        case (4, .varint): summary.batchNumber = Int32(truncatingIfNeeded: value)
        case (5, .varint): summary.batchSize = Int32(truncatingIfNeeded: value)
        case (1...8, _): throw KeyExportError(.malformedProtobuf, at: offset, "field \(field) has another type")
        default: break
        }
        return cursor.position
    }

    /// Whether `bytes` could be the beginning of a varint: fewer than ten bytes, all with the continuation bit.
    private func isPrefixOfVarint(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count < 10 && bytes.allSatisfy { $0 >= 0x80 }
    }

    private mutating func lengthDelimited(
        _ field: UInt32, _ length: UInt64, _ bytes: UnsafeRawBufferPointer, contentAt start: Int,
        _ body: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws -> Int {
        let maximum: Int
        switch field {
        case 3: maximum = Self.maximumRegionBytes
        case 6: maximum = Self.maximumInfoBytes
        case 7, 8: maximum = Self.maximumKeyBytes
        case 1, 2, 4, 5: throw KeyExportError(.malformedProtobuf, at: offset, "field \(field) has another type")
        default:
            // Nobody knows this field; it is stepped over without being held. The byte limit bounds its length.
            skipRemaining = length
            return start
        }
        guard length <= UInt64(maximum) else {
            throw KeyExportError(.elementTooLarge, at: offset, "field \(field) claims \(length) bytes")
        }
        let end = start + Int(length)
        guard end <= bytes.count else { return 0 }
        let content = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        switch field {
        case 3:
            guard let region = StreamSafe.decode(content) else {
                throw KeyExportError(.malformedProtobuf, at: offset, "region is no text")
            }
            summary.region = region
        case 6:
            guard let info = SignatureInfo(content) else {
                throw KeyExportError(.malformedProtobuf, at: offset, "signature info")
            }
            summary.signatureInfos.append(info)
            guard summary.signatureInfos.count <= limits.maximumSignatures else {
                throw KeyExportError(.tooManySignatureInfos, at: offset)
            }
        default:
            if !Self.key(content, contentOffset: offset + UInt64(start), into: &batch[batchCount]) {
                throw KeyExportError(.malformedProtobuf, at: offset, "a key")
            }
            batch[batchCount].isRevised = field == 8
            if field == 7 { summary.keyCount += 1 } else { summary.revisedKeyCount += 1 }
            guard summary.keyCount + summary.revisedKeyCount <= limits.maximumKeys else {
                throw KeyExportError(.tooManyKeys, at: offset, "more than \(limits.maximumKeys)")
            }
            batchCount += 1
            if batchCount == Self.batchCapacity { try flush(body) }
        }
        return end
    }

    /// Reads one key; `false` when it is malformed.
    @inline(__always)
    private static func key(
        _ content: UnsafeRawBufferPointer, contentOffset: UInt64, into key: inout ExportedKey
    ) -> Bool {
        key = ExportedKey()
        var cursor = ProtobufCursor(content)
        while !cursor.isAtEnd {
            guard let (field, type) = cursor.tag() else { return false }
            if field == 1 {
                guard type == .bytes, let data = cursor.bytes() else { return false }
                key.dataByteCount = UInt32(data.count)
                key.dataOffset = UInt32(truncatingIfNeeded: contentOffset) + UInt32(cursor.position - data.count)
                key.data = Block()
                if data.count == 16 {
                    key.data = data.loadUnaligned(as: Block.self)
                } else {
                    withUnsafeMutableBytes(of: &key.data) {
                        $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: data.prefix(16)))
                    }
                }
            } else if field == 7 || field > 8 {
                guard cursor.skip(type) else { return false }
            } else {
                guard type == .varint, let raw = cursor.varint() else { return false }
                // int32 fields come sign-extended to 64 bits; anything else cannot be what the sender meant.
                guard let value = Int32(exactly: Int64(bitPattern: raw)) ?? zigzagOnly(field, raw) else {
                    key.isUnrepresentable = true
                    continue
                }
                switch field {
                case 2: key.transmissionRiskLevel = value
                case 3: key.rollingStart = value
                case 4: key.rollingPeriod = value
                case 5: key.reportType = value
                case 6:
                    let bits = UInt32(truncatingIfNeeded: raw)
                    key.daysSinceOnset = Int32(bitPattern: bits >> 1) ^ -Int32(bits & 1)
                    key.hasOnset = true
                default:
                    key.variantOfConcern = value
                    key.hasVariant = true
                }
            }
        }
        return true
    }

    /// sint32 values are zigzag-encoded and use all 32 bits without sign extension.
    @inline(never)
    private static func zigzagOnly(_ field: UInt32, _ raw: UInt64) -> Int32? {
        field == 6 && raw <= UInt64(UInt32.max) ? 0 : nil
    }
}
