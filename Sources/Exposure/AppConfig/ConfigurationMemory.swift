// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import Trust

/// What a receiver remembers of the newest configuration with a number that it believed, so that nobody can have it believe an older one. It has to be on the
/// disk before that configuration is used.
///
/// It belongs to the place that the configuration was fetched from and to the key that signed it: at another place, or once that key does not count any more, it
/// says nothing. So whoever follows another authority begins anew.
public struct ConfigurationMemory: Sendable, Hashable {
    /// The number of that configuration, the highest so far.
    public let number: ConfigurationNumber
    /// The place and the key, as SHA-256 in Base64: for each pair another text.
    private let mark: String

    /// Judges a configuration whose signature was verified, and returns what is to be remembered from then on; `nil` if there is nothing, because it has no number
    /// and none is remembered. If that differs from `memory`, it has to be written to disk before the configuration is used.
    /// - Parameters:
    ///   - number: The number of the configuration; `nil` if it has none.
    ///   - signer: The key that signed it.
    ///   - place: A text that is the same as long as the configuration comes from the same place by the operator's settings, such as its address.
    ///   - memory: What was remembered until now.
    ///   - trust: The keys that count now, of which those of role `config` sign configurations.
    ///   - now: The present time in Unix seconds; `nil` while it is unknown.
    /// - Throws: ``ConfigurationRefusal`` if it is not to be believed; then `memory` stays as it is.
    public static func judge(
        _ number: ConfigurationNumber?, signer: TrustedKey, place: String, after memory: Self?, trust: TrustStore,
        at now: Int64?
    ) throws(ConfigurationRefusal) -> Self? {
        let counting = memory.flatMap { $0.counts(at: place, trust, now) ? $0 : nil }
        try ConfigurationNumber.check(number, after: counting?.number, at: now)
        return number.map { Self(number: $0, mark: mark(place, signer)) }
    }

    /// Whether what is remembered says something of configurations from `place` that keys of `trust` sign at `now`, in Unix seconds (`nil` when unknown).
    public func counts(at place: String, _ trust: TrustStore, _ now: Int64?) -> Bool {
        trust.keys.contains { $0.role == .config && $0.isValid(at: now) && Self.mark(place, $0) == mark }
    }

    private init(number: ConfigurationNumber, mark: String) { (self.number, self.mark) = (number, mark) }

    private static func mark(_ place: String, _ key: TrustedKey) -> String {
        Base64.string(SHA256.digest(of: key.key.subjectPublicKeyInfo + Array(place.utf8)))
    }

    // MARK: On disk

    /// It as a text, for the disk: the number, a blank, and 44 characters. ``init(text:)`` reads it.
    public var text: String { "\(number.value) \(mark)" }

    /// Reads a text that ``text`` has produced; `nil` for any other.
    public init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]).flatMap(ConfigurationNumber.init), parts[1].utf8.count == 44,
            Base64.bytes(String(parts[1]))?.count == SHA256.byteCount
        else { return nil }
        self.init(number: number, mark: String(parts[1]))
    }
}
