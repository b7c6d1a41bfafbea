// SPDX-License-Identifier: Apache-2.0

import CMatchKernel

/// A C kernel that derives identifiers and looks them up in the filter. All kernels give the same results; tests and
/// benchmarks choose one.
public enum MatchKernel: UInt32, Sendable, CaseIterable {
    /// Plain C, for any processor.
    case portable = 0
    /// x86-64 with AES instructions.
    case x86AESNI = 1
    /// x86-64 with AES and SHA instructions.
    case x86AESNIAndSHANI = 2
    /// x86-64 with vector AES and SHA instructions.
    case x86VAESAndSHANI = 3
    /// 64-bit ARM with the cryptographic extension (AES and SHA-256).
    case armv8Crypto = 4

    var c: vmk_kernel { vmk_kernel(rawValue: rawValue) }

    /// Whether this processor has the instructions; ``portable`` is always available.
    public var isAvailable: Bool { vmk_is_available(c) != 0 }

    /// The name used on command lines and in reports, lower case, for example "x86-aesni".
    public var name: String { vmk_name(c).map { String(cString: $0) } ?? "unknown" }

    /// The fastest kernel that this processor can run; ``portable`` runs on all.
    public static var best: MatchKernel { MatchKernel(rawValue: vmk_best().rawValue) ?? .portable }

    /// The kernels that this processor can run, in order of their raw values; ``portable`` is always among them.
    public static var available: [MatchKernel] { allCases.filter(\.isAvailable) }

    /// Creates the kernel whose ``name`` is exactly `name`, whether or not it is available on this processor; returns
    /// `nil` when there is none.
    public init?(name: String) {
        guard let kernel = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kernel
    }
}

extension MatchKernel {
    /// Returns the identifiers of one published key for `intervals` (ENINs, any number of them): 16 bytes each, in
    /// order. For tests and small jobs. The key must have 16 bytes (precondition). If the kernel is not
    /// ``isAvailable``, plain C takes its place.
    public func identifiers(ofPublishedKey key: [UInt8], intervals: [UInt32]) -> [UInt8] {
        precondition(key.count == 16, "a TEK has 16 bytes")
        var identifierKey = [UInt8](repeating: 0, count: 16)
        vmk_derive_rpik(c, key, 1, &identifierKey)
        var result = [UInt8](repeating: 0, count: 16 * intervals.count)
        vmk_derive_rpis(c, identifierKey, intervals, intervals.count, &result)
        return result
    }
}
