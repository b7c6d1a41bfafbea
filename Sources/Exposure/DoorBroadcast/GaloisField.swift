// SPDX-License-Identifier: Apache-2.0

/// Arithmetic on bytes as elements of GF(256), modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11D) with the generator 2, as in the
/// Reed-Solomon codes of QR codes (ISO/IEC 18004). Addition is the exclusive or.
///
/// It uses tables and is not constant in time: what is computed here is broadcast anyway.
enum GaloisField {
    private static let modulus = 0x11D

    /// Powers of 2, twice over, so that a sum of two logarithms needs no reduction.
    private static let powers: [UInt8] = {
        var powers: [UInt8] = []
        var value = 1
        for _ in 0..<255 {
            powers.append(UInt8(value))
            value <<= 1
            if value > 0xFF { value ^= modulus }
        }
        return powers + powers
    }()

    /// The logarithm of each byte but 0, which has none.
    private static let logarithms: [Int] = {
        var logarithms = [Int](repeating: 0, count: 256)
        for exponent in 0..<255 { logarithms[Int(powers[exponent])] = exponent }
        return logarithms
    }()

    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        guard left != 0, right != 0 else { return 0 }
        return powers[logarithms[Int(left)] + logarithms[Int(right)]]
    }

    /// `right` must not be 0.
    static func quotient(_ left: UInt8, _ right: UInt8) -> UInt8 {
        precondition(right != 0)
        guard left != 0 else { return 0 }
        return powers[logarithms[Int(left)] + 255 - logarithms[Int(right)]]
    }
}
