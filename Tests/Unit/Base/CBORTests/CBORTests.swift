// SPDX-License-Identifier: Apache-2.0

import CBOR
import RandomValues
import Testing

@Suite struct CBORTests {
    private func refusal(
        _ bytes: [UInt8], maximumByteCount: Int = CBOR.maximumByteCount, maximumDepth: Int = CBOR.maximumDepth
    ) -> CBORError? {
        do throws(CBORError) {
            _ = try CBOR(decoding: bytes, maximumByteCount: maximumByteCount, maximumDepth: maximumDepth)
            return nil
        } catch { return error }
    }

    @Test func valuesComeBack() throws {
        var random = SeededGenerator(seed: 9_201)
        for _ in 0..<300 {
            let value = CBOR.random(depth: 4, &random)
            let bytes = value.encoded
            let decoded = try CBOR(decoding: bytes)
            #expect(decoded == value)
            #expect(decoded.encoded == bytes)
        }
    }

    @Test func aTextWithEndlessMarksIsRefused() {
        for (count, expected) in [(30, nil), (31, CBORError(.invalidText, at: 0))] {
            let text = Array(String(repeating: "\u{301}", count: count).utf8)
            #expect(refusal([0x78, UInt8(text.count)] + text) == expected)
        }
    }

    /// What is accepted has one form: whatever is changed is refused, or is another value with that form.
    @Test func aChangedByteIsRefusedOrAnotherValue() throws {
        var random = SeededGenerator(seed: 9_202)
        for _ in 0..<60 {
            let value = CBOR.random(depth: 3, &random)
            let bytes = value.encoded
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= UInt8.random(in: 1...255, using: &random)
                guard let other = try? CBOR(decoding: changed) else { continue }
                #expect(other.encoded == changed)
                #expect(other != value)
            }
        }
    }

    @Test func aCutOrLongerValueIsRefused() {
        var random = SeededGenerator(seed: 9_203)
        for _ in 0..<60 {
            let bytes = CBOR.random(depth: 3, &random).encoded
            for count in bytes.indices { #expect(refusal(Array(bytes.prefix(count)))?.code == .truncated) }
            #expect(refusal(bytes + [0])?.code == .trailingBytes)
            #expect(refusal(bytes + [0])?.offset == bytes.count)
        }
    }

    @Test(
        arguments: [
            ([], .truncated, 0), ([0x18], .truncated, 0), ([0x19, 0x01], .truncated, 0), ([0x18, 23], .notShortest, 0),
            ([0x19, 0, 0xFF], .notShortest, 0), ([0x1A, 0, 0, 0xFF, 0xFF], .notShortest, 0),
            ([0x1B, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], .notShortest, 0), ([0x81, 0x58, 1, 0], .notShortest, 1),
            ([0x5F, 0x41, 0, 0xFF], .indefiniteLength, 0), ([0x7F, 0xFF], .indefiniteLength, 0),
            ([0x9F, 0xFF], .indefiniteLength, 0), ([0xBF, 0xFF], .indefiniteLength, 0), ([0x1F], .malformed, 0),
            ([0x3F], .malformed, 0), ([0xDF], .malformed, 0), ([0xFF], .malformed, 0), ([0x1C], .malformed, 0),
            ([0x5D], .malformed, 0), ([0xFE], .malformed, 0), ([0xF9, 0x7E, 0], .unsupportedValue, 0),
            ([0xFA, 0, 0, 0, 0], .unsupportedValue, 0), ([0xFB, 0, 0, 0, 0, 0, 0, 0, 0], .unsupportedValue, 0),
            ([0xF7], .unsupportedValue, 0), ([0xE0], .unsupportedValue, 0), ([0xF8, 0x20], .unsupportedValue, 0),
            ([0xF8, 0x14], .unsupportedValue, 0), ([0xA2, 1, 0, 1, 0], .duplicateKey, 3),
            ([0xA2, 2, 0, 1, 0], .unsortedKeys, 3),
            // 100 is shorter than -1 in no encoding: 18 64 comes before 20.
            ([0xA2, 0x20, 0, 0x18, 100, 0], .unsortedKeys, 3), ([0x61, 0xFF], .invalidText, 0),
            ([0x63, 0xED, 0xA0, 0x80], .invalidText, 0),
            ([0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated, 0),
            ([0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated, 0),
            ([0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated, 0), ([0xA1, 0], .truncated, 0),
        ] as [([UInt8], CBORError.Code, Int)])
    func refusals(bytes: [UInt8], code: CBORError.Code, offset: Int) {
        let error = refusal(bytes)
        #expect(error?.code == code)
        #expect(error?.offset == offset)
    }

    @Test func everyRuleHasASentence() {
        for code in CBORError.Code.allCases {
            #expect(CBORError(code, at: 7, "x").description.hasSuffix("(x) [\(code.rawValue)]"))
        }
    }

    @Test func limits() throws {
        func nested(_ first: [UInt8], _ levels: Int) -> [UInt8] { (0..<levels).flatMap { _ in first } + [0] }
        for first in [[0x81], [0xA1, 0], [0xC1]] as [[UInt8]] {
            #expect(refusal(nested(first, 64)) == nil)
            #expect(refusal(nested(first, 65))?.code == .tooDeep)
            #expect(refusal(nested(first, 2), maximumDepth: 2) == nil)
            #expect(refusal(nested(first, 3), maximumDepth: 2)?.code == .tooDeep)
            #expect(refusal(nested(first, 65), maximumDepth: 1_000)?.code == .tooDeep)
        }
        #expect(refusal([0x81, 0x00], maximumDepth: 0)?.code == .tooDeep)
        #expect(refusal([0x00], maximumDepth: 0) == nil)
        #expect(refusal([0x42, 0, 0], maximumByteCount: 2)?.code == .tooLarge)
        #expect(refusal([0x42, 0, 0], maximumByteCount: 3) == nil)
        let longest = CBOR.bytes([UInt8](repeating: 7, count: CBOR.maximumByteCount - 3))
        #expect(try CBOR(decoding: longest.encoded) == longest)
        #expect(refusal(CBOR.bytes([UInt8](repeating: 7, count: CBOR.maximumByteCount - 2)).encoded)?.code == .tooLarge)
    }

    @Test func wholeNumbers() throws {
        for (value, hex): (Int64, [UInt8]) in [
            (0, [0]), (23, [23]), (24, [0x18, 24]), (255, [0x18, 255]), (256, [0x19, 1, 0]), (65_535, [0x19, 255, 255]),
            (65_536, [0x1A, 0, 1, 0, 0]), (4_294_967_296, [0x1B, 0, 0, 0, 1, 0, 0, 0, 0]), (-1, [0x20]), (-24, [0x37]),
            (-25, [0x38, 24]), (-70_000, [0x3A, 0, 1, 0x11, 0x6F]),
            (.max, [0x1B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)),
            (.min, [0x3B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)),
        ] {
            #expect(CBOR(value).encoded == hex)
            #expect(try CBOR(decoding: hex).integer == value)
        }
        // Numbers of 64 bits without a sign exist, and are no Int64.
        for first: UInt8 in [0x1B, 0x3B] {
            let bytes = [first] + [UInt8](repeating: 0xFF, count: 8)
            #expect(try CBOR(decoding: bytes).integer == nil)
            #expect(try CBOR(decoding: bytes).encoded == bytes)
        }
    }

    @Test func mapsAreInOrderAndHaveEachKeyOnce() {
        var map = CBOR.Map()
        map[-1] = .text("minus")
        map[10] = .text("ten")
        map[.text("a")] = .null
        map[2] = .text("two")
        map[10] = .text("ten again")
        map[99] = .null
        map[99] = nil
        #expect(map.entries.map(\.key) == [CBOR(2), CBOR(10), CBOR(-1), .text("a")])
        #expect(map[10] == .text("ten again"))
        #expect(map[3] == nil)
        #expect(map[.text("a")] == .null)
    }

    /// Swift takes these two texts for one, because they look the same.
    @Test func textsAreToldApartByTheirBytes() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(composed == decomposed)
        #expect(CBOR.text(composed) != CBOR.text(decomposed))
        var map = CBOR.Map()
        map[.text(composed)] = CBOR(1)
        map[.text(decomposed)] = CBOR(2)
        let read = try CBOR(decoding: CBOR.map(map).encoded)
        #expect(read.map?.entries.count == 2)
        #expect(read.map?[.text(composed)] == CBOR(1))
        #expect(read.map?[.text(decomposed)] == CBOR(2))
    }

    @Test func aValueIsOfOneKind() {
        let values: [CBOR] = [
            CBOR(1), CBOR(-1), .bytes([1]), .text("1"), .array([CBOR(1)]), .map(.init()), .tagged(1, .null), .bool(true),
            .null,
        ]
        for value in values {
            let kinds: [Bool] = [
                value.integer != nil, value.bytes != nil, value.text != nil, value.array != nil, value.map != nil,
                value.bool != nil,
            ]
            #expect(kinds.filter(\.self).count <= 1)
            #expect(values.filter { $0 == value }.count == 1)
        }
    }
}

extension CBOR {
    fileprivate static func random(depth: Int, _ random: inout SeededGenerator) -> CBOR {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .unsigned(random.next() >> UInt64.random(in: 0..<64, using: &random))
        case 1: return .negative(random.next() >> UInt64.random(in: 0..<64, using: &random))
        case 2: return .bytes(random.bytes(Int.random(in: 0..<40, using: &random)))
        case 3:
            let alphabet = Array("aé\u{301}水🜁\"\0".unicodeScalars)
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                text.append(alphabet[Int.random(in: alphabet.indices, using: &random)])
            }
            return .text(String(text))
        case 4: return .bool(.random(using: &random))
        case 5: return .null
        case 6: return .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in .random(depth: depth - 1, &random) })
        case 7:
            return .tagged(random.next() >> UInt64.random(in: 0..<64, using: &random), .random(depth: depth - 1, &random))
        default:
            var map = Map()
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                map[CBOR.random(depth: depth - 1, &random)] = .random(depth: depth - 1, &random)
            }
            return .map(map)
        }
    }
}
