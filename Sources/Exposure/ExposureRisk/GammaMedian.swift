// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Medians of the gamma distribution of scale 1, in nanoseconds: NHS COVID-19's second model asks for one per second of a window.
///
/// The logarithm of the median plus ln 2 / shape is smooth, from -γ at shape 0 to the logarithm of the shape. Between 1/64 and 32 it is
/// interpolated at Chebyshev points of ``GammaQuantile``, four pieces per octave; outside of that two short series hold. The answer
/// depends on the shape only; it differs from ``GammaQuantile`` by less than 1e-12 of it.
package struct GammaMedian: Sendable {
    /// The shared instance; its table of about 600 numbers is computed on first use and never changes.
    package static let shared = Self()

    private static let degree = 10
    /// Centre, inverse of half the width, coefficients.
    private static let stride = 2 + degree + 1
    private static let lowest = 0x1p-6
    private static let highest = 0x1p5
    /// The exponent and two bits of the fraction name the piece.
    private static let pieceShift: UInt64 = 50

    private let table: [Double]

    private init() {
        var table: [Double] = []
        let first = Self.lowest.bitPattern >> Self.pieceShift
        let end = Self.highest.bitPattern >> Self.pieceShift
        for piece in first..<end {
            let from = Double(bitPattern: piece << Self.pieceShift)
            let to = Double(bitPattern: (piece + 1) << Self.pieceShift)
            let centre = 0.5 * (from + to)
            let half = 0.5 * (to - from)
            table += [centre, 1 / half]
            table += Self.polynomial { position in
                let shape = centre + half * position
                return GammaQuantile.logarithm(shape: shape, probability: 0.5) + M_LN2 / shape
            }
        }
        self.table = table
    }

    /// Returns the median of the gamma distribution of `shape` and scale 1: 0 for shape 0, infinity for an infinite
    /// shape, NaN for a negative shape and for NaN.
    package func value(shape: Double) -> Double {
        if shape >= Self.highest {
            // Choi 1994 (DLMF 8.13 gives its beginning); the next term is below 1e-12 of the whole.
            let inverse = 1 / shape
            return shape - 1.0 / 3 + inverse
                * (8.0 / 405 + inverse
                    * (184.0 / 25_515 + inverse * (2_248.0 / 3_444_525 - inverse * 19_006_408.0 / 15_345_358_875)))
        }
        if shape >= Self.lowest {
            let piece = shape.bitPattern >> Self.pieceShift - Self.lowest.bitPattern >> Self.pieceShift
            return table.withUnsafeBufferPointer { table in
                let base = Int(piece) * Self.stride
                let position = (shape - table[base]) * table[base + 1]
                // Even and odd powers apart: half the waiting for one multiplication after the other.
                let square = position * position
                var even = table[base + 12]
                var odd = table[base + 11]
                even = even * square + table[base + 10]
                odd = odd * square + table[base + 9]
                even = even * square + table[base + 8]
                odd = odd * square + table[base + 7]
                even = even * square + table[base + 6]
                odd = odd * square + table[base + 5]
                even = even * square + table[base + 4]
                odd = odd * square + table[base + 3]
                even = even * square + table[base + 2]
                return exp(even + odd * position - M_LN2 / shape)
            }
        }
        guard shape > 0 else { return shape == 0 ? 0 : .nan }
        // The density is x^(a - 1) as far as the median of such a shape; ln Γ(1 + a) / a by its series, -γ + ζ(2)/2 a - ζ(3)/3 a² …
        let gamma =
            -0.577_215_664_901_532_9 + shape
            * (0.822_467_033_424_113_2 + shape
                * (-0.400_685_634_386_531_4 + shape
                    * (0.270_580_808_427_784_5 + shape * (-0.207_385_551_028_674_0 + shape * 0.169_557_176_997_408_2))))
        return exp(gamma - M_LN2 / shape)
    }

    /// Coefficients, constant first, of the polynomial through `function` at the Chebyshev points of -1...1.
    private static func polynomial(_ function: (Double) -> Double) -> [Double] {
        let count = degree + 1
        let values = (0..<count).map { function(cos(.pi * (Double($0) + 0.5) / Double(count))) }
        var result = [Double](repeating: 0, count: count)
        var previous = [Double](repeating: 0, count: count)
        var current = previous
        current[0] = 1
        for order in 0..<count {
            let sum = (0..<count).reduce(0.0) {
                $0 + values[$1] * cos(.pi * Double(order) * (Double($1) + 0.5) / Double(count))
            }
            let coefficient = sum * (order == 0 ? 1 : 2) / Double(count)
            for power in 0..<count { result[power] += coefficient * current[power] }
            // The next Chebyshev polynomial: 2 t T - the one before, and t T after the first.
            var next = [Double](repeating: 0, count: count)
            for power in 0..<count {
                let shifted = power == 0 ? 0 : current[power - 1]
                next[power] = (order == 0 ? 1 : 2) * shifted - (order == 0 ? 0 : previous[power])
            }
            previous = current
            current = next
        }
        return result
    }
}
