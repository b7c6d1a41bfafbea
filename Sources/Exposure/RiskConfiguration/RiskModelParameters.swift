// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk

/// A risk model and its parameters.
public enum RiskModelParameters: Hashable, Sendable {
    /// Google's and Apple's daily summaries with a limit.
    case dailySummaries(DailySummariesParameters)
    /// Corona-Warn-App's first model, for first-generation exposures.
    case cwaFirst(CWAFirstParameters)
    /// Corona-Warn-App's second model, for exposure windows.
    case cwaSecond(CWASecondParameters)
    /// NHS COVID-19's first model, for first-generation exposures.
    case nhsFirst(NHSFirstParameters)
    /// NHS COVID-19's second model, for exposure windows.
    case nhsSecond(NHSSecondParameters)
    /// SwissCovid's model, for exposure windows.
    case swissCovid(SwissCovidParameters)

    /// The name of the model to which the parameters belong.
    public var name: RiskModelName {
        switch self {
        case .dailySummaries: .dailySummaries
        case .cwaFirst: .cwaFirst
        case .cwaSecond: .cwaSecond
        case .nhsFirst: .nhsFirst
        case .nhsSecond: .nhsSecond
        case .swissCovid: .swissCovid
        }
    }

    /// Whether the model judges exposure windows, and so needs an onset; `false` for models that need a transmission
    /// risk level.
    public var looksAtWindows: Bool {
        switch self {
        case .dailySummaries, .cwaSecond, .nhsSecond, .swissCovid: true
        case .cwaFirst, .nhsFirst: false
        }
    }

    /// The model with these parameters, which are not checked here.
    public var model: any RiskModel {
        switch self {
        case .dailySummaries(let parameters): DailySummariesModel(parameters)
        case .cwaFirst(let parameters): CWAFirstModel(parameters)
        case .cwaSecond(let parameters): CWASecondModel(parameters)
        case .nhsFirst(let parameters): NHSFirstModel(parameters)
        case .nhsSecond(let parameters): NHSSecondModel(parameters)
        case .swissCovid(let parameters): SwissCovidModel(parameters)
        }
    }

    /// What the model says of them; paths are relative to the parameters.
    var problems: [RiskProblem] {
        switch self {
        case .dailySummaries(let parameters): parameters.problems
        case .cwaFirst(let parameters): parameters.problems
        case .cwaSecond(let parameters): parameters.problems
        case .nhsFirst(let parameters): parameters.problems
        case .nhsSecond(let parameters): parameters.problems
        case .swissCovid(let parameters): parameters.problems
        }
    }
}
