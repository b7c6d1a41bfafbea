// SPDX-License-Identifier: Apache-2.0

/// An element of the field that the curve's coordinates are in: a number modulo p, which has 381 bits.
///
/// Kept in Montgomery's form, as `value · 2³⁸⁴ mod p`, in six words, lowest first (Montgomery, "Modular multiplication without
/// trial division", 1985). No function has a branch or an address that depends on a value, except where it says so.
struct Fp: Sendable {
    private var w0: UInt64
    private var w1: UInt64
    private var w2: UInt64
    private var w3: UInt64
    private var w4: UInt64
    private var w5: UInt64

    /// The length of a coordinate in bytes.
    static let byteCount = 48

    @inline(__always)
    private init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64, _ w4: UInt64, _ w5: UInt64) {
        (self.w0, self.w1, self.w2, self.w3, self.w4, self.w5) = (w0, w1, w2, w3, w4, w5)
    }

    // MARK: Constants

    /// p = (z − 1)²(z⁴ − z² + 1)/3 + z, with z = −0xd201000000010000 (Bowe, "BLS12-381", 2017).
    @inline(__always) private static var p: Fp {
        Fp(
            0xB9FE_FFFF_FFFF_AAAB, 0x1EAB_FFFE_B153_FFFF, 0x6730_D2A0_F6B0_F624, 0x6477_4B84_F385_12BF,
            0x4B1B_A7B6_434B_ACD7, 0x1A01_11EA_397F_E69A)
    }
    /// −1/p mod 2⁶⁴.
    @inline(__always) private static var negativeInverse: UInt64 { 0x89F3_FFFC_FFFC_FFFD }

    static let zero = Fp(0, 0, 0, 0, 0, 0)
    static let one: Fp = 1
    private static let half: Fp = (Fp.one + .one).inverse
    /// 2⁷⁶⁸ mod p, which brings a number into Montgomery's form.
    private static let square = Fp(
        0xF4DF_1F34_1C34_1746, 0x0A76_E6A6_09D1_04F1, 0x8DE5_476C_4C95_B6D5, 0x67EB_88A9_939D_83C0,
        0x9A79_3E85_B519_952D, 0x1198_8FE5_92CA_E3AA)
    private static let plainOne = Fp(1, 0, 0, 0, 0, 0)

    // MARK: Sums

    @inline(__always)
    static func + (left: Fp, right: Fp) -> Fp { left.unreducedSum(right).reduced }

    /// The sum without a reduction, below 2p. It may be a factor of one product, and nothing else: 2p · 2p is below p · 2³⁸⁴.
    @inline(__always)
    func unreducedSum(_ other: Fp) -> Fp {
        var carry: UInt64 = 0
        return Fp(
            add(w0, other.w0, &carry), add(w1, other.w1, &carry), add(w2, other.w2, &carry), add(w3, other.w3, &carry),
            add(w4, other.w4, &carry), add(w5, other.w5, &carry))
    }

    @inline(__always)
    static func - (left: Fp, right: Fp) -> Fp {
        let (difference, isNegative) = left.minus(right)
        let p = Fp.p
        return difference.unreducedSum(
            Fp(
                p.w0 & isNegative, p.w1 & isNegative, p.w2 & isNegative, p.w3 & isNegative, p.w4 & isNegative,
                p.w5 & isNegative))
    }

    @inline(__always)
    static prefix func - (value: Fp) -> Fp { .zero - value }

    @inline(__always)
    var doubled: Fp { self + self }

    var halved: Fp { self * Fp.half }

    /// The difference modulo 2³⁸⁴, and all ones if it is negative.
    @inline(__always)
    private func minus(_ other: Fp) -> (Fp, UInt64) {
        var borrow: UInt64 = 0
        let difference = Fp(
            subtract(w0, other.w0, &borrow), subtract(w1, other.w1, &borrow), subtract(w2, other.w2, &borrow),
            subtract(w3, other.w3, &borrow), subtract(w4, other.w4, &borrow), subtract(w5, other.w5, &borrow))
        return (difference, 0 &- borrow)
    }

    /// Of a number below 2p, the same below p.
    @inline(__always)
    private var reduced: Fp {
        let (difference, isBelow) = minus(Fp.p)
        return Fp.select(isBelow, self, difference)
    }

    // MARK: Products

    /// The sum of `partial` and `factor · word`, made divisible by 2⁶⁴ by a multiple of p, and divided by it. p leaves the highest bits of its
    /// highest word free, so that no seventh word is needed.
    @inline(__always)
    private static func step(_ partial: inout Fp, _ factor: Fp, _ word: UInt64) {
        let p = Fp.p
        var high: UInt64 = 0
        var low = multiply(factor.w0, word, addedTo: partial.w0, &high)
        let multiple = low &* negativeInverse
        var carry: UInt64 = 0
        _ = multiply(multiple, p.w0, addedTo: low, &carry)
        low = multiply(factor.w1, word, addedTo: partial.w1, &high)
        partial.w0 = multiply(multiple, p.w1, addedTo: low, &carry)
        low = multiply(factor.w2, word, addedTo: partial.w2, &high)
        partial.w1 = multiply(multiple, p.w2, addedTo: low, &carry)
        low = multiply(factor.w3, word, addedTo: partial.w3, &high)
        partial.w2 = multiply(multiple, p.w3, addedTo: low, &carry)
        low = multiply(factor.w4, word, addedTo: partial.w4, &high)
        partial.w3 = multiply(multiple, p.w4, addedTo: low, &carry)
        low = multiply(factor.w5, word, addedTo: partial.w5, &high)
        partial.w4 = multiply(multiple, p.w5, addedTo: low, &carry)
        partial.w5 = high &+ carry
    }

    /// Inlined nowhere: some hundred copies of it would cost more than the calls.
    @inline(never)
    static func * (left: Fp, right: Fp) -> Fp {
        var product = Fp(0, 0, 0, 0, 0, 0)
        step(&product, left, right.w0)
        step(&product, left, right.w1)
        step(&product, left, right.w2)
        step(&product, left, right.w3)
        step(&product, left, right.w4)
        step(&product, left, right.w5)
        return product.reduced
    }

    @inline(__always)
    var squared: Fp { self * self }

    // MARK: Powers

    /// Raises to an exponent that is not secret, by windows of four bits.
    private func power(_ exponent: [UInt64]) -> Fp {
        var powers = [Fp.one]
        for index in 1..<16 { powers.append(powers[index - 1] * self) }
        var result = Fp.one
        for word in exponent.reversed() {
            for shift in stride(from: 60, through: 0, by: -4) {
                result = result.squared.squared.squared.squared * powers[Int(word >> UInt64(shift) & 15)]
            }
        }
        return result
    }

    private static let pMinus2 = [p.w0 - 2, p.w1, p.w2, p.w3, p.w4, p.w5]
    /// p is 3 mod 4, so this is a quarter of p, rounded up.
    private static let quarter: [UInt64] = [
        (p.w0 >> 2 | p.w1 << 62) + 1, p.w1 >> 2 | p.w2 << 62, p.w2 >> 2 | p.w3 << 62, p.w3 >> 2 | p.w4 << 62,
        p.w4 >> 2 | p.w5 << 62, p.w5 >> 2,
    ]

    /// 1 divided by this; 0 for 0. By Fermat's little theorem, so that it takes the same time for each value.
    var inverse: Fp { power(Fp.pMinus2) }

    /// The square root that is a square itself, and all ones; if there is none, another number, and 0. Of 0 it is 0.
    var squareRoot: (root: Fp, isSquare: UInt64) {
        let root = power(Fp.quarter)
        return (root, root.squared.equals(self))
    }

    // MARK: Comparisons

    /// All ones for 0, and 0 otherwise.
    @inline(__always)
    var isZero: UInt64 { isZeroMask(w0 | w1 | w2 | w3 | w4 | w5) }

    /// All ones if both are the same, and 0 otherwise.
    @inline(__always)
    func equals(_ other: Fp) -> UInt64 {
        isZeroMask(
            (w0 ^ other.w0) | (w1 ^ other.w1) | (w2 ^ other.w2) | (w3 ^ other.w3) | (w4 ^ other.w4) | (w5 ^ other.w5))
    }

    /// All ones if the number is odd as an integer below p, and 0 otherwise.
    var isOdd: UInt64 { 0 &- ((self * Fp.plainOne).w0 & 1) }

    /// `left` if `mask` is all ones, `right` if it is 0.
    @inline(__always)
    static func select(_ mask: UInt64, _ left: Fp, _ right: Fp) -> Fp {
        func word(_ left: UInt64, _ right: UInt64) -> UInt64 { right ^ (mask & (left ^ right)) }
        return Fp(
            word(left.w0, right.w0), word(left.w1, right.w1), word(left.w2, right.w2), word(left.w3, right.w3),
            word(left.w4, right.w4), word(left.w5, right.w5))
    }

    // MARK: Bytes

    /// Reads 48 bytes, lowest first. Returns `nil` for p and above. Whether that is so is no secret, the number may be.
    init?(_ bytes: some RandomAccessCollection<UInt8>) {
        let plain = Fp(words: bytes)
        guard plain.minus(Fp.p).1 != 0 else { return nil }
        self = plain * Fp.square
    }

    /// Reads 48 bytes, lowest first, as mcl makes numbers of digests: their lowest 381 bits, or 380 if those give p or more.
    init(masking bytes: some RandomAccessCollection<UInt8>) {
        var plain = Fp(words: bytes)
        plain.w5 &= 1 << 61 - 1
        let isBelow = plain.minus(Fp.p).1
        plain.w5 &= isBelow | (1 << 60 - 1)
        self = plain * Fp.square
    }

    private init(words bytes: some RandomAccessCollection<UInt8>) {
        precondition(bytes.count == Fp.byteCount, "a coordinate has 48 bytes")
        func word(_ index: Int) -> UInt64 {
            bytes.dropFirst(8 * index).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(word(0), word(1), word(2), word(3), word(4), word(5))
    }

    /// Writes the number as 48 bytes, lowest first, at `offset`.
    func write(to buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        let plain = self * Fp.plainOne
        for (index, word) in [plain.w0, plain.w1, plain.w2, plain.w3, plain.w4, plain.w5].enumerated() {
            buffer.storeBytes(of: word.littleEndian, toByteOffset: offset + 8 * index, as: UInt64.self)
        }
    }
}

extension Fp: ExpressibleByIntegerLiteral {
    /// A constant from 0 to p − 1, which is not checked.
    init(integerLiteral value: StaticBigInt) {
        func word(_ index: Int) -> UInt64 {
            let parts = 64 / UInt.bitWidth
            return (0..<parts).reduce(0) { $0 | UInt64(value[index * parts + $1]) << UInt64($1 * UInt.bitWidth) }
        }
        self = Fp(word(0), word(1), word(2), word(3), word(4), word(5)) * Fp.square
    }
}
