// SPDX-License-Identifier: Apache-2.0

/// A systematic Reed-Solomon code for erasures: any k of up to 256 fragments give back the k pieces of a message.
///
/// The pieces are the values of a polynomial of a degree below k at 0, 1 … k - 1, for each byte of a piece on its own; the
/// fragment with index i is its value at i. So the first k fragments are the message, and any k points determine the
/// polynomial. It finds no wrong fragment: a check over the message has to.
enum ErasureCode {
    /// A fragment: the value of the polynomials at `index`.
    typealias Point = (index: UInt8, bytes: [UInt8])

    /// The fragment with this index. `pieces` are 1 to 256, all of the same length.
    static func fragment(_ index: UInt8, of pieces: [[UInt8]]) -> [UInt8] {
        if Int(index) < pieces.count { return pieces[Int(index)] }
        return Interpolation(pieces.enumerated().map { (UInt8($0.offset), $0.element) }).value(at: index)
    }

    /// The k pieces that k fragments with different indices stand for; all have the same length.
    static func pieces(from points: [Point]) -> [[UInt8]] {
        let known = Dictionary(points.map { ($0.index, $0.bytes) }) { first, _ in first }
        let interpolation = Interpolation(points)
        return points.indices.map { known[UInt8($0)] ?? interpolation.value(at: UInt8($0)) }
    }
}

/// The polynomials through some points, by Lagrange. In this field a difference is a sum.
private struct Interpolation {
    private let points: [ErasureCode.Point]
    /// Of each point, the product of its distances from all others. Made once: that is the part that takes k times k steps.
    private let distances: [UInt8]

    /// The indices must differ.
    init(_ points: [ErasureCode.Point]) {
        self.points = points
        distances = points.enumerated().map { number, point in
            points.enumerated().reduce(1) { product, other in
                other.offset == number ? product : GaloisField.product(product, point.index ^ other.element.index)
            }
        }
    }

    /// The values at an `index` that is none of the points'.
    func value(at index: UInt8) -> [UInt8] {
        let all = points.reduce(1) { GaloisField.product($0, index ^ $1.index) }
        var sum = [UInt8](repeating: 0, count: points.first?.bytes.count ?? 0)
        for (point, distance) in zip(points, distances) {
            let weight = GaloisField.quotient(all, GaloisField.product(index ^ point.index, distance))
            for position in sum.indices { sum[position] ^= GaloisField.product(weight, point.bytes[position]) }
        }
        return sum
    }
}
