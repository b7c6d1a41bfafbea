// SPDX-License-Identifier: Apache-2.0

public import Trust

/// The rules of one authority that a board goes by, and the next ones while they do not hold yet. A value: the caller stores ``encoded``
/// after every change before it acts on it.
public struct RiskConfigurationSlot: Sendable, Hashable {
    /// The consequence of an offer that was not refused.
    public enum Outcome: Hashable, Sendable {
        /// It is what is there already, perhaps signed anew at the same or an earlier date.
        case unchanged
        /// It is what is there already, signed at a later date: nothing is to be judged anew, but the slot has changed and is to be stored, or
        /// something between the two could be played back later.
        case renewed
        /// It is in force.
        case inForce
        /// It will be in force from then on (Unix seconds). What was to come before is forgotten: the highest version counts.
        case inForceFrom(Int64)
    }

    /// The rules that are in force, or were until ``coming`` holds; `nil` before the first are in force.
    public private(set) var current: SignedRiskConfiguration?
    /// Rules that will hold later, newer than ``current``; `nil` when there are none.
    public private(set) var coming: SignedRiskConfiguration?

    /// A slot without rules: nothing is judged until some are offered.
    public init() {}

    /// A slot with the rules of an authority whose rules come with its profile (``RuleForm/profile``). The caller has
    /// verified the operator's signature around it. Throws `tooLarge`, `malformed`, `outOfRange`, `invalid` or
    /// `emptyMapping`.
    public init(profileDocument document: [UInt8]) throws(RiskConfigurationError) {
        current = try SignedRiskConfiguration(profileDocument: document)
    }

    /// The version of the newest rules that were taken, also of ``coming``; 0 before the first. For documents without a version it is the number of
    /// those taken.
    public var version: Int64 { (coming ?? current)?.configuration.version ?? 0 }

    /// The configuration that holds at `time` (Unix seconds; `nil` when unknown); `nil` before the first holds. Pure: ``advance(to:)`` is for
    /// tidying up.
    public func configuration(at time: Int64?) -> RiskConfiguration? { holding(at: time)?.configuration }

    /// Whether what holds at `time` (Unix seconds; `nil` when unknown) says itself that nothing is to be judged; false before the first holds.
    public func isSwitchedOff(at time: Int64?) -> Bool { holding(at: time)?.isSwitchedOff ?? false }

    private func holding(at time: Int64?) -> SignedRiskConfiguration? {
        if let coming, coming.configuration.isValid(at: time) { return coming }
        return current
    }

    /// Takes Vigil's own document, at `time` in Unix seconds, `nil` when unknown; otherwise as
    /// ``offer(document:signatures:authority:time:)``, also in what it refuses.
    public mutating func offer(
        document: [UInt8], signatures: [UInt8], trust: TrustStore, time: Int64?
    ) -> Result<Outcome, RiskConfigurationError> {
        offer(
            document: document, signatures: signatures, authority: RuleAuthority(form: .vigil, trust: trust), time: time)
    }

    /// Puts into force what holds at `time` (``advance(to:)``), then takes what an authority published if it is signed as its form wants it, free
    /// of faults and newer. Otherwise nothing else changes: an invalid one never takes the place of a valid one. Fails with what
    /// ``SignedRiskConfiguration`` throws, with `older` or `contradiction`. `time` is in Unix seconds, `nil` when unknown.
    public mutating func offer(
        document: [UInt8], signatures: [UInt8], authority: RuleAuthority, time: Int64?
    ) -> Result<Outcome, RiskConfigurationError> {
        advance(to: time)
        let offered: SignedRiskConfiguration
        do throws(RiskConfigurationError) {
            offered = try SignedRiskConfiguration(
                document: document, signatures: signatures, authority: authority, time: time,
                number: min(version + 1, RiskConfiguration.versions.upperBound))
        } catch { return .failure(error) }
        if let newest = coming ?? current {
            if newest.document == document {
                guard newest.order.isBefore(offered.order) else { return .success(.unchanged) }
                var renewed = offered
                renewed.configuration.version = newest.configuration.version
                if coming == nil { current = renewed } else { coming = renewed }
                return .success(.renewed)
            }
            if offered.order.isBefore(newest.order) {
                return .failure(RiskConfigurationError(.older, "\(offered.order.text), after \(newest.order.text)"))
            }
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

    /// Puts ``coming`` into force if it holds at `time` (Unix seconds; `nil` when unknown). Gives whether it did.
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

    /// Bytes for a file, in a form of the slot's own: the documents with their signatures, as they were published; up to some 140 KB.
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

    /// Reads what was stored of Vigil's own documents; otherwise as ``init(encoded:authority:)``, also in what it throws.
    public init(encoded bytes: [UInt8], trust: TrustStore) throws(RiskConfigurationError) {
        try self.init(encoded: bytes, authority: RuleAuthority(form: .vigil, trust: trust))
    }

    /// Reads what was stored, and verifies all of it again. Throws `damaged`, or what ``SignedRiskConfiguration`` does, such as `notSigned` when
    /// keys were withdrawn since, and `otherRegion` when the country is another now; nothing is read then.
    ///
    /// Dates of validity are not looked at: they limit what may be taken, and a board must not lose its configuration overnight.
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
