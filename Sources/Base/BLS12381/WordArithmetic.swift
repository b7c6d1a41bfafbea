// SPDX-License-Identifier: Apache-2.0

// Words of 64 bits with a carry. All of it is additions, multiplications and shifts: no branch and no address depends on a value.

/// Returns the low word of `left + right + carry`, and leaves the high one in `carry`.
@inline(__always)
func add(_ left: UInt64, _ right: UInt64, _ carry: inout UInt64) -> UInt64 {
    let sum = UInt128(left) &+ UInt128(right) &+ UInt128(carry)
    carry = UInt64(truncatingIfNeeded: sum &>> 64)
    return UInt64(truncatingIfNeeded: sum)
}

/// Returns the low word of `left - right - borrow`; `borrow` is 0 or 1, before and after.
@inline(__always)
func subtract(_ left: UInt64, _ right: UInt64, _ borrow: inout UInt64) -> UInt64 {
    let difference = UInt128(left) &- UInt128(right) &- UInt128(borrow)
    borrow = UInt64(truncatingIfNeeded: difference &>> 64) & 1
    return UInt64(truncatingIfNeeded: difference)
}

/// Returns the low word of `sum + left · right + carry`, which never needs more than two words, and leaves the high one in `carry`.
@inline(__always)
func multiply(_ left: UInt64, _ right: UInt64, addedTo sum: UInt64, _ carry: inout UInt64) -> UInt64 {
    let result = UInt128(left) &* UInt128(right) &+ UInt128(sum) &+ UInt128(carry)
    carry = UInt64(truncatingIfNeeded: result &>> 64)
    return UInt64(truncatingIfNeeded: result)
}

/// Returns all ones if `word` is 0, and 0 otherwise. Not inlined, so that the compiler does not see that there are two cases only, and makes no branch
/// of what is chosen by it: it did.
@inline(never)
func isZeroMask(_ word: UInt64) -> UInt64 { ((word | (0 &- word)) &>> 63) &- 1 }
