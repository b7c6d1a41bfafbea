// SPDX-License-Identifier: Apache-2.0

/// The paddings that make requests equally long (specification cwa-protocols 6; cwa-app-android `PaddingTool`,
/// `VerificationServer`).
public enum WirePadding {
    /// The length of every verification request's body, in bytes (cwa-protocols 6).
    public static let verificationBodyBytes = 250
    /// The number of bytes that a phone counts for a key that is not there (cwa-app-android `PaddingTool`).
    public static let keyBytes = 28
    /// The number of keys that Android fills up to (cwa-app-android `PaddingTool`).
    public static let androidKeys = 15
    /// The number of keys that iOS fills up to (cwa-protocols 6).
    public static let iosKeys = 14
    /// The longest path of a verification request.
    static let longestPath = VerificationPath.registrationToken.rawValue.utf8.count

    /// `count` characters of padding, evenly drawn from letters and digits; empty for 0 and below.
    public static func text(_ count: Int, using random: inout some RandomNumberGenerator) -> String {
        String(decoding: bytes(count, using: &random), as: UTF8.self)
    }

    static func bytes(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
        characters(count, of: alphabet, using: &random)
    }

    /// Characters, evenly drawn from an alphabet of at most 64. Ten of each number that is drawn: the kernel is asked for kilobytes of padding
    /// in some hundred calls and not in some thousand.
    static func characters(_ count: Int, of alphabet: [UInt8], using random: inout some RandomNumberGenerator) -> [UInt8] {
        var characters: [UInt8] = []
        characters.reserveCapacity(max(0, count))
        while characters.count < count {
            var bits: UInt64 = random.next()
            var left = min(10, count - characters.count)
            while left > 0 {
                let place = Int(bits & 63)
                // What is past the end is drawn again: so every character is as likely as every other.
                if place < alphabet.count { characters.append(alphabet[place]) }
                bits >>= 6
                left -= 1
            }
        }
        return characters
    }

    /// The number of characters that the padding header of phones has, so that requests of different paths are equally
    /// long: 0 for a registration, 7 for a result, 14 for a TAN. Cannot fail.
    public static func headerCharacters(_ path: VerificationPath) -> Int { longestPath - path.rawValue.utf8.count }

    /// The number of bytes that a phone adds to a submission of so many keys, which it fills up to `count`; 0 for `count`
    /// keys or more. Only nearly constant, because keys are not all 28 bytes long: ``SubmissionShape`` is exact, and is
    /// what we send. Cannot fail for numbers of real submissions.
    public static func phoneKeyPadding(keys: Int, upTo count: Int = androidKeys) -> Int { max(0, count - keys) * keyBytes }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
}

/// Paths of the verification server's calls for clients (specification cwa-protocols 4).
public enum VerificationPath: String, Sendable, Hashable, CaseIterable {
    /// The path that registers a test.
    case registrationToken = "/version/v1/registrationToken"
    /// The path that asks for a result.
    case testResult = "/version/v1/testresult"
    /// The path that asks for a TAN.
    case tan = "/version/v1/tan"
}
