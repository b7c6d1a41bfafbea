// SPDX-License-Identifier: Apache-2.0

// Parts of Corona-Warn-App's donations (cwa-ppa-server d441e874, `ppa_data.proto`), by the names that they have there.

/// A version of software.
package struct PPASemanticVersion: DonationMessage {
    package var major: UInt32 = 0
    package var minor: UInt32 = 0
    package var patch: UInt32 = 0

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.number(1, \.major), .number(2, \.minor), .number(3, \.patch)]
    }
}

/// A risk level and how it changed; `pt` is the risk of check-ins.
package struct ExposureRiskMetadata: DonationMessage {
    package var riskLevel = PPARiskLevel.unknown
    package var riskLevelChangedComparedToPreviousSubmission = false
    package var mostRecentDateAtRiskLevel: Int64 = 0
    package var dateChangedComparedToPreviousSubmission = false
    package var ptRiskLevel = PPARiskLevel.unknown
    package var ptRiskLevelChangedComparedToPreviousSubmission = false
    package var ptMostRecentDateAtRiskLevel: Int64 = 0
    package var ptDateChangedComparedToPreviousSubmission = false

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [
            .choice(1, \.riskLevel), .bool(2, \.riskLevelChangedComparedToPreviousSubmission),
            .number(3, \.mostRecentDateAtRiskLevel), .bool(4, \.dateChangedComparedToPreviousSubmission),
            .choice(5, \.ptRiskLevel), .bool(6, \.ptRiskLevelChangedComparedToPreviousSubmission),
            .number(7, \.ptMostRecentDateAtRiskLevel), .bool(8, \.ptDateChangedComparedToPreviousSubmission),
        ]
    }
}

/// The strength of a signal in one scan, in decibels of attenuation, and seconds.
package struct PPAExposureWindowScanInstance: DonationMessage {
    package var typicalAttenuation: Int32 = 0
    package var minAttenuation: Int32 = 0
    package var secondsSinceLastScan: Int32 = 0

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.number(1, \.typicalAttenuation), .number(2, \.minAttenuation), .number(3, \.secondsSinceLastScan)]
    }
}

/// An encounter.
package struct PPAExposureWindow: DonationMessage {
    package var date: Int64 = 0
    package var reportType = PPAReportType.unknown
    package var infectiousness = PPAInfectiousness.none
    package var calibrationConfidence: Int32 = 0
    package var scanInstances: [PPAExposureWindowScanInstance] = []

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [
            .number(1, \.date), .choice(2, \.reportType), .choice(3, \.infectiousness),
            .number(4, \.calibrationConfidence), .list(5, \.scanInstances),
        ]
    }
}

/// An encounter with what its risk was computed of; the time is in weighted minutes.
package struct PPANewExposureWindow: DonationMessage {
    package var exposureWindow: PPAExposureWindow?
    package var transmissionRiskLevel: Int32 = 0
    package var normalizedTime: Double = 0

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.message(1, \.exposureWindow), .number(2, \.transmissionRiskLevel), .double(3, \.normalizedTime)]
    }
}

/// A test, as coarsely as `DonationCounters` has it.
package struct PPATestResultMetadata: DonationMessage {
    package var testResult = PPATestResult.unknown
    package var hoursSinceTestRegistration: Int32 = 0
    package var riskLevelAtTestRegistration = PPARiskLevel.unknown
    package var daysSinceMostRecentDateAtRiskLevelAtTestRegistration: Int32 = 0
    package var hoursSinceHighRiskWarningAtTestRegistration: Int32 = 0
    package var ptRiskLevelAtTestRegistration = PPARiskLevel.unknown
    package var ptDaysSinceMostRecentDateAtRiskLevelAtTestRegistration: Int32 = 0
    package var ptHoursSinceHighRiskWarningAtTestRegistration: Int32 = 0
    package var exposureWindowsAtTestRegistration: [PPANewExposureWindow] = []
    package var exposureWindowsUntilTestResult: [PPANewExposureWindow] = []

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [
            .choice(1, \.testResult), .number(2, \.hoursSinceTestRegistration),
            .choice(3, \.riskLevelAtTestRegistration),
            .number(4, \.daysSinceMostRecentDateAtRiskLevelAtTestRegistration),
            .number(5, \.hoursSinceHighRiskWarningAtTestRegistration), .choice(6, \.ptRiskLevelAtTestRegistration),
            .number(7, \.ptDaysSinceMostRecentDateAtRiskLevelAtTestRegistration),
            .number(8, \.ptHoursSinceHighRiskWarningAtTestRegistration),
            .list(9, \.exposureWindowsAtTestRegistration), .list(10, \.exposureWindowsUntilTestResult),
        ]
    }
}

/// Whether somebody warned others, and where they stopped.
package struct PPAKeySubmissionMetadata: DonationMessage {
    package var submitted = false
    package var submittedInBackground = false
    package var submittedAfterCancel = false
    package var submittedAfterSymptomFlow = false
    package var advancedConsentGiven = false
    package var lastSubmissionFlowScreen = PPALastSubmissionFlowScreen.unknown
    package var hoursSinceTestResult: Int32 = 0
    package var hoursSinceTestRegistration: Int32 = 0
    package var daysSinceMostRecentDateAtRiskLevelAtTestRegistration: Int32 = 0
    package var hoursSinceHighRiskWarningAtTestRegistration: Int32 = 0
    package var submittedWithTeleTAN = false
    package var submittedAfterRapidAntigenTest = false
    package var ptDaysSinceMostRecentDateAtRiskLevelAtTestRegistration: Int32 = 0
    package var ptHoursSinceHighRiskWarningAtTestRegistration: Int32 = 0
    package var submittedWithCheckIns = TriStateBoolean.unspecified
    package var submissionType = PPAKeySubmissionType.registeredTest

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [
            .bool(1, \.submitted), .bool(2, \.submittedInBackground), .bool(3, \.submittedAfterCancel),
            .bool(4, \.submittedAfterSymptomFlow), .bool(5, \.advancedConsentGiven),
            .choice(6, \.lastSubmissionFlowScreen), .number(7, \.hoursSinceTestResult),
            .number(8, \.hoursSinceTestRegistration),
            .number(9, \.daysSinceMostRecentDateAtRiskLevelAtTestRegistration),
            .number(10, \.hoursSinceHighRiskWarningAtTestRegistration), .bool(11, \.submittedWithTeleTAN),
            .bool(12, \.submittedAfterRapidAntigenTest),
            .number(13, \.ptDaysSinceMostRecentDateAtRiskLevelAtTestRegistration),
            .number(14, \.ptHoursSinceHighRiskWarningAtTestRegistration), .choice(15, \.submittedWithCheckIns),
            .choice(16, \.submissionType),
        ]
    }
}

/// What a wearer says of themselves.
package struct PPAUserMetadata: DonationMessage {
    package var federalState = PPAFederalState.unspecified
    package var administrativeUnit: Int32 = 0
    package var ageGroup = PPAAgeGroup.unspecified

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.choice(1, \.federalState), .number(2, \.administrativeUnit), .choice(3, \.ageGroup)]
    }
}
