// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeyArchive
import KeyExport
import KeyStream
import Testing

/// What the unzip program does when it packs.
@Suite struct PackTests {
    /// Packs what is in a pipe, and gives what came out: whether it was done, and the refusal that it told.
    private static func pack(_ stream: [UInt8]) throws -> (isDone: Bool, refusal: KeyExportError.Code?, bytes: Int) {
        var (input, output) = ([Int32](repeating: -1, count: 2), [Int32](repeating: -1, count: 2))
        try #require(pipe(&input) == 0 && pipe(&output) == 0)
        defer { for descriptor in [input[0], output[0]] { close(descriptor) } }
        // All of it fits into pipes.
        #expect(write(input[1], stream, stream.count) == stream.count)
        close(input[1])
        ArchiveService.greet(.none, on: output[1])
        let isDone = ArchiveService.pack(from: input[0], to: output[1])
        close(output[1])
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(output[0], &buffer, buffer.count)
        try #require(count > 0)
        var (refusal, size) = (KeyExportError.Code?.none, 0)
        var decoder = KeyStreamDecoder()
        try buffer[..<count].withUnsafeBytes { bytes in
            try decoder.decode(bytes) { event in
                switch event {
                case .failure(let error): refusal = error.code
                case .content(let piece): size += piece.count
                case .hello, .opening, .end: break
                }
            }
        }
        try decoder.checkEnd()
        return (isDone, refusal, size)
    }

    private static let begin =
        KeyStreamFrame.hello(.none) + KeyStreamFrame.opening(contentByteCount: 3, companion: [1, 2])
        + KeyStreamFrame.head(.content, byteCount: 3) + [7, 8, 9]

    @Test func aWholeStreamIsPacked() throws {
        let packed = try Self.pack(Self.begin + KeyStreamFrame.end)
        #expect(packed.isDone && packed.refusal == nil && packed.bytes > 3)
    }

    /// Whoever sends may fail, too: half a file is no file.
    @Test func aStreamThatEndsInARefusalIsNotPacked() throws {
        let packed = try Self.pack(Self.begin + KeyStreamFrame.failure(KeyExportError(.entryTooLarge)))
        #expect(!packed.isDone && packed.refusal == .entryTooLarge && packed.bytes == 0)
    }

    @Test func aStreamThatIsCutShortIsNotPacked() throws {
        let packed = try Self.pack(Self.begin)
        #expect(!packed.isDone && packed.refusal == .damagedArchive && packed.bytes == 0)
    }
}
