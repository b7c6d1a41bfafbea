// SPDX-License-Identifier: Apache-2.0

public import Trust

/// The configuration that a board goes by, and the next one while it does not hold yet. A value: the caller stores
/// ``encoded`` after every change before it acts on it.
public struct RiskConfigurationSlot: Sendable, Hashable {
    /// What became of an offer.
    public enum Outcome: Hashable, Sendable {
        /// It is what is there already, perhaps signed anew.
        case unchanged
        /// It is in force.
        case inForce
        /// It will be in force from then on (Unix seconds). What was to come before is forgotten: the highest version counts.
        case inForceFrom(Int64)
    }

    public private(set) var current: SignedRiskConfiguration?
    /// Of a higher version than ``current``.
    public private(set) var coming: SignedRiskConfiguration?

    public init() {}

    /// The highest version that was taken; 0 before the first.
    public var version: Int64 { (coming ?? current)?.configuration.version ?? 0 }

    /// What holds at `time` (Unix seconds); `nil` before the first. Pure: ``advance(to:)`` is for tidying up.
    public func configuration(at time: Int64?) -> RiskConfiguration? {
        if let coming, coming.configuration.isValid(at: time) { return coming.configuration }
        return current?.configuration
    }

    /// Takes a published pair if it is signed, free of faults and newer. Otherwise nothing changes: an invalid one never takes the place
    /// of a valid one. Fails with `tooLarge`, `notSigned`, `invalid`, `older` or `contradiction`. `time` is in Unix seconds, `nil` when
    /// unknown.
    public mutating func offer(
        document: [UInt8], signatures: [UInt8], trust: TrustStore, time: Int64?
    ) -> Result<Outcome, RiskConfigurationError> {
        advance(to: time)
        let offered: SignedRiskConfiguration
        do throws(RiskConfigurationError) {
            offered = try SignedRiskConfiguration(document: document, signatures: signatures, trust: trust, time: time)
        } catch { return .failure(error) }
        let new = offered.configuration
        if let newest = coming ?? current {
            if newest.document == document { return .success(.unchanged) }
            let old = newest.configuration.version
            if new.version < old { return .failure(RiskConfigurationError(.older, "\(new.version), after \(old)")) }
            if new.version == old { return .failure(RiskConfigurationError(.contradiction, "\(old)")) }
        }
        if let start = new.validFrom, !new.isValid(at: time) {
            coming = offered
            return .success(.inForceFrom(start))
        }
        current = offered
        coming = nil
        return .success(.inForce)
    }

    /// Puts into force what holds by now. Returns whether that changed anything.
    @discardableResult
    public mutating func advance(to time: Int64?) -> Bool {
        guard let coming, coming.configuration.isValid(at: time) else { return false }
        current = coming
        self.coming = nil
        return true
    }

    // MARK: Storage

    private static let magic = Array("vigil-risk-slot1".utf8)

    /// For a file: the documents with their signatures, as they were published.
    public var encoded: [UInt8] {
        var bytes = Self.magic
        for part in [current?.document, current?.signatures, coming?.document, coming?.signatures] {
            let count = UInt32(part?.count ?? 0)
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            bytes += part ?? []
        }
        return bytes
    }

    /// Reads what was stored, and verifies all of it again. Throws `damaged`, or what ``SignedRiskConfiguration`` does.
    ///
    /// Keys that were withdrawn since are believed no more. Dates of validity are not looked at: they limit what may be taken, and a board
    /// must not lose its configuration overnight.
    public init(encoded bytes: [UInt8], trust: TrustStore) throws(RiskConfigurationError) {
        var rest = bytes[...]
        guard rest.starts(with: Self.magic) else { throw RiskConfigurationError(.damaged, "it does not begin as one") }
        rest = rest.dropFirst(Self.magic.count)
        func part() -> [UInt8]? {
            guard rest.count >= 4 else { return nil }
            let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(4)
            guard count <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return Array(rest.prefix(Int(count)))
        }
        guard let first = part(), let firstSignatures = part(), let second = part(), let secondSignatures = part(),
            rest.isEmpty
        else { throw RiskConfigurationError(.damaged, "it ends too early or too late") }
        if !first.isEmpty || !firstSignatures.isEmpty {
            current = try SignedRiskConfiguration(document: first, signatures: firstSignatures, trust: trust, time: nil)
        }
        if !second.isEmpty || !secondSignatures.isEmpty {
            coming = try SignedRiskConfiguration(document: second, signatures: secondSignatures, trust: trust, time: nil)
        }
        if let current, let coming, coming.configuration.version <= current.configuration.version {
            throw RiskConfigurationError(.damaged, "its versions do not rise")
        }
    }
}
