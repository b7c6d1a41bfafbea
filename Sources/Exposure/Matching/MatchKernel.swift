// SPDX-License-Identifier: Apache-2.0

import CMatchKernel

/// The C kernel that derives identifiers and probes the filter. All give the same results; a choice is for tests and
/// benchmarks.
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

    /// The kernel of this ``name``, spelled exactly, whether or not it is available here; `nil` when there is none.
    public init?(name: String) {
        guard let kernel = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kernel
    }
}

extension MatchKernel {
    /// The identifiers of one published key for `intervals` (ENIN, any number of them), 16 bytes each, one after the other. For tests and small
    /// jobs. A precondition asks for a key of 16 bytes; plain C stands in for a kernel that is not ``isAvailable``.
    public func identifiers(ofPublishedKey key: [UInt8], intervals: [UInt32]) -> [UInt8] {
        precondition(key.count == 16, "a TEK has 16 bytes")
        var identifierKey = [UInt8](repeating: 0, count: 16)
        vmk_derive_rpik(c, key, 1, &identifierKey)
        var result = [UInt8](repeating: 0, count: 16 * intervals.count)
        vmk_derive_rpis(c, identifierKey, intervals, intervals.count, &result)
        return result
    }
}
