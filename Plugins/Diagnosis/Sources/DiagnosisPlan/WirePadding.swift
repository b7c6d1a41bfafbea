// SPDX-License-Identifier: Apache-2.0

/// The padding that makes requests equally long (specification cwa-protocols 6; cwa-app-android `PaddingTool`,
/// `VerificationServer`).
public enum WirePadding {
    /// The length of the body of every verification request, in bytes: 250 (cwa-protocols 6).
    public static let verificationBodyBytes = 250
    /// The number of bytes that a phone adds for each key that is missing: 28 (cwa-app-android `PaddingTool`).
    public static let keyBytes = 28
    /// The number of keys that Android phones pad to: 15 (cwa-app-android `PaddingTool`).
    public static let androidKeys = 15
    /// The number of keys that iPhones pad to: 14 (cwa-protocols 6).
    public static let iosKeys = 14
    /// The longest path of a verification request.
    static let longestPath = VerificationPath.registrationToken.rawValue.utf8.count

    /// Returns `count` characters of padding, evenly drawn from letters and digits; empty if `count` is 0 or less.
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

    /// Returns the number of characters in the padding header of phones, which makes requests to different paths equally
    /// long: 0 for a registration, 7 for a result, 14 for a TAN. Cannot fail.
    public static func headerCharacters(_ path: VerificationPath) -> Int { longestPath - path.rawValue.utf8.count }

    /// Returns the number of bytes that a phone adds to a submission of `keys` keys to make up for the keys that are
    /// missing to `count`; 0 if none is missing. The result is only nearly constant, because not all keys have 28 bytes;
    /// ``SubmissionShape`` is exact, and is what Vigil sends. Cannot fail for the numbers of real submissions.
    public static func phoneKeyPadding(keys: Int, upTo count: Int = androidKeys) -> Int { max(0, count - keys) * keyBytes }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
}

/// The paths of the verification server's calls that clients make (specification cwa-protocols 4).
public enum VerificationPath: String, Sendable, Hashable, CaseIterable {
    /// The path that registers a test.
    case registrationToken = "/version/v1/registrationToken"
    /// The path that asks for a result.
    case testResult = "/version/v1/testresult"
    /// The path that asks for a TAN.
    case tan = "/version/v1/tan"
}
