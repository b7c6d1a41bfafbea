// SPDX-License-Identifier: Apache-2.0

import KeyExport
import KeyStream
import RandomValues
import Testing

@Suite struct KeyStreamDecoderTests {
    /// What came out, content joined.
    private struct Outcome: Equatable {
        var confinement: Confinement?
        var announced: UInt64?
        var companion: [UInt8] = []
        var content: [UInt8] = []
        var hasEnded = false
        var failure: KeyExportError?
    }

    private func decode(_ bytes: [UInt8], step: Int = .max) throws -> Outcome {
        var decoder = KeyStreamDecoder()
        var outcome = Outcome()
        var start = 0
        while start < bytes.count {
            let end = step < bytes.count - start ? start + step : bytes.count
            try bytes[start..<end].withUnsafeBytes { piece in
                try decoder.decode(piece) { event in
                    switch event {
                    case .hello(let level): outcome.confinement = level
                    case .opening(let announced, let companion):
                        outcome.announced = announced
                        outcome.companion = companion
                    case .content(let bytes): outcome.content += bytes
                    case .end: outcome.hasEnded = true
                    case .failure(let error): outcome.failure = error
                    }
                }
            }
            start = end
        }
        try decoder.checkEnd()
        return outcome
    }

    private func content(_ bytes: [UInt8]) -> [UInt8] { KeyStreamFrame.head(.content, byteCount: bytes.count) + bytes }

    private var whole: [UInt8] {
        KeyStreamFrame.hello(.systemCallFilter) + KeyStreamFrame.opening(contentByteCount: 5, companion: [7, 8])
            + content([1, 2]) + content([3, 4, 5]) + KeyStreamFrame.end
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 11, 100])
    func aStreamIsReadInPiecesOfAnySize(_ step: Int) throws {
        let outcome = try decode(whole, step: step)
        #expect(
            outcome
                == Outcome(
                    confinement: .systemCallFilter, announced: 5, companion: [7, 8], content: [1, 2, 3, 4, 5],
                    hasEnded: true))
        let refused =
            KeyStreamFrame.hello(.none) + KeyStreamFrame.failure(KeyExportError(.damagedArchive, at: 77, "zip status 3"))
        let failure = try #require(try decode(refused, step: step).failure)
        #expect(failure == KeyExportError(.damagedArchive) && failure.offset == 77 && failure.detail == "zip status 3")
    }

    @Test func everyCutIsNoticed() {
        for length in whole.indices {
            #expect(throws: KeyStreamError.self) { try decode(Array(whole[..<length])) }
        }
    }

    /// Each rule by its name.
    @Test func whatBreaksARuleIsRefused() {
        let hello = KeyStreamFrame.hello(.systemCallFilter)
        let opening = KeyStreamFrame.opening(contentByteCount: 5, companion: [])
        func refused(_ code: KeyStreamError.Code, _ bytes: [UInt8]) {
            do {
                _ = try decode(bytes)
                Issue.record("accepted what is \(code)")
            } catch let error as KeyStreamError {
                #expect(error.code == code)
            } catch {
                Issue.record("\(error)")
            }
        }
        refused(.wrongVersion, [1, 2, 0, 0, 0, 2, 1])
        refused(.wrongVersion, [1, 2, 0, 0, 0, 1, 9])
        refused(.unknownFrame, [0, 0, 0, 0, 0])
        refused(.unknownFrame, hello + [6, 0, 0, 0, 0])
        refused(.outOfOrder, opening)
        refused(.outOfOrder, KeyStreamFrame.failure(KeyExportError(.damagedArchive)))
        refused(.outOfOrder, hello + hello)
        refused(.outOfOrder, hello + content([1]))
        refused(.outOfOrder, hello + KeyStreamFrame.end)
        refused(.outOfOrder, hello + opening + opening)
        refused(.wrongLength, [1, 3, 0, 0, 0, 1, 1, 1])
        refused(.wrongLength, hello + [2, 7, 0, 0, 0])
        refused(.wrongLength, hello + [2, 0xff, 0xff, 0xff, 0xff])
        refused(.wrongLength, hello + opening + [3, 0, 0, 0, 0])
        refused(.wrongLength, hello + opening + [3, 1, 0, 1, 0])
        refused(.wrongLength, hello + opening + [4, 1, 0, 0, 0])
        refused(.wrongLength, hello + [5, 0xff, 0xff, 0, 0])
        refused(.moreThanAnnounced, hello + opening + content([1, 2, 3]) + content([4, 5, 6]))
        refused(.lessThanAnnounced, hello + opening + content([1, 2, 3]) + KeyStreamFrame.end)
        refused(.announcesTooMuch, hello + KeyStreamFrame.opening(contentByteCount: .max, companion: []))
        refused(.afterTheEnd, whole + [0])
        refused(.endedEarly, hello + opening)
        // What only a verifier can know, what nobody knows, and a length that points outside.
        refused(.malformedFailure, hello + KeyStreamFrame.failure(KeyExportError(.signatureMismatch)))
        refused(.malformedFailure, hello + [5, 11, 0, 0, 0, 1] + Array("x".utf8) + [0] + [UInt8](repeating: 0, count: 8))
        refused(.malformedFailure, hello + [5, 10, 0, 0, 0, 200] + [UInt8](repeating: 0, count: 9))
    }

    @Test func wordsOfTheOtherSideCannotWriteIntoALog() throws {
        let bytes =
            KeyStreamFrame.hello(.none) + KeyStreamFrame.failure(KeyExportError(.damagedArchive, "a\u{1b}[2J\nroot: é"))
        #expect(try decode(bytes).failure?.detail == "a?[2J?root: ??")
    }

    @Test func noiseNeverGetsThroughAsMoreThanWasAnnounced() {
        var generator = SeededGenerator(seed: 1)
        var refusals = 0
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do {
                let outcome = try decode(bytes, step: Int.random(in: 1...40, using: &generator))
                #expect(outcome.failure != nil || outcome.content.count == Int(outcome.announced ?? 0))
            } catch {
                refusals += 1
            }
        }
        #expect(refusals > 5_000)
    }
}
