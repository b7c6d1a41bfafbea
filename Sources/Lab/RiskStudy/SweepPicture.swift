// SPDX-License-Identifier: Apache-2.0

import ExposureRisk

/// One parameter as lines, two as a map.
struct SweepPicture {
    private static let left = 76.0
    private static let top = 96.0
    private static let plotHeight = 340.0
    private static let plotWidth = 620.0

    private let sweep: Sweep
    private var canvas: Canvas
    private var notes: [String] = []

    private init(_ sweep: Sweep) {
        self.sweep = sweep
        canvas = Canvas(width: Self.left + Self.plotWidth + 200)
    }

    static func draw(_ sweep: Sweep) -> String {
        var picture = SweepPicture(sweep)
        return sweep.variations.count == 1 ? picture.lines() : picture.map()
    }

    private var most: Int { max(sweep.points.compactMap { $0.result?.increased }.max() ?? 0, 1) }

    private var description: String {
        let values = sweep.points.compactMap { $0.result?.increased }
        let unusable = sweep.points.count { $0.result == nil }
        return "Of \(sweep.cases) cases, between \(values.min() ?? 0) and \(values.max() ?? 0) are increased over "
            + "\(sweep.points.count) values of \(sweep.variations.map(\.path).joined(separator: " and ")); "
            + "\(unusable) of them make a configuration that cannot be used."
    }

    // MARK: One parameter

    private mutating func lines() -> String {
        let variation = sweep.variations[0]
        let title = "\(sweep.model.rawValue): increased cases as one parameter varies"
        canvas.text(24, 32, title, size: 18, isBold: true)
        canvas.text(24, 54, "\(variation.path), now \(StudyText.exact(sweep.present[0]))", size: 12, fill: Canvas.faint)
        let bottom = Self.top + Self.plotHeight
        let right = Self.left + Self.plotWidth
        let from = variation.values.first ?? 0
        let length = max((variation.values.last ?? 0) - from, 1e-12)
        func x(_ value: Double) -> Double { Self.left + (value - from) / length * Self.plotWidth }
        let step = max(1, Canvas.step(of: Double(most), count: 6))
        let limit = step * (Double(most) / step).rounded(.up)
        func y(_ share: Double) -> Double { bottom - share * Self.plotHeight }

        for tick in 0...Int(limit / step) {
            let value = Double(tick) * step
            canvas.line(Self.left, y(value / limit), right, y(value / limit))
            canvas.text(Self.left - 8, y(value / limit) + 4, StudyText.number(value), anchor: .end, size: 11)
        }
        if sweep.hasTruth {
            for tick in 0...4 {
                let share = Double(tick) / 4
                canvas.text(right + 8, y(share) + 4, "\(tick * 25) %", size: 11, fill: Canvas.faint)
            }
        }
        let across = Canvas.step(of: length, count: 10)
        var tick = (from / across).rounded(.up) * across
        while tick <= from + length * 1.000001 {
            canvas.line(x(tick), bottom, x(tick), bottom + 5, stroke: Canvas.faint)
            canvas.text(x(tick), bottom + 20, StudyText.number(tick), anchor: .middle, size: 11)
            tick += across
        }
        canvas.text(Self.left + Self.plotWidth / 2, bottom + 42, "value", anchor: .middle, size: 12)
        canvas.text(
            24, Self.top + Self.plotHeight / 2, "increased cases of \(sweep.cases)", anchor: .middle, size: 12, turned: -90)
        unusable(x, bottom)
        if (from...(from + length)).contains(sweep.present[0]) {
            let now = x(sweep.present[0])
            canvas.line(now, Self.top - 8, now, bottom, stroke: Canvas.faint, width: 1.2, dashes: "2 3")
            canvas.text(now, Self.top - 14, "now", anchor: .middle, size: 11, fill: Canvas.faint)
        }
        series(x, { y($0 / limit) }, Canvas.ink, nil, .square) { Double($0.increased) }
        if sweep.hasTruth {
            series(x, y, Canvas.increased, "7 4", .triangle) { $0.agreement.sensitivity?.value }
            series(x, y, Canvas.low, "2 3", .circle) { $0.agreement.specificity?.value }
        }
        key(right + 56, sweep.points.contains { $0.result == nil })
        return canvas.svg(height: bottom + 60, title: title, description: description)
    }

