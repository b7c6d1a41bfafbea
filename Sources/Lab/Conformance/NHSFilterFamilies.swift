// SPDX-License-Identifier: Apache-2.0

import ExposureRisk

/// Comparisons of doubles with the tolerance that a vector states.
enum Near {
    static func expect(_ what: String, _ found: Double, _ expected: Double, absolute: Double) throws {
        guard abs(found - expected) <= absolute else {
            throw Mismatch(description: "\(what): \(found) where \(expected) is expected, within \(absolute)")
        }
    }

    /// Of a case with `tolerance` or `relativeTolerance`.
    static func expect(_ what: String, _ found: Double, _ expected: Double, like vector: VectorValue) throws {
        let relative = vector["relativeTolerance"].double.map { $0 * abs(expected) }
        try expect(
            what, found, expected, absolute: require("tolerance", vector["tolerance"].double ?? relative))
    }
}

extension NHSSecondParameters {
    /// The `riskScore` block of the authority's configuration.
    init(vector json: VectorValue) throws {
        self.init()
        func number(_ block: String, _ name: String) throws -> Double { try require(name, json[block][name].double) }
        sampleResolution = try require("sampleResolution", json["sampleResolution"].double)
        expectedDistance = try require("expectedDistance", json["expectedDistance"].double)
        minimumDistance = try require("minimumDistance", json["minimumDistance"].double)
        weightCoefficient = try number("rssiParameters", "weightCoefficient")
        intercept = try number("rssiParameters", "intercept")
        covariance = try number("rssiParameters", "covariance")
        wavelength = try number("powerLossParameters", "wavelength")
        pathLossFactor = try number("powerLossParameters", "pathLossFactor")
        referenceDeviceLoss = try number("powerLossParameters", "refDeviceLoss")
        observationType = try require(
            "observationType", json["observationType"].string.flatMap { ObservationType(rawValue: $0) })
        initialMean = try number("initialData", "mean")
        initialCovariance = try number("initialData", "covariance")
        alpha = try number("smootherParameters", "alpha")
        beta = try number("smootherParameters", "beta")
        kappa = try number("smootherParameters", "kappa")
    }
}

enum NHSGammaQuantiles: VectorFamily {
    static let name = "gamma_quantile"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                func number(_ name: String) throws -> Double { try require(name, vector[name].double) }
                let (shape, scale, probability) = (
                    try number("shape"), try number("scale"), try number("probability")
                )
                let expected = try number("value")
                let found = GammaQuantile.value(shape: shape, probability: probability) * scale
                try Near.expect("quantile", found.isNaN ? 0.001 : found, expected, like: vector)
                // What the model uses is the table of medians; it has to hold as well.
                guard probability == 0.5 else { return }
                let median = GammaMedian.shared.value(shape: shape) * scale
                try Near.expect("median", median.isNaN ? 0.001 : median, expected, like: vector)
            }
        }
    }
}

