// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import ExposureRisk
import FoundationEssentials
import GAEN
import Glibc
import Matching
import VirtualAir

/// Measures how long each model takes to judge a fortnight again, and compares NHS COVID-19's second model with a
/// straightforward version of the same mathematics in NumPy and SciPy in the same run.
public enum RiskBenchmark {
    private static let windowCount = 10_000
    private static let filterWindowCount = 1_000
    private static let pythonWindowCount = 20
    private static let today: UInt32 = 20_000

    /// Measures, and returns the figures; blocks. The least time of `rounds` turns (1 or more, not checked) counts.
    /// If Python with NumPy and SciPy, or `Benchmarks/nhs_reference.py` below the working folder, is missing, the
    /// ratio has a note instead, and their other figures are left out (the environment variable
    /// `VIGIL_BENCH_PYTHON` names a Python to try first). Stops the program when no model finds anything. Throws
    /// when the parameters of a model cannot be used, or the trial of four authorities fails.
    public static func run(rounds: Int = 9) throws -> BenchmarkResult {
        var generator = SplitMix64(seed: 6)
        let evidence = RiskEvidence(
            windows: (0..<windowCount).map { _ in window(&generator) },
            exposures: (0..<windowCount).map { _ in exposure(&generator) })
        let some = RiskEvidence(windows: Array(evidence.windows.prefix(filterWindowCount)))
        // The table of medians is made at the first use.
        let start = Measurement.threadNanoseconds()
        _ = GammaMedian.shared
        let table = Double(Measurement.threadNanoseconds() - start)

        let second = NHSSecondModel(NHSSecondParameters())
        let models: [any RiskModel] = try [
            DailySummariesModel(daily()), CWAFirstModel(cwaFirst()), CWASecondModel(cwaSecond()),
            NHSFirstModel(NHSFirstParameters(exposures: exposures())),
        ]
        var found = 0
        let least = Measurement.least(
            rounds: rounds,
            models.map { model in { found += model.assess(evidence, today: today).days.count } }
                + [{ found += second.assess(some, today: today).days.count }])
        precondition(found > 0, "there is something to find on some day")
        var figures: [Figure] = []
        for (model, time) in zip(models, least) {
            figures.append(Figure("\(model.name), 10,000 re-scored", time / 1e6, "ms"))
        }
        let perWindow = least[models.count] / Double(filterWindowCount)
        figures.append(Figure("nhsSecond, 10,000 re-scored", perWindow * Double(windowCount) / 1e6, "ms"))
        figures.append(Figure("nhsSecond, windows of half an hour", 1e9 / perWindow, "windows/s"))
        figures.append(Figure("table of medians, once", table / 1e6, "ms"))
        figures += try SourcesBenchmark.figures(rounds: rounds)
        return BenchmarkResult("risk", figures + python(evidence.windows, perWindow))
    }

    /// NumPy and SciPy over some of the same windows, where they are installed.
    private static func python(_ windows: [ExposureWindow], _ perWindow: Double) -> [Figure] {
        let ratio = "SciPy / nhsSecond, per window"
        func absent(_ why: String) -> [Figure] { [Figure(ratio, .nan, "ratio", note: why)] }
        let script = FileManager.default.currentDirectoryPath + "/Benchmarks/nhs_reference.py"
        // Another Python, such as one of a virtual environment, may be named.
        let named = getenv("VIGIL_BENCH_PYTHON").map { String(cString: $0) }
        let pythons = (named.map { [$0] } ?? []) + ["/usr/bin/python3", "/usr/local/bin/python3"]
        guard access(script, R_OK) == 0 else { return absent("not in the tree") }
        guard let python = pythons.first(where: { access($0, X_OK) == 0 }) else { return absent("no python3") }
        let chosen = windows.prefix(pythonWindowCount)
        let text = chosen.map { window in
            window.scanInstances.map { "\($0.minimumAttenuation):\($0.secondsSinceLastScan)" }.joined(separator: ",")
        }.joined(separator: " ")
        guard let answer = ChildProcess.output(python, [script, text]) else {
            return absent("Python without NumPy and SciPy")
        }
        let numbers = answer.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == chosen.count + 1 else { return absent("its answer cannot be read") }
        let model = NHSSecondModel(NHSSecondParameters())
        let scored = chosen.map { window in
            let contribution = model.contribution(of: window, today: today)
            return contribution.score / contribution.factor
        }
        let difference = zip(scored, numbers.dropFirst()).map { abs($0 - $1) / max($1, 1e-9) }.max() ?? .nan
        return [
            Figure("SciPy, per window", numbers[0] / 1e6, "ms"),
            Figure(ratio, numbers[0] / perWindow, "ratio"),
            Figure("largest relative difference from SciPy", difference * 1e12, "1e-12"),
        ]
    }