    private mutating func series(
        _ x: (Double) -> Double, _ y: (Double) -> Double, _ colour: String, _ dashes: String?, _ shape: Canvas.Shape,
        _ value: (Sweep.Result) -> Double?
    ) {
        // Broken where a configuration cannot be used.
        var path = ""
        var isDrawing = false
        var spots: [(Double, Double)] = []
        for point in sweep.points {
            guard let result = point.result, let value = value(result) else {
                isDrawing = false
                continue
            }
            let spot = (x(point.values[0]), y(value))
            path += "\(isDrawing ? "L" : "M")\(Canvas.number(spot.0)) \(Canvas.number(spot.1))"
            isDrawing = true
            spots.append(spot)
        }
        canvas.path(path.isEmpty ? "M0 0" : path, stroke: colour, width: 2, dashes: dashes)
        // At most some thirty marks, or they hide the line.
        let stride = max(1, spots.count / 30)
        for (index, spot) in spots.enumerated() where index % stride == 0 {
            canvas.mark(
                shape, spot.0, spot.1, shape == .square ? 3 : 4, fill: shape == .circle ? "#fff" : colour, stroke: colour)
        }
    }

    private mutating func unusable(_ x: (Double) -> Double, _ bottom: Double) {
        for point in sweep.points where point.result == nil {
            let spot = x(point.values[0])
            canvas.path(
                "M\(Canvas.number(spot - 4)) \(Canvas.number(bottom - 4))l8 -8m0 8l-8 -8", stroke: Canvas.increased,
                width: 1.5)
        }
    }

    private mutating func key(_ x: Double, _ hasUnusable: Bool) {
        var y = Self.top + 12
        func entry(_ name: String, _ colour: String, _ dashes: String?, _ shape: Canvas.Shape, _ canvas: inout Canvas) {
            canvas.line(x, y, x + 28, y, stroke: colour, width: 2, dashes: dashes)
            canvas.mark(
                shape, x + 14, y, shape == .square ? 3 : 4, fill: shape == .circle ? "#fff" : colour, stroke: colour)
            canvas.text(x + 36, y + 4, name, size: 12)
            y += 24
        }
        entry("increased", Canvas.ink, nil, .square, &canvas)
        if sweep.hasTruth {
            entry("sensitivity", Canvas.increased, "7 4", .triangle, &canvas)
            entry("specificity", Canvas.low, "2 3", .circle, &canvas)
        }
        if hasUnusable {
            canvas.path(
                "M\(Canvas.number(x + 10)) \(Canvas.number(y + 4))l8 -8m0 8l-8 -8", stroke: Canvas.increased, width: 1.5)
            canvas.text(x + 36, y + 4, "cannot be used", size: 12)
        }
    }

    // MARK: Two parameters

    private mutating func map() -> String {
        let (down, across) = (sweep.variations[0], sweep.variations[1])
        let title = "\(sweep.model.rawValue): increased cases as two parameters vary"
        canvas.text(24, 32, title, size: 18, isBold: true)
        canvas.text(
            24, 54, "across: \(across.path), now \(StudyText.exact(sweep.present[1]))", size: 12, fill: Canvas.faint)
        canvas.text(24, 71, "down: \(down.path), now \(StudyText.exact(sweep.present[0]))", size: 12, fill: Canvas.faint)
        let columns = Double(across.values.count)
        let cell = min(64, Self.plotWidth / columns)
        let height = min(40, max(8, cell * 0.62))
        func x(_ column: Int) -> Double { Self.left + Double(column) * cell }
        func y(_ row: Int) -> Double { Self.top + Double(row) * height }
        for (index, point) in sweep.points.enumerated() {
            let (row, column) = (index / across.values.count, index % across.values.count)
            self.cell(point, x(column), y(row), cell, height)
            if point.values == sweep.present {
                canvas.rectangle(x(column) + 1, y(row) + 1, cell - 2, height - 2, fill: "none", stroke: Canvas.increased)
                canvas.rectangle(x(column) + 2, y(row) + 2, cell - 4, height - 4, fill: "none", stroke: "#fff")
            }
        }
        let bottom = y(down.values.count)
        let columnStride = max(1, Int((44 / cell).rounded(.up)))
        for (index, value) in across.values.enumerated() where index % columnStride == 0 {
            canvas.text(x(index) + cell / 2, bottom + 18, StudyText.exact(value), anchor: .middle, size: 11)
        }
        let rowStride = max(1, Int((15 / height).rounded(.up)))
        for (index, value) in down.values.enumerated() where index % rowStride == 0 {
            canvas.text(Self.left - 8, y(index) + height / 2 + 4, StudyText.exact(value), anchor: .end, size: 11)
        }
        scale(max(x(across.values.count) + 28, Self.left + 220))
        let end = max(bottom, Self.top + 190)
        return canvas.svg(height: end + 40, title: title, description: description)
    }

