// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import GAEN

/// A key as it is in export.bin, before any check (`TemporaryExposureKey`). It is a flat value, because files have
/// millions of them.
public struct ExportedKey: Hashable, Sendable {
    /// The first 16 bytes of the key's data, zero-padded when there are fewer.
    public var data = Block()
    /// The number of bytes of data that were published; 16 in a valid key, 0 when there were none.
    public var dataByteCount: UInt32 = 0
    /// The offset of the data in export.bin in bytes, for people who want to look it up; 0 when not published.
    public var dataOffset: UInt32 = 0
    /// The transmission risk level: 0 when not published, 0 to 8 in a valid key.
    public var transmissionRiskLevel: Int32 = 0
    /// The first interval of validity; 0 when not published. Not negative in a valid key.
    public var rollingStart: Int32 = 0
    /// The number of intervals, 1 to 144 in a valid key; 144 when not published.
    public var rollingPeriod: Int32 = 144
    /// The number of the ``ReportType``; 0 when not published. A newer protocol may have higher numbers.
    public var reportType: Int32 = 0
    /// The days from the onset of symptoms to the key's day, as published; 0 when ``hasOnset`` is `false`.
    public var daysSinceOnset: Int32 = 0
    /// The variant of concern as published; 0 when ``hasVariant`` is `false`. Numbers outside 0 to 255 count as not
    /// published.
    public var variantOfConcern: Int32 = 0
    /// Whether the file states ``daysSinceOnset`` for the key, which may be 0.
    public var hasOnset = false
    /// Whether the file states ``variantOfConcern`` for the key.
    public var hasVariant = false
    /// Whether the key was published in `revised_keys`, as a change of an earlier key.
    public var isRevised = false
    /// Whether a number of the key does not fit into 32 bits. Such a key has a ``flaw``: ``Flaw/wrongRollingPeriod``,
    /// or ``Flaw/wrongKeyLength`` when the length is wrong too.
    public var isUnrepresentable = false

    /// Creates a key without published values, which is flawed until its data are set.
    public init() {}

    /// Creates the record to be written for `key`; values that the key lacks are left out. A first interval above 2³¹
    /// - 1 becomes negative, which is a ``flaw``. Cannot fail.
    public init(_ key: DiagnosisKey, isRevised: Bool = false) {
        data = key.data
        dataByteCount = 16
        transmissionRiskLevel = Int32(key.transmissionRiskLevel)
        rollingStart = Int32(truncatingIfNeeded: key.rollingStart.number)
        rollingPeriod = Int32(key.rollingPeriod)
        reportType = Int32(key.reportType.rawValue)
        daysSinceOnset = key.daysSinceOnset ?? 0
        hasOnset = key.daysSinceOnset != nil
        variantOfConcern = Int32(key.variantOfConcern ?? 0)
        hasVariant = key.variantOfConcern != nil
        self.isRevised = isRevised
    }

    /// A flaw of a published key. A flawed key is left out and counted; the other keys of the file are used
    /// (exposure-notifications-server docs/tek_validation.md has the bounds).
    public enum Flaw: String, Sendable, CaseIterable {
        /// The data do not have 16 bytes.
        case wrongKeyLength
        /// The number of intervals is not within 1 to 144, or any number of the key does not fit into 32 bits.
        case wrongRollingPeriod
        /// The first interval is negative, or less than 144 below the greatest number (2³¹ - 1).
        case wrongRollingStart
        /// The transmission risk level is not within 0 to 8.
        case wrongTransmissionRiskLevel
        /// The report type is none of the protocol's, 0 to 5.
        case unknownReportType
    }

    /// The first flaw, in the order of ``Flaw``; `nil` for a key that a receiver accepts. The receiver may still
    /// leave it out because of its report type.
    @inlinable public var flaw: Flaw? {
        if dataByteCount != 16 { return .wrongKeyLength }
        if isUnrepresentable || rollingPeriod < 1 || rollingPeriod > 144 { return .wrongRollingPeriod }
        if rollingStart < 0 || rollingStart > .max - 144 { return .wrongRollingStart }
        if transmissionRiskLevel < 0 || transmissionRiskLevel > 8 { return .wrongTransmissionRiskLevel }
        if reportType < 0 || reportType > 5 { return .unknownReportType }
        return nil
    }

    /// The key as a ``DiagnosisKey``; `nil` when it has a ``flaw``. A variant outside 0 to 255 counts as not
    /// published.
    public var diagnosisKey: DiagnosisKey? {
        guard flaw == nil, let type = ReportType(rawValue: UInt8(reportType)) else { return nil }
        return DiagnosisKey(
            data: data, rollingStart: ENIN(UInt32(rollingStart)), rollingPeriod: UInt32(rollingPeriod),
            transmissionRiskLevel: UInt8(transmissionRiskLevel), reportType: type,
            daysSinceOnset: hasOnset ? daysSinceOnset : nil,
            variantOfConcern: hasVariant ? UInt8(exactly: variantOfConcern) : nil)
    }
}
