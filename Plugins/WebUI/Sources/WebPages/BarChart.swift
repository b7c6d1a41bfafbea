// SPDX-License-Identifier: Apache-2.0

/// Upright bars side by side, drawn as they are: no script, no picture file. What it shows stands in a table beside it, too.
struct BarChart {
    struct Bar {
        enum Style: String { case calm, warm, accent, empty }

        var label: String
        /// 0 or more; what is no number counts as 0.
        var value: Double
        var style: Style
        /// Whether a triangle stands above it, so that colour does not stand alone.
        var mark = false
    }

    /// Unique in the page.
    let id: String
    let title: String
    let description: String
    let bars: [Bar]
    /// A line across.
    var limit: Double?
    /// Every so many bars has its label.
    var labelEvery = 1
    /// What the whole height stands for; the highest bar or the limit where absent.
    var top: Double?

    private static let width = 360
    private static let height = 170
    private static let floor = 140
    private static let ceiling = 24

    var html: HTML {
        el(.figure, .class("chart")) {
            el(.svg, .viewBox(Self.width, Self.height), .role("img"), .labelledBy(id + "-title " + id + "-text")) {
                el(.title, .id(id + "-title"), text: title)
                el(.desc, .id(id + "-text"), text: description)
                el(
                    .line, .class("axis"), .shape(.x1, 0), .shape(.x2, Self.width), .shape(.y1, Self.floor),
                    .shape(.y2, Self.floor))
                bars.enumerated().map { index, bar in drawn(bar, index) }
                if let limit {
                    let y = position(limit)
                    el(.line, .class("limit"), .shape(.x1, 0), .shape(.x2, Self.width), .shape(.y1, y), .shape(.y2, y))
                }
            }
        }
    }

    private var highest: Double {
        let all = (bars.map(\.value) + [limit ?? 0]).filter(\.isFinite)
        return max(top ?? all.max() ?? 0, 1e-9)
    }

    private func position(_ value: Double) -> Int {
        let share = value.isFinite ? min(max(value / highest, 0), 1) : 0
        return Self.floor - Int((share * Double(Self.floor - Self.ceiling)).rounded())
    }

    @HTMLBuilder private func drawn(_ bar: Bar, _ index: Int) -> HTML {
        let slot = Self.width / max(bars.count, 1)
        let gap = max(1, slot / 5)
        let x = index * slot + gap / 2
        let y = bar.value > 0 ? min(position(bar.value), Self.floor - 2) : Self.floor
        el(
            .rect, .class("bar " + bar.style.rawValue), .shape(.x, x), .shape(.y, y), .shape(.width, max(1, slot - gap)),
            .shape(.height, Self.floor - y), .shape(.rx, min(4, slot / 6)))
        if bar.mark {
            let middle = x + (slot - gap) / 2
            el(
                .polygon, .class("mark-warm"),
                .shape(.points, "\(middle - 6),\(y - 4) \(middle + 6),\(y - 4) \(middle),\(y - 14)"))
        }
        if index % labelEvery == 0 {
            el(
                .text, .class("tick"), .shape(.x, x + (slot - gap) / 2), .shape(.y, Self.floor + 20),
                .shape(.anchor, "middle"), text: bar.label)
        }
    }
}
