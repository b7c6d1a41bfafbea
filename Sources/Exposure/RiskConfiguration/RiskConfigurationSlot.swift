// SPDX-License-Identifier: Apache-2.0

import AppConfig
public import Trust

/// The rules of one authority that a board uses, and the next ones until they become valid. It is a value: after
/// every change the caller stores ``encoded`` before it uses the rules.
public struct RiskConfigurationSlot: Sendable, Hashable {
    /// The effect of an offer that was not refused.
    public enum Outcome: Hashable, Sendable {
        /// The document is the one already there, possibly signed again with the same or an earlier date; nothing has
        /// changed.
        case unchanged
        /// The document is the one already there, signed again with a later date, or has the same rules and a higher number. Nothing needs to be judged
        /// again, but the slot has changed and must be stored; otherwise a document between the two could be replayed later.
        case renewed
        /// The offered rules are in force.
        case inForce
        /// The offered rules will be in force from this time on (Unix seconds). Rules that were to come before are
        /// dropped, because the highest version counts.
        case inForceFrom(Int64)
    }

    /// The rules in force, or those that are until ``coming`` is valid; `nil` before the first rules are in force.
    public private(set) var current: SignedRiskConfiguration?
    /// The rules that will be valid later, newer than ``current``; `nil` when there are none.
    public private(set) var coming: SignedRiskConfiguration?

    /// Creates a slot without rules; nothing is judged until some are offered.
    public init() {}

    /// Creates a slot with rules that come with the authority's profile (``RuleForm/profile``). The caller has
    /// verified the operator's signature of the profile. Throws `tooLarge`, `malformed`, `emptyMapping`, or
    /// `outOfRange` and `invalid` with all problems.
    public init(profileDocument document: [UInt8]) throws(RiskConfigurationError) {
        current = try SignedRiskConfiguration(profileDocument: document)
    }

    /// The version of the newest rules that were accepted, including ``coming``; 0 before the first. For documents
    /// without a version it is the number of documents accepted.
    public var version: Int64 { (coming ?? current)?.configuration.version ?? 0 }

    /// Returns the configuration that is valid at `time` (Unix seconds; `nil` when unknown); `nil` before the first
    /// is valid. Does not change the slot, as ``advance(to:)`` does.
    public func configuration(at time: Int64?) -> RiskConfiguration? { holding(at: time)?.configuration }

    /// Whether the rules valid at `time` (Unix seconds; `nil` when unknown) state that nothing is to be judged;
    /// `false` before the first are valid.
    public func isSwitchedOff(at time: Int64?) -> Bool { holding(at: time)?.isSwitchedOff ?? false }

    private func holding(at time: Int64?) -> SignedRiskConfiguration? {
        if let coming, coming.configuration.isValid(at: time) { return coming }
        return current
    }

    /// Offers Vigil's own document, signed by a key of `trust`, at `time` in Unix seconds, `nil` when unknown;
    /// otherwise the same as ``offer(document:signatures:authority:time:)``.
    public mutating func offer(
        document: [UInt8], signatures: [UInt8], trust: TrustStore, time: Int64?
    ) -> Result<Outcome, RiskConfigurationError> {
        offer(
            document: document, signatures: signatures, authority: RuleAuthority(form: .vigil, trust: trust), time: time)
    }

    /// Calls ``advance(to:)``, then accepts the offered document if it is signed as the authority's form requires,
    /// has no problems and is newer. Otherwise nothing else changes: an invalid document never replaces a valid
    /// one. `signatures` is the proof of origin that the form requires (``RuleForm``), at most
    /// ``RuleAuthority/maximumProofByteCount`` bytes; `time` is the time that is certainly past, in Unix seconds, `nil` when unknown. `present` is the
    /// present time as it is believed to be, likewise: a `ConfigurationNumber` is compared with it, and none is believed without it.
    ///
    /// Returns the outcome, or as failure an error of ``SignedRiskConfiguration``, `older` when the document is
    /// older than the newest one accepted, `contradiction` when it has the same version or date but another
    /// content, or `ofTheFuture`. Of the Corona-Warn-App's documents with the same number and latest app the one that was offered last counts.
    public mutating func offer(
        document: [UInt8], signatures: [UInt8], authority: RuleAuthority, time: Int64?, present: Int64? = nil
    ) -> Result<Outcome, RiskConfigurationError> {
        advance(to: time)
        let offered: SignedRiskConfiguration
        do throws(RiskConfigurationError) {
            offered = try SignedRiskConfiguration(
                document: document, signatures: signatures, authority: authority, time: time,
                number: min(version + 1, RiskConfiguration.versions.upperBound))
        } catch { return .failure(error) }
        let newest = coming ?? current
        if let newest, newest.document == document {
            guard newest.order.isBefore(offered.order) else { return .success(.unchanged) }
            return renew(newest, with: offered)
        }
        if let error = Self.refusal(offered.order.number, after: newest?.order.number, at: present) {
            return .failure(error)
        }
        if let newest {
            if offered.order.isBefore(newest.order) {
                return .failure(RiskConfigurationError(.older, "\(offered.order.text), after \(newest.order.text)"))
            }
            // A number that rises alone changes no rule.
            if offered.order.number != nil, newest.hasSameRules(as: offered) { return renew(newest, with: offered) }
            // Of the Corona-Warn-App's, many have the same latest app.
            if offered.order == newest.order, authority.form != .cwa, authority.form != .cwaIOS {
                return .failure(RiskConfigurationError(.contradiction, newest.order.text))
            }
        }
        if let start = offered.configuration.validFrom, !offered.configuration.isValid(at: time) {
            coming = offered
            return .success(.inForceFrom(start))
        }
        current = offered
        coming = nil
        return .success(.inForce)
    }

