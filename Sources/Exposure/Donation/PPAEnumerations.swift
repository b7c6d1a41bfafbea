// SPDX-License-Identifier: Apache-2.0

// Corona-Warn-App's messages for data donation (cwa-ppa-server d441e874, `ppa_data.proto`), by the names that they have there. Dates are
// seconds at midnight UTC, counters are -1 where they are not known.

/// The level of risk that a device showed.
package enum PPARiskLevel: Int32, Sendable, CaseIterable {
    case unknown, none, low, high
}

/// How a diagnosed person was reported (`PPAExposureWindowReportType`).
package enum PPAReportType: Int32, Sendable, CaseIterable {
    case unknown, confirmedTest, clinicalDiagnosis, selfReport, recursive, revoked
}

/// How infectious a diagnosed person was (`PPAExposureWindowInfectiousness`).
package enum PPAInfectiousness: Int32, Sendable, CaseIterable {
    case none, standard, high
}

/// The result of a test; `rat` is a rapid antigen test.
package enum PPATestResult: Int32, Sendable, CaseIterable {
    case unknown, pending, negative, positive, invalid, ratPending, ratNegative, ratPositive, ratInvalid
}

/// Where somebody stopped to warn others.
package enum PPALastSubmissionFlowScreen: Int32, Sendable, CaseIterable {
    case unknown, other, testResult, warnOthers, symptoms, symptomOnset
}

/// What permitted a warning; `srs` is a report of oneself.
package enum PPAKeySubmissionType: Int32, Sendable, CaseIterable {
    case registeredTest, srsSelfTest, srsRegisteredRAT, srsUnregisteredRAT, srsRegisteredPCR, srsUnregisteredPCR,
        srsRapidPCR, srsOther
}

/// Yes, no, or not said.
package enum TriStateBoolean: Int32, Sendable, CaseIterable {
    case unspecified, yes, no
}

/// A wearer's age, coarsely.
package enum PPAAgeGroup: Int32, Sendable, CaseIterable {
    case unspecified, upTo29, from30To59, from60
}

/// A state of Germany (`PPAFederalState`).
package enum PPAFederalState: Int32, Sendable, CaseIterable {
    case unspecified, bw, by, be, bb, hb, hh, he, mv, ni, nrw, rp, sl, sn, st, sh, th
}

/// The kind of a board (our own).
package enum BoardClass: Int32, Sendable, CaseIterable {
    case unspecified, wearable, kiosk
}
