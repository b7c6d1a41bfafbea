// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing

@testable import BLS12381

@Suite struct PointBytesTests {
    private func refusal1(_ bytes: [UInt8]) -> BLS12381Error.Code? {
        do throws(BLS12381Error) {
            #expect(try G1(bytes).bytes == bytes)
            return nil
        } catch { return error.code }
    }

    private func refusal2(_ bytes: [UInt8]) -> BLS12381Error.Code? {
        do throws(BLS12381Error) {
            #expect(try G2(bytes).bytes == bytes)
            return nil
        } catch { return error.code }
    }

    @Test func pointsComeBack() throws {
        var generator = SeededGenerator(seed: 4)
        var signs: Set<Bool> = []
        for _ in 0..<6 {
            let scalar = Scalar.random(using: &generator)
            let (one, two) = (G1.generator.multiplied(by: scalar), G2.generator.multiplied(by: scalar))
            for point in [one, -one] { #expect(try G1(point.bytes) == point) }
            for point in [two, -two] { #expect(try G2(point.bytes) == point) }
            #expect(one != -one && two != -two)
            // A slice of something longer is read as well.
            #expect(try G1(([1, 2] + one.bytes)[2...]) == one)
            #expect(try G2(([1, 2] + two.bytes)[2...]) == two)
            signs.insert(one.bytes[47] & 0x80 != 0)
        }
        #expect(signs.count == 2)
        #expect(G1.zero.bytes == [UInt8](repeating: 0, count: 48) && G2.zero.bytes == [UInt8](repeating: 0, count: 96))
        #expect(refusal1(G1.zero.bytes) == nil && refusal2(G2.zero.bytes) == nil)
    }

    @Test func otherLengthsAreRefused() {
        let (one, two) = (G1.generator.bytes, G2.generator.bytes)
        for count in 0..<48 { #expect(refusal1(Array(one.prefix(count))) == .wrongLength) }
        for count in 0..<96 { #expect(refusal2(Array(two.prefix(count))) == .wrongLength) }
        for more in [1, 48, 1_000] {
            let zeros = [UInt8](repeating: 0, count: more)
            #expect(refusal1(one + zeros) == .wrongLength && refusal2(two + zeros) == .wrongLength)
        }
        #expect(refusal1(two) == .wrongLength && refusal2(one) == .wrongLength)
    }

    /// A changed bit is another point's only where it is the sign.
    @Test func changedBitsAreRefused() {
        let (one, two) = (G1(hashing: [1]).bytes, G2.generator.bytes)
        for bit in stride(from: 0, to: 383, by: 5) {
            var changed = one
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(refusal1(changed) != nil, "\(bit)")
        }
        for bit in stride(from: 0, to: 767, by: 23) {
            var changed = two
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(refusal2(changed) != nil, "\(bit)")
        }
        // The bits above p that no coordinate has.
        for bit: UInt8 in [0x20, 0x40] {
            var (changed1, changed2) = (one, two)
            changed1[47] |= bit
            changed2[95] |= bit
            #expect(refusal1(changed1) == .notCanonical && refusal2(changed2) == .notCanonical)
        }
        var (real, imaginary) = (two, two)
        real[47] |= 0x80
        imaginary[95] ^= 0x80
        #expect(refusal2(real) == .notCanonical && refusal2(imaginary) == nil)
    }

    /// The same coordinate, and p more.
    @Test func onlyTheLeastFormIsRead() throws {
        var generator = SeededGenerator(seed: 5)
        var (count1, count2) = (0, 0)
        // A coordinate that has room for p more is below 2³⁸¹ − p.
        while count1 < 2 || count2 < 2 {
            let scalar = Scalar.random(using: &generator)
            let one = G1.generator.multiplied(by: scalar).bytes
            if let more = Self.addingP(one) {
                count1 += 1
                #expect(refusal1(more) == .notCanonical)
            }
            guard count2 < 2 else { continue }
            let two = G2.generator.multiplied(by: scalar).bytes
            if let more = Self.addingP(Array(two.prefix(48))) {
                count2 += 1
                #expect(refusal2(more + two.suffix(48)) == .notCanonical)
            }
            if let more = Self.addingP(Array(two.suffix(48))) {
                #expect(refusal2(two.prefix(48) + more) == .notCanonical)
            }
        }
        // Zero has no sign.
        var sign = [UInt8](repeating: 0, count: 48)
        sign[47] = 0x80
        #expect(refusal1(sign) == .notInGroup)
        #expect(refusal2([UInt8](repeating: 0, count: 48) + sign) != nil)
    }

    /// The bytes of a coordinate with p more, and the same sign; `nil` if that needs more than 381 bits.
    private static func addingP(_ bytes: [UInt8]) -> [UInt8]? {
        var carry = 0
        var result = zip(bytes.dropLast() + [bytes[47] & 0x7F], ReferenceNumber.bytes(ReferenceNumber.p)).map {
            left, right in
            let sum = Int(left) + Int(right) + carry
            carry = sum >> 8
            return UInt8(truncatingIfNeeded: sum)
        }
        guard result[47] < 0x20 else { return nil }
        result[47] |= bytes[47] & 0x80
        return result
    }

    @Test func pointsOutsideAreRefused() {
        var generator = SeededGenerator(seed: 6)
        var count = 0
        for _ in 0..<8 {
            let x = Fp.random(&generator)
            let isOnCurve = (x.squared * x + Fp.curveB).squareRoot.isSquare != 0
            #expect(refusal1(x.bytes) == (isOnCurve ? .notInGroup : .notOnCurve))
            let other = Fp2.random(&generator)
            let isOnOther = (other.squared * other + Fp2.curveB).squareRoot != nil
            #expect(refusal2(other.real.bytes + other.imaginary.bytes) == (isOnOther ? .notInGroup : .notOnCurve))
            count += (isOnCurve ? 1 : 0) + (isOnOther ? 1 : 0)
        }
        #expect((1..<16).contains(count))
        // Of order 3, the smallest that is not r.
        #expect(refusal1([UInt8](repeating: 0, count: 47) + [0x80]) == .notInGroup)
        for code in BLS12381Error.Code.allCases {
            let text = BLS12381Error(code, "3 bytes").description
            #expect(text.contains("3 bytes") && text.hasSuffix("[\(code.rawValue)]"))
        }
    }
}