    private static let steps = ["#f3f7fb", "#d3e2f0", "#a9c7e2", "#74a3cf", "#3f7bb4", "#1f5790", "#08305c"]

    private func shade(_ count: Int) -> Int {
        count == 0 ? 0 : max(1, min(Self.steps.count - 1, (count * (Self.steps.count - 1) + most - 1) / most))
    }

    private mutating func cell(_ point: Sweep.Point, _ x: Double, _ y: Double, _ width: Double, _ height: Double) {
        let values = zip(sweep.variations, point.values).map { "\($0.path) \(StudyText.exact($1))" }.joined(separator: ", ")
        guard let result = point.result else {
            canvas.rectangle(
                x, y, width, height, fill: "#fff", stroke: Canvas.line, title: "\(values): \(point.problem ?? "")")
            let number = Canvas.number
            canvas.path(
                "M\(number(x + width / 2 - 4)) \(number(y + height / 2 - 4))l8 8m0 -8l-8 8", stroke: Canvas.increased,
                width: 1.5)
            return
        }
        let shade = shade(result.increased)
        var title = "\(values): \(result.increased) of \(result.judged) increased"
        if let share = result.agreement.sensitivity { title += ", sensitivity \(StudyText.percent(share.value))" }
        if let share = result.agreement.specificity { title += ", specificity \(StudyText.percent(share.value))" }
        canvas.rectangle(x, y, width, height, fill: Self.steps[shade], stroke: "#fff", title: title)
        if width >= 26, height >= 14 {
            canvas.text(
                x + width / 2, y + height / 2 + 4, "\(result.increased)", anchor: .middle, size: 12,
                fill: shade > 3 ? "#fff" : Canvas.ink)
        }
    }

    private mutating func scale(_ x: Double) {
        var y = Self.top + 4
        canvas.text(x, y + 6, "increased of \(sweep.cases)", size: 12, isBold: true)
        y += 16
        // Few cases need fewer shades.
        for shade in Self.steps.indices {
            let counts = (0...most).filter { self.shade($0) == shade }
            guard let first = counts.first, let last = counts.last else { continue }
            canvas.rectangle(x, y, 20, 14, fill: Self.steps[shade], stroke: Canvas.faint)
            canvas.text(x + 28, y + 11, first == last ? "\(first)" : "\(first) to \(last)", size: 11.5)
            y += 19
        }
        if sweep.points.contains(where: { $0.result == nil }) {
            canvas.rectangle(x, y, 20, 14, fill: "#fff", stroke: Canvas.faint)
            canvas.path(
                "M\(Canvas.number(x + 6)) \(Canvas.number(y + 3))l8 8m0 -8l-8 8", stroke: Canvas.increased, width: 1.5)
            canvas.text(x + 28, y + 11, "cannot be used", size: 11.5)
            y += 19
        }
        guard sweep.points.contains(where: { $0.values == sweep.present }) else { return }
        canvas.rectangle(x, y, 20, 14, fill: "#fff", stroke: Canvas.increased)
        canvas.text(x + 28, y + 11, "now", size: 11.5)
    }
}

extension Sweep {
    /// The sweep as the text of an SVG file: lines for one parameter, a map for two.
    public var picture: String { SweepPicture.draw(self) }
}