    /// Half an hour with somebody, scanned every three to five minutes.
    private static func window(_ generator: inout SplitMix64) -> ExposureWindow {
        let types: [ReportType] = [.confirmedTest, .clinicalDiagnosis, .selfReport]
        var scans: [ScanInstance] = []
        var left = 1_800
        while left > 0 {
            let seconds = min(left, 60 * .random(in: 3...5, using: &generator))
            let typical = Int.random(in: 40...85, using: &generator)
            scans.append(
                ScanInstance(
                    typicalAttenuation: typical,
                    minimumAttenuation: typical - .random(in: 0...8, using: &generator), secondsSinceLastScan: seconds))
            left -= seconds
        }
        return ExposureWindow(
            day: today - .random(in: 0...13, using: &generator), firstSighting: 0,
            reportType: types[.random(in: 0...2, using: &generator)],
            infectiousness: .random(using: &generator) ? .standard : .high, calibrationConfidence: .high,
            scanInstances: scans)
    }

    private static func exposure(_ generator: inout SplitMix64) -> ExposureV1 {
        let durations = (0..<3).map { _ in 300 * Int.random(in: 0...6, using: &generator) }
        return ExposureV1(
            keyStart: ENIN((today - .random(in: 0...13, using: &generator)) * ENIN.perDay),
            duration: min(1_800, durations.reduce(0, +)), attenuation: .random(in: 40...85, using: &generator),
            attenuationDurations: durations, transmissionRiskLevel: .random(in: 1...8, using: &generator),
            riskScore: .random(in: 0...4_096, using: &generator))
    }

    private static func valid<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw InputError(file: "benchmark", "has a configuration that is none") }
        return value
    }

    static func exposures() throws -> ExposureConfigurationV1 {
        try valid(
            ExposureConfigurationV1(
                minimumRiskScore: 11, attenuationScores: [0, 2, 2, 2, 2, 2, 2, 2], daysScores: [5, 5, 5, 5, 5, 5, 5, 5],
                durationScores: [0, 0, 0, 1, 1, 1, 1, 1], transmissionRiskScores: [0, 0, 3, 4, 5, 6, 7, 8],
                durationThresholds: (low: 55, high: 63)))
    }

    static func daily() throws -> DailySummariesParameters {
        DailySummariesParameters(
            summaries: try valid(
                DailySummariesConfiguration(
                    attenuationThresholds: [55, 63, 75], attenuationWeights: [1.5, 1, 0.5, 0],
                    reportTypeWeights: [0, 1, 0.8, 0.6, 0, 0], infectiousnessWeights: [0, 0.6, 1])))
    }

    static func cwaFirst() throws -> CWAFirstParameters {
        var parameters = CWAFirstParameters(exposures: try exposures())
        parameters.classes = [.init(level: .low, min: 0, max: 15), .init(level: .increased, min: 15, max: 9_999)]
        return parameters
    }

    static func cwaSecond() -> CWASecondParameters {
        func range(_ min: Double, _ max: Double) -> CWASecondParameters.Range {
            .init(min: min, max: max, maxExclusive: true)
        }
        var parameters = CWASecondParameters()
        parameters.minutesAtAttenuationWeights = [
            .init(attenuationRange: range(0, 63), weight: 0.8), .init(attenuationRange: range(63, 73), weight: 1),
            .init(attenuationRange: range(73, 79), weight: 0.1),
        ]
        parameters.normalizedTimePerEWToRiskLevelMapping = [
            .init(normalizedTimeRange: range(0, 9), riskLevel: .low),
            .init(normalizedTimeRange: range(9, 9_999), riskLevel: .increased),
        ]
        parameters.normalizedTimePerDayToRiskLevelMapping = [
            .init(normalizedTimeRange: range(5, 9), riskLevel: .low),
            .init(normalizedTimeRange: range(9, 99_999), riskLevel: .increased),
        ]
        parameters.transmissionRiskValueMapping = [3: 0.6, 4: 0.8, 5: 1, 6: 1.2, 7: 1.4, 8: 1.6]
        parameters.maxEncounterAgeInDays = 10
        return parameters
    }
}
