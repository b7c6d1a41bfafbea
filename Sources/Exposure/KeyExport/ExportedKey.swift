// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import GAEN

/// A key as it stands in export.bin, before anybody judged it (`TemporaryExposureKey`). A flat value: files have millions.
public struct ExportedKey: Hashable, Sendable {
    /// The first 16 bytes of the key's data, zero-padded when there are fewer.
    public var data = Block()
    /// How many bytes of data were published; 16 in a valid key.
    public var dataByteCount: UInt32 = 0
    /// Offset of the data in export.bin, for whoever wants to look.
    public var dataOffset: UInt32 = 0
    public var transmissionRiskLevel: Int32 = 0
    public var rollingStart: Int32 = 0
    /// 144 when not published.
    public var rollingPeriod: Int32 = 144
    /// Numbers beyond ``ReportType`` occur when a newer protocol adds some.
    public var reportType: Int32 = 0
    public var daysSinceOnset: Int32 = 0
    public var variantOfConcern: Int32 = 0
    public var hasOnset = false
    public var hasVariant = false
    /// Published in `revised_keys`: a change of a key published before.
    public var isRevised = false
    /// A number did not fit 32 bits.
    public var isUnrepresentable = false

    public init() {}

    /// A record to be written.
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

    /// What is wrong with a published key. Such a key is left out and counted; the file's other keys count
    /// (exposure-notifications-server docs/tek_validation.md has the bounds).
    public enum Flaw: String, Sendable, CaseIterable {
        case wrongKeyLength
        case wrongRollingPeriod
        case wrongRollingStart
        case wrongTransmissionRiskLevel
        case unknownReportType
    }

    /// The first flaw, or `nil` for a key that can be matched.
    @inlinable public var flaw: Flaw? {
        if dataByteCount != 16 { return .wrongKeyLength }
        if isUnrepresentable || rollingPeriod < 1 || rollingPeriod > 144 { return .wrongRollingPeriod }
        if rollingStart < 0 || rollingStart > .max - 144 { return .wrongRollingStart }
        if transmissionRiskLevel < 0 || transmissionRiskLevel > 8 { return .wrongTransmissionRiskLevel }
        if reportType < 0 || reportType > 5 { return .unknownReportType }
        return nil
    }

    /// The key as the rest of the house knows it; `nil` when it has a ``flaw``.
    public var diagnosisKey: DiagnosisKey? {
        guard flaw == nil, let type = ReportType(rawValue: UInt8(reportType)) else { return nil }
        return DiagnosisKey(
            data: data, rollingStart: ENIN(UInt32(rollingStart)), rollingPeriod: UInt32(rollingPeriod),
            transmissionRiskLevel: UInt8(transmissionRiskLevel), reportType: type,
            daysSinceOnset: hasOnset ? daysSinceOnset : nil,
            variantOfConcern: hasVariant ? UInt8(exactly: variantOfConcern) : nil)
    }
}
