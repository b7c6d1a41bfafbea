// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The functions of the C library that rules and estimates of distance need.
enum Exponential {
    /// e to the power of `value`; infinite where that is too large.
    static func of(_ value: Double) -> Double { exp(value) }
    /// 2 to the power of `value`.
    static func ofTwo(_ value: Double) -> Double { exp2(value) }
    /// 10 to the power of `value`.
    static func ofTen(_ value: Double) -> Double { pow(10, value) }
    /// The decimal logarithm of `value`, which must be above 0.
    static func decimalLogarithm(_ value: Double) -> Double { log10(value) }
}
