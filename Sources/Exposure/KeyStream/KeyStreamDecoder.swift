// SPDX-License-Identifier: Apache-2.0

import ForeignText
public import KeyExport

/// A part of a stream, in the order in which its bytes come.
public enum KeyStreamEvent {
    /// The first frame, which states how far the sender is confined.
    case hello(Confinement)
    /// The number of bytes of content to come, at most ``KeyStreamFrame/maximumAnnouncedBytes``, and the companion
    /// (export.sig), at most ``KeyStreamFrame/maximumCompanionBytes`` bytes.
    case opening(contentByteCount: UInt64, companion: [UInt8])
    /// The next bytes of the content, valid only during the call. One frame may come in several pieces.
    case content(UnsafeRawBufferPointer)
    /// The end: everything that was announced has come.
    case end
    /// The sender refuses the file by a rule of the archive. Offset and detail are the sender's; the detail is made
    /// printable.
    case failure(KeyExportError)
}

/// Decodes a stream in pieces of any size, without trusting any byte of it, because the sender handles hostile files
/// and may be controlled by them.
///
/// It holds at most one frame that is not content (64 KiB). Not thread-safe; it has one owner.
public struct KeyStreamDecoder: Sendable {
    private enum Stage { case hello, opening, content, over }

    private var stage = Stage.hello
    private var offset: UInt64 = 0
    private var head: [UInt8] = []
    private var kind: KeyStreamFrame.Kind?
    private var frameRemaining = 0
    private var payload: [UInt8] = []
    private var announced: UInt64 = 0
    private var received: UInt64 = 0

    /// Creates a decoder at the beginning of a stream, whose first frame must be a `hello`.
    public init() {}

    /// Whether `end` or `failure` was decoded; any further byte is then an error.
    public var isOver: Bool { stage == .over }

    /// Decodes the next bytes and calls `body` for each event, in order. Throws ``KeyStreamError`` when the stream
    /// breaks a rule, or what `body` throws; the decoder must not be used afterwards.
    public mutating func decode(_ bytes: UnsafeRawBufferPointer, _ body: (KeyStreamEvent) throws -> Void) throws {
        var rest = bytes
        while !rest.isEmpty {
            guard stage != .over else { throw KeyStreamError(.afterTheEnd, at: offset) }
            if let kind {
                let step = min(rest.count, frameRemaining)
                let piece = UnsafeRawBufferPointer(rebasing: rest[..<step])
                if kind == .content {
                    received += UInt64(step)
                    try body(.content(piece))
                } else {
                    payload += piece
                }
                advance(&rest, step)
                frameRemaining -= step
            } else {
                let step = min(rest.count, KeyStreamFrame.headByteCount - head.count)
                head += rest.prefix(step)
                advance(&rest, step)
                guard head.count == KeyStreamFrame.headByteCount else { return }
                try begin()
            }
            if kind != nil, frameRemaining == 0 { try finish(body) }
        }
    }

    /// Checks that the stream is complete, after the sender closed it. Throws `endedEarly` when neither `end` nor
    /// `failure` has come.
    public func checkEnd() throws(KeyStreamError) {
        guard stage == .over else { throw KeyStreamError(.endedEarly, at: offset) }
    }

    private mutating func advance(_ rest: inout UnsafeRawBufferPointer, _ step: Int) {
        offset += UInt64(step)
        rest = UnsafeRawBufferPointer(rebasing: rest[step...])
    }

    /// Judges a frame by its head, before any of its payload is taken.
    private mutating func begin() throws(KeyStreamError) {
        guard let kind = KeyStreamFrame.Kind(rawValue: head[0]) else { throw KeyStreamError(.unknownFrame, at: offset) }
        let length = head[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
        head.removeAll(keepingCapacity: true)
        let isInOrder: Bool
        let lengths: ClosedRange<Int>
        switch kind {
        case .hello:
            isInOrder = stage == .hello
            lengths = 2...2
        case .opening:
            isInOrder = stage == .opening
            lengths = 8...(8 + KeyStreamFrame.maximumCompanionBytes)
        case .content:
            isInOrder = stage == .content
            lengths = 1...KeyStreamFrame.maximumContentBytes
        case .end:
            isInOrder = stage == .content
            lengths = 0...0
        case .failure:
            isInOrder = stage != .hello
            lengths = 10...(10 + KeyStreamFrame.maximumCodeBytes + KeyStreamFrame.maximumDetailBytes)
        }
        guard isInOrder else { throw KeyStreamError(.outOfOrder, at: offset) }
        guard lengths.contains(length) else { throw KeyStreamError(.wrongLength, at: offset) }
        if kind == .content, UInt64(length) > announced - received { throw KeyStreamError(.moreThanAnnounced, at: offset) }
        if kind == .end, received != announced { throw KeyStreamError(.lessThanAnnounced, at: offset) }
        self.kind = kind
        frameRemaining = length
    }

    private mutating func finish(_ body: (KeyStreamEvent) throws -> Void) throws {
        let kind = kind
        self.kind = nil
        let payload = payload
        self.payload.removeAll(keepingCapacity: true)
        switch kind {
        case .hello:
            guard payload[0] == KeyStreamFrame.version, let level = Confinement(rawValue: payload[1]) else {
                throw KeyStreamError(.wrongVersion, at: offset)
            }
            stage = .opening
            try body(.hello(level))
        case .opening:
            announced = payload[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            guard announced <= KeyStreamFrame.maximumAnnouncedBytes else {
                throw KeyStreamError(.announcesTooMuch, at: offset)
            }
            stage = .content
            try body(.opening(contentByteCount: announced, companion: Array(payload[8...])))
        case .end:
            stage = .over
            try body(.end)
        case .failure:
            stage = .over
            try body(.failure(failure(payload)))
        case .content, nil: break
        }
    }

    private func failure(_ payload: [UInt8]) throws(KeyStreamError) -> KeyExportError {
        let codeEnd = 1 + Int(payload[0])
        guard payload.count >= codeEnd + 9,
            let code = StreamSafe.decode(payload[1..<codeEnd]).flatMap(KeyExportError.Code.init(rawValue:)),
            code.isOfTheArchive, payload[codeEnd] <= 1
        else { throw KeyStreamError(.malformedFailure, at: offset) }
        let place = payload[(codeEnd + 1)..<(codeEnd + 9)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // Whoever reads logs must not be written to by a hostile file.
        let detail = payload[(codeEnd + 9)...].map { (0x20...0x7e).contains($0) ? $0 : 0x3f }
        return KeyExportError(code, at: payload[codeEnd] == 1 ? place : nil, String(decoding: detail, as: UTF8.self))
    }
}

extension KeyExportError.Code {
    /// Rules that can be judged by who unpacks; about anything else the sender has nothing to say.
    var isOfTheArchive: Bool {
        switch self {
        case .unreadableFile, .notAZipArchive, .wrongEntryCount, .unexpectedEntry, .illegalEntryName, .duplicateEntry,
            .missingExport, .missingSignature, .encryptedEntry, .unsupportedCompression, .entryTooLarge, .suspiciousRatio,
            .damagedArchive:
            true
        default: false
        }
    }
}
