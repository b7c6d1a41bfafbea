// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import Matching

/// Case by case: minutes by nearness, and for each model the score in its interval against the limit.
struct EvaluationPicture {
    /// More rows than this nobody looks through.
    static let mostCases = 200
    /// dB below which time belongs to a band; those of published configurations (CWA 2020 to 2022).
    private static let edges = [55, 63, 73]
    private static let bandNames = ["below 55 dB", "55 to 62 dB", "63 to 72 dB", "73 dB and more"]

    private static let left = 24.0
    private static let nameWidth = 250.0
    private static let barWidth = 270.0
    private static let modelWidth = 250.0
    private static let gap = 28.0
    private static let rowHeight = 56.0
    private static let top = 128.0

    private let evaluation: Evaluation
    private var canvas: Canvas

    init(_ evaluation: Evaluation) {
        self.evaluation = evaluation
        let width =
            Self.left * 2 + Self.nameWidth + Self.barWidth + Double(evaluation.models.count) * (Self.modelWidth + Self.gap)
        canvas = Canvas(width: max(width, 860))
    }

    private static let barStart = left + nameWidth

    static func draw(_ evaluation: Evaluation) -> String {
        var picture = EvaluationPicture(evaluation)
        return picture.svg()
    }

    private mutating func svg() -> String {
        let cases = Array(evaluation.dataset.cases.prefix(Self.mostCases))
        let left = evaluation.dataset.cases.count - cases.count
        let title = "What each model says of \(evaluation.dataset.cases.count) cases"
        canvas.text(Self.left, 32, title, size: 18, isBold: true)
        legend()
        let bottom = Self.top + Double(cases.count) * Self.rowHeight
        let most = max(cases.map { Double($0.seconds) / 60 }.max() ?? 0, 1)
        let step = Canvas.step(of: most, count: 4)
        let scale = Self.barWidth / (step * (most / step).rounded(.up))
        for tick in 0...Int((most / step).rounded(.up)) {
            let x = Self.barStart + Double(tick) * step * scale
            canvas.line(x, Self.top - 6, x, bottom)
            canvas.text(
                x, Self.top - 12, StudyText.number(Double(tick) * step), anchor: .middle, size: 11, fill: Canvas.faint)
        }
        canvas.text(Self.barStart, Self.top - 30, "minutes, by typical attenuation", size: 12, isBold: true)
        canvas.text(Self.left, Self.top - 30, "case", size: 12, isBold: true)
        for (index, model) in evaluation.models.enumerated() { head(model, at: start(of: index)) }
        for (row, one) in cases.enumerated() {
            let y = Self.top + Double(row) * Self.rowHeight
            canvas.line(Self.left, y, canvas.width - Self.left, y)
            name(one, y)
            bar(one, y, scale)
            for (index, model) in evaluation.models.enumerated() {
                verdict(model.cases[row], one, model, at: start(of: index), y)
            }
        }
        canvas.line(Self.left, bottom, canvas.width - Self.left, bottom)
        var foot =
            "Lowest and highest score: all attenuations nearer or further by the error of the calibration (\(evaluation.calibration.words)). Limits are those of the configuration."
        if left > 0 { foot += " \(left) more cases are not drawn." }
        canvas.text(Self.left, bottom + 24, foot, size: 11, fill: Canvas.faint)
        return canvas.svg(height: bottom + 42, title: title, description: description)
    }

    private func start(of model: Int) -> Double {
        Self.barStart + Self.barWidth + Self.gap + Double(model) * (Self.modelWidth + Self.gap)
    }

    private var description: String {
        let models = evaluation.models.map { model in
            "\(model.model.rawValue): \(model.increased) of \(model.judged) cases increased, \(model.eitherWay) of all either way within the error of the calibration."
        }
        return "Bars of minutes by attenuation and verdicts, case by case. " + models.joined(separator: " ")
    }

    // MARK: Parts

    private mutating func legend() {
        var x = Self.left
        let y = 56.0
        for (name, fill) in zip(Self.bandNames, Canvas.bands) {
            canvas.rectangle(x, y - 10, 14, 12, fill: fill, stroke: Canvas.faint)
            canvas.text(x + 20, y, name, size: 11.5)
            x += 24 + Double(name.count) * 6.6 + 12
        }
        x = Self.left
        let marks: [(Canvas.Shape, String, String, String)] = [
            (.triangle, Canvas.increased, Canvas.increased, "increased"), (.circle, "#fff", Canvas.low, "low"),
            (.dash, "none", Canvas.unclear, "no level, or not judged"),
        ]
        for (shape, fill, stroke, name) in marks {
            canvas.mark(shape, x + 7, y + 16, 6, fill: fill, stroke: stroke)
            canvas.text(x + 20, y + 20, name, size: 11.5)
            x += 24 + Double(name.count) * 6.8 + 12
        }
        canvas.line(x, y + 16, x + 30, y + 16, stroke: Canvas.ink, width: 1.5)
        canvas.text(
            x + 38, y + 20,
            "score if the other devices are louder or quieter than they say; “either way” if the verdict then changes",
            size: 11.5)
    }

    private mutating func head(_ model: ModelResult, at x: Double) {
        canvas.text(x, Self.top - 30, model.model.rawValue, size: 12, isBold: true)
        let limit = x + Self.modelWidth / 2
        canvas.text(limit, Self.top - 12, "limit", anchor: .middle, size: 11, fill: Canvas.increased)
        canvas.text(x, Self.top - 12, "0", size: 11, fill: Canvas.faint)
        canvas.text(x + Self.modelWidth, Self.top - 12, "twice", anchor: .end, size: 11, fill: Canvas.faint)
    }

