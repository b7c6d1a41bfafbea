// SPDX-License-Identifier: Apache-2.0

/// The search for a minimum without derivatives, by a simplex that turns, stretches and shrinks (Nelder and Mead 1965).
enum NelderMead {
    /// Returns the best point that was found, and its value. `steps` are added to `start` for the first simplex, one by one; as
    /// many points are looked at as `evaluations`, and a shrink more. Points with a coordinate outside of `ranges` are moved to its end.
    static func minimum(
        from start: [Double], steps: [Double], in ranges: [ClosedRange<Double>], evaluations: Int,
        progress: (Int) -> Void = { _ in }, of value: ([Double]) -> Double
    ) -> (point: [Double], value: Double) {
        var count = 0
        func look(_ point: [Double]) -> (point: [Double], value: Double) {
            let inside = zip(point, ranges).map { min(max($0, $1.lowerBound), $1.upperBound) }
            count += 1
            defer { progress(count) }
            return (inside, value(inside))
        }
        func between(_ one: [Double], _ other: [Double], _ share: Double) -> [Double] {
            zip(one, other).map { $0 + ($1 - $0) * share }
        }
        var simplex = [look(start)]
        for index in start.indices {
            var point = start
            point[index] += steps[index]
            simplex.append(look(point))
        }
        while count < evaluations {
            simplex.sort { $0.value < $1.value }
            let (best, worst) = (simplex[0], simplex[simplex.count - 1])
            let others = simplex.dropLast()
            let centre = start.indices.map { index in
                others.reduce(0) { $0 + $1.point[index] } / Double(others.count)
            }
            let turned = look(between(centre, worst.point, -1))
            var replacement = turned
            if turned.value < best.value {
                let further = look(between(centre, worst.point, -2))
                if further.value < turned.value { replacement = further }
            } else if turned.value >= simplex[simplex.count - 2].value {
                replacement = look(between(centre, turned.value < worst.value ? turned.point : worst.point, 0.5))
                if replacement.value >= min(turned.value, worst.value) {
                    for index in 1..<simplex.count { simplex[index] = look(between(best.point, simplex[index].point, 0.5)) }
                    continue
                }
            }
            simplex[simplex.count - 1] = replacement
        }
        return simplex.min { $0.value < $1.value } ?? simplex[0]
    }
}
