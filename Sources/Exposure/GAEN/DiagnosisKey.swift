// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A published key of somebody who reported an infection. Public by definition, hence a plain value.
public struct DiagnosisKey: Hashable, Sendable {
    /// The key itself, 16 public bytes.
    public var data: Block
    /// The first interval in which the key is valid. The initialiser accepts any number whose sum with
    /// ``rollingPeriod`` fits into 32 bits; a value set later is not checked.
    public var rollingStart: ENIN
    /// The number of ten-minute intervals for which the key is valid, 1 to 144; a value set later is not checked.
    public var rollingPeriod: UInt32
    /// The transmission risk level as published, 0 to 8, where 0 means not stated; part of v1 only, deprecated since
    /// v1.5. A value set later is not checked.
    public var transmissionRiskLevel: UInt8
    /// The report type as published, before any mapping.
    public var reportType: ReportType
    /// The days from the onset of symptoms to the key's day, negative before the onset; `nil` when not published.
    /// Kept as published: values outside -14...14 occur and count as missing.
    public var daysSinceOnset: Int32?
    /// The number of the variant of concern as published (`variant_of_concern` of the key file, which defines 0 to 4); not checked, so 0 to 255
    /// occur. `nil` when not published, or above 255.
    public var variantOfConcern: UInt8?

    /// Creates a key from these parts. Returns `nil` when the period is not 1 to 144, the end does not fit into 32
    /// bits, or the level is above 8. `daysSinceOnset` and `variantOfConcern` are not checked.
    public init?(
        data: Block, rollingStart: ENIN, rollingPeriod: UInt32 = ENIN.perDay, transmissionRiskLevel: UInt8 = 0,
        reportType: ReportType = .unknown, daysSinceOnset: Int32? = nil, variantOfConcern: UInt8? = nil
    ) {
        guard (1...ENIN.perDay).contains(rollingPeriod), transmissionRiskLevel <= 8,
            !rollingStart.number.addingReportingOverflow(rollingPeriod).overflow
        else { return nil }
        self.data = data
        self.rollingStart = rollingStart
        self.rollingPeriod = rollingPeriod
        self.transmissionRiskLevel = transmissionRiskLevel
        self.reportType = reportType
        self.daysSinceOnset = daysSinceOnset
        self.variantOfConcern = variantOfConcern
    }

    /// The first interval in which the key is no longer valid; the greatest number there is when parts that were set
    /// later would lead beyond it.
    public var end: ENIN {
        let (number, isOverflowing) = rollingStart.number.addingReportingOverflow(rollingPeriod)
        return ENIN(isOverflowing ? .max : number)
    }
}