    private mutating func name(_ one: StudyCase, _ y: Double) {
        canvas.text(Self.left, y + 18, StudyText.cut(one.name, 32), size: 13)
        canvas.text(Self.left, y + 34, StudyText.cut(one.truth?.words ?? "", 40), size: 10.5, fill: Canvas.faint)
        guard let expected = one.truth?.expected else { return }
        let words = expected == .increased ? "should be increased" : "should be low"
        canvas.text(Self.left, y + 48, words, size: 10.5, fill: Canvas.faint)
    }

    private mutating func bar(_ one: StudyCase, _ y: Double, _ scale: Double) {
        var seconds = [0, 0, 0, 0]
        func band(_ attenuation: Int) -> Int { Self.edges.firstIndex { attenuation < $0 } ?? Self.edges.count }
        for scan in one.windows.flatMap(\.scanInstances) {
            seconds[band(scan.typicalAttenuation)] += scan.secondsSinceLastScan
        }
        if one.windows.isEmpty {
            for period in (one.exposures ?? []).flatMap(\.periods) { seconds[band(period.attenuation)] += period.seconds }
        }
        var x = Self.barStart
        for (index, seconds) in seconds.enumerated() where seconds > 0 {
            let width = Double(seconds) / 60 * scale
            canvas.rectangle(
                x, y + 16, width, 22, fill: Canvas.bands[index], stroke: "#fff",
                title: "\(StudyText.number(Double(seconds) / 60)) min \(Self.bandNames[index])")
            let label = StudyText.number(Double(seconds) / 60)
            if width > Double(label.count) * 7 + 4 {
                canvas.text(
                    x + width / 2, y + 31, label, anchor: .middle, size: 11, fill: index < 2 ? "#fff" : Canvas.ink)
            }
            x += width
        }
        if one.seconds == 0 { canvas.text(Self.barStart + 4, y + 31, "nothing", size: 11, fill: Canvas.faint) }
    }

    private mutating func verdict(
        _ result: CaseResult, _ one: StudyCase, _ model: ModelResult, at x: Double, _ y: Double
    ) {
        let middle = y + 15
        guard result.isJudged else {
            canvas.mark(.dash, x + 8, middle, 6, fill: "none", stroke: Canvas.unclear)
            return canvas.text(x + 22, middle + 4, "not judged", size: 11.5, fill: Canvas.unclear)
        }
        if let limit = result.limit, limit > 0 {
            func place(_ score: Double) -> Double { x + min(max(score / limit, 0), 2) * Self.modelWidth / 2 }
            let (low, high) = (place(result.lowest), place(result.highest))
            canvas.line(x, middle, x + Self.modelWidth, middle)
            let border = x + Self.modelWidth / 2
            canvas.line(border, y + 3, border, y + 27, stroke: Canvas.increased, width: 1.2, dashes: "4 3")
            if result.lowest < 2 * limit {
                canvas.line(low, middle, high, middle, stroke: Canvas.ink, width: 2)
                canvas.line(low, middle - 5, low, middle + 5, stroke: Canvas.ink, width: 1.5)
            }
            if result.highest > 2 * limit {
                let back = Canvas.number(high - 6)
                let (above, below) = (Canvas.number(middle - 5), Canvas.number(middle + 5))
                canvas.path(
                    "M\(back) \(above)L\(Canvas.number(high)) \(Canvas.number(middle))L\(back) \(below)",
                    stroke: Canvas.ink,
                    width: 1.5)
            } else {
                canvas.line(high, middle - 5, high, middle + 5, stroke: Canvas.ink, width: 1.5)
            }
            let spot = min(place(result.score), x + Self.modelWidth - (result.score > 2 * limit ? 12 : 0))
            mark(result, spot, middle)
        } else {
            mark(result, x + 8, middle)
        }
        var words = result.verdict + (result.robustness == .eitherWay ? ", either way" : "")
        if let expected = one.truth?.expected, (expected == .increased) != result.isIncreased { words += " – wrong" }
        let fill = result.isIncreased ? Canvas.increased : result.level == .low ? Canvas.low : Canvas.unclear
        canvas.text(x, y + 36, words, size: 11.5, fill: fill, isBold: result.isIncreased)
        let limit = result.limit.map { ", limit \(StudyText.number($0))" } ?? ""
        let interval = "\(StudyText.number(result.lowest)) to \(StudyText.number(result.highest))"
        canvas.text(x, y + 49, "\(StudyText.number(result.score)) (\(interval))\(limit)", size: 10.5, fill: Canvas.faint)
    }

    private mutating func mark(_ result: CaseResult, _ x: Double, _ y: Double) {
        switch result.level {
        case .increased?: canvas.mark(.triangle, x, y, 6.5, fill: Canvas.increased, stroke: Canvas.increased)
        case .low?: canvas.mark(.circle, x, y, 5.5, fill: "#fff", stroke: Canvas.low)
        case nil: canvas.mark(.dash, x, y, 6, fill: "none", stroke: Canvas.unclear)
        }
    }
}

extension Evaluation {
    /// The evaluation as the text of an SVG file, with at most 200 cases.
    public var picture: String { EvaluationPicture.draw(self) }
}