    private mutating func renew(
        _ newest: SignedRiskConfiguration, with offered: SignedRiskConfiguration
    ) -> Result<Outcome, RiskConfigurationError> {
        var renewed = offered
        renewed.configuration.version = newest.configuration.version
        if coming == nil { current = renewed } else { coming = renewed }
        return .success(.renewed)
    }

    /// Why a document with this number may not follow one with the other; `nil` if it may.
    private static func refusal(
        _ offered: ConfigurationNumber?, after newest: ConfigurationNumber?, at present: Int64?
    ) -> RiskConfigurationError? {
        do throws(ConfigurationRefusal) {
            try ConfigurationNumber.check(offered, after: newest, at: present)
            return nil
        } catch {
            switch error {
            case .older(let number, let newest):
                return RiskConfigurationError(.older, "number \(number.value), after \(newest.value)")
            case .withoutNumber(let newest):
                return RiskConfigurationError(.older, "without a number, after number \(newest.value)")
            case .ahead, .malformedNumber, .timeUnknown: return RiskConfigurationError(.ofTheFuture, "\(error)")
            }
        }
    }

    /// Puts ``coming`` into force if it is valid at `time` (Unix seconds; `nil` when unknown). Returns whether it
    /// did.
    @discardableResult
    public mutating func advance(to time: Int64?) -> Bool {
        guard let coming, coming.configuration.isValid(at: time) else { return false }
        current = coming
        self.coming = nil
        return true
    }

    // MARK: Storage

    private static let magic = Array("vigil-risk-slot1".utf8)
    /// Of forms whose documents have no version: the number of the document follows.
    private static let numberedMagic = Array("vigil-risk-slot2".utf8)

    /// The slot as bytes for a file, in a format of its own: the documents with their signatures as published, up to
    /// about 140 KB.
    public var encoded: [UInt8] {
        var isNumbered = false
        if let newest = coming ?? current, case .signed = newest.order { isNumbered = true }
        if let newest = coming ?? current, case .app = newest.order { isNumbered = true }
        var bytes = isNumbered ? Self.numberedMagic + Self.little(UInt32(clamping: version)) : Self.magic
        for part in [current?.document, current?.signatures, coming?.document, coming?.signatures] {
            bytes += Self.little(UInt32(part?.count ?? 0)) + (part ?? [])
        }
        return bytes
    }

    private static func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    /// Reads a stored slot with Vigil's own documents; otherwise the same as ``init(encoded:authority:)``.
    public init(encoded bytes: [UInt8], trust: TrustStore) throws(RiskConfigurationError) {
        try self.init(encoded: bytes, authority: RuleAuthority(form: .vigil, trust: trust))
    }

    /// Reads a stored slot and verifies all of it again. Throws `damaged` when it cannot be read, or the errors of
    /// ``SignedRiskConfiguration``, such as `notSigned` when keys were withdrawn since, and `otherRegion` when the
    /// country has changed.
    ///
    /// Periods of validity, of keys and of proofs, are not checked: they limit what may be accepted, and a board must
    /// not lose its configuration when one ends.
    public init(encoded bytes: [UInt8], authority: RuleAuthority) throws(RiskConfigurationError) {
        var rest = bytes[...]
        let isNumbered = rest.starts(with: Self.numberedMagic)
        guard isNumbered || rest.starts(with: Self.magic) else {
            throw RiskConfigurationError(.damaged, "it does not begin as one")
        }
        rest = rest.dropFirst(Self.magic.count)
        func number() -> UInt64? {
            guard rest.count >= 4 else { return nil }
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        func part() -> [UInt8]? {
            guard let count = number(), count <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return Array(rest.prefix(Int(count)))
        }
        var version: Int64 = 1
        if isNumbered {
            guard let stored = number().map(Int64.init), RiskConfiguration.versions.contains(stored) else {
                throw RiskConfigurationError(.damaged, "its number is none")
            }
            version = stored
        }
        guard let first = part(), let firstSignatures = part(), let second = part(), let secondSignatures = part(),
            rest.isEmpty
        else { throw RiskConfigurationError(.damaged, "it ends too early or too late") }
        func read(_ document: [UInt8], _ signatures: [UInt8]) throws(RiskConfigurationError) -> SignedRiskConfiguration? {
            guard !document.isEmpty || !signatures.isEmpty else { return nil }
            return try SignedRiskConfiguration(
                document: document, signatures: signatures, authority: authority, time: nil, number: version)
        }
        current = try read(first, firstSignatures)
        coming = try read(second, secondSignatures)
        if let current, let coming, !current.order.isBefore(coming.order) {
            throw RiskConfigurationError(.damaged, "its versions do not rise")
        }
    }
}