enum NHSFilters: VectorFamily {
    static let name = "ukf"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases { check.check(vector["id"].string ?? "?") { try run(vector) } }
    }

    private static func run(_ vector: VectorValue) throws {
        let parameters = vector["parameters"]
        func number(_ name: String) throws -> Double { try require(name, parameters[name].double) }
        let type = try require(
            "observationType",
            parameters["observationType"].string.flatMap { NHSSecondParameters.ObservationType(rawValue: $0) })
        let standard = NHSSecondParameters()
        let filter = DistanceFilter(
            initialMean: try number("initialMean"), initialCovariance: try number("initialCovariance"),
            transitionCovariance: try number("transitionCovariance"),
            observationCovariance: try number("observationCovariance"), alpha: try number("alpha"),
            beta: try number("beta"), kappa: try number("kappa"),
            observation: DistanceObservation(
                weightCoefficient: try number("weightCoefficient"), intercept: try number("intercept"), type: type,
                powerLoss: PowerLoss(
                    wavelength: parameters["wavelength"].double ?? standard.wavelength,
                    pathLossFactor: parameters["pathLossFactor"].double ?? standard.pathLossFactor,
                    referenceDeviceLoss: parameters["refDeviceLoss"].double ?? standard.referenceDeviceLoss)))
        var states: [DistanceFilter.State] = []
        filter.filter(vector["observations"].array.map { $0.double ?? .nan }, into: &states)
        let filtered = states
        filter.smooth(&states)
        try compare(filtered, vector, "filtered")
        try compare(states, vector, "smoothed")
    }

    private static func compare(_ states: [DistanceFilter.State], _ vector: VectorValue, _ what: String) throws {
        let means = vector["\(what)Mean"].array
        let covariances = vector["\(what)Covariance"].array
        try expect("\(what) means", states.count, means.count)
        try expect("\(what) covariances", states.count, covariances.count)
        for (index, state) in states.enumerated() {
            try Near.expect(
                "\(what) mean \(index)", state.mean, require("mean", means[index].double), like: vector)
            try Near.expect(
                "\(what) covariance \(index)", state.covariance, require("covariance", covariances[index].double),
                like: vector)
        }
    }
}

enum NHSObservations: VectorFamily {
    static let name = "observations"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let found = DistanceScorer.observations(
                    try vector["scanInstances"].array.map(DistanceScorer.Scan.init(vector:)),
                    resolution: try require("sampleResolution", vector["sampleResolution"].double))
                let expected = vector["observations"].array
                try expect("number", found.count, expected.count)
                for (index, (found, expected)) in zip(found, expected).enumerated() {
                    try expect("\(index) missing", !found.isFinite, expected.isNull)
                    if let expected = expected.double {
                        try Near.expect("\(index)", found, expected, absolute: 1e-12 * max(1, abs(expected)))
                    }
                }
            }
        }
    }
}

extension DistanceScorer.Scan {
    init(vector json: VectorValue) throws {
        self.init(
            attenuation: try require("attenuation", json["attenuation"].double),
            seconds: try require("secondsSinceLastScan", json["secondsSinceLastScan"].double))
    }
}

/// The two helpers between distances and signals; both within 1e-8, as their files say.
enum NHSPowerLoss: VectorFamily {
    static let name = "friis"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                func number(_ name: String) throws -> Double { try require(name, vector[name].double) }
                let loss = PowerLoss(
                    wavelength: try number("wavelength"), pathLossFactor: try number("pathLossFactor"),
                    referenceDeviceLoss: try number("refDeviceLoss"),
                    corrections: try number("rxCorrection") + number("txCorrection"))
                let operation = try require("op", vector["op"].string)
                guard ["both", "friis", "inverse"].contains(operation) else {
                    throw Mismatch(description: "unknown operation")
                }
                if operation != "inverse" {
                    try Near.expect("loss", loss.friis(number("distance")), number("rssi"), absolute: 1e-8)
                }
                if operation != "friis" {
                    try Near.expect("distance", loss.distance(rssi: number("rssi")), number("distance"), absolute: 1e-8)
                }
            }
        }
    }
}

enum NHSObservationTransforms: VectorFamily {
    static let name = "observation_transform"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                func number(_ name: String) throws -> Double { try require(name, vector[name].double) }
                let transform = DistanceObservation(
                    weightCoefficient: try number("weightCoefficient"), intercept: try number("intercept"),
                    type: try require(
                        "observationType",
                        vector["observationType"].string.flatMap { NHSSecondParameters.ObservationType(rawValue: $0) }),
                    powerLoss: PowerLoss(
                        wavelength: try number("wavelength"), pathLossFactor: try number("pathLossFactor"),
                        referenceDeviceLoss: try number("refDeviceLoss")))
                try Near.expect("value", transform(number("distance")), number("value"), absolute: 1e-8)
            }
        }
    }
}
