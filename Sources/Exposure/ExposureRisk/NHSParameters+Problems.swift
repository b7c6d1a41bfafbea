// SPDX-License-Identifier: Apache-2.0

extension NHSSecondParameters: RiskParameters {
    /// All problems: numbers out of range, and a number of weights other than three. Empty if there are none.
    public var problems: [RiskProblem] {
        var list = ProblemList()
        // Below a tenth of a second a window takes more time to judge than its answer is worth.
        list.require(sampleResolution, in: 0.1...60, "sampleResolution")
        list.require(positive: expectedDistance, upTo: 100, "expectedDistance")
        list.require(positive: minimumDistance, upTo: 100, "minimumDistance")
        // Further away is weaker; a weight of 0 or less would turn that round.
        list.require(positive: weightCoefficient, upTo: 100, "weightCoefficient")
        list.require(intercept, in: -100...100, "intercept")
        list.require(positive: covariance, upTo: 1_000, "covariance")
        list.require(positive: wavelength, upTo: 1_000, "wavelength")
        list.require(positive: pathLossFactor, upTo: 1_000, "pathLossFactor")
        list.require(referenceDeviceLoss, in: -1_000...1_000, "referenceDeviceLoss")
        list.require(positive: initialMean, upTo: 1_000, "initialMean")
        list.require(positive: initialCovariance, upTo: 1_000_000, "initialCovariance")
        list.require(positive: alpha, upTo: 10, "alpha")
        list.require(beta, in: 0...10, "beta")
        list.require(
            kappa > -3 && kappa <= 100, "kappa",
            "is \(kappa); a number above -3 and up to 100 is needed, or the sigma points are nowhere")
        list.require(
            infectiousnessWeights, count: 3, in: 0...100, "infectiousnessWeights", of: "for none, standard and high")
        list.require(positive: riskThreshold, upTo: 1_000_000, "riskThreshold")
        list.require(contactCaseDays, in: 0...365, "contactCaseDays")
        return list.all
    }
}

extension NHSFirstParameters: RiskParameters {
    /// All problems of the weights, the threshold and sigma; empty if there are none. The scores of ``exposures``
    /// were checked when they were created.
    public var problems: [RiskProblem] {
        var list = ProblemList()
        list.require(
            durationBucketWeights, count: 3, in: 0...100, "durationBucketWeights",
            of: "for below, between and above the thresholds")
        list.require(positive: riskThreshold, upTo: 1_000_000, "riskThreshold")
        list.require(positive: sigma, upTo: 100, "sigma")
        return list.all
    }
}

extension DailySummariesParameters: RiskParameters {
    /// Whether what decides is a number.
    var isNumber: Bool {
        classes.isEmpty
            ? !increasedFrom.isNaN
            : !classes.contains { exposureClass in ExposureClass.limits.contains { exposureClass[keyPath: $0.path].isNaN } }
    }

    /// All problems of the limits; empty if there are none. ``summaries`` cannot be created with problems.
    public var problems: [RiskProblem] {
        var list = ProblemList()
        list.require(positive: increasedFrom, upTo: 1_000_000, "increasedFrom")
        list.require(classes.count <= 4, "classes", "has \(classes.count) entries; at most 4 are needed")
        for (index, exposureClass) in classes.enumerated() {
            for limit in ExposureClass.limits {
                list.require(exposureClass[keyPath: limit.path], in: 0...1_000_000, "classes[\(index)].\(limit.name)")
            }
        }
        let areOff = classes.allSatisfy { exposureClass in
            ExposureClass.limits.allSatisfy { exposureClass[keyPath: $0.path] == 0 }
        }
        list.require(classes.isEmpty || !areOff, "classes", "have no limit: nobody would ever be warned")
        return list.all
    }
}
