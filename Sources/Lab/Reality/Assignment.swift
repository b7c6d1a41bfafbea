// SPDX-License-Identifier: Apache-2.0

/// The assignment of rows to columns with the smallest sum of costs (Kuhn's Hungarian method with potentials, as Jonker and
/// Volgenant wrote it down): n² · m steps.
enum Assignment {
    /// Returns pairs of row and column, as many as the smaller number of the two, each row and column at most once.
    /// All rows must have the same number of finite costs.
    static func best(_ costs: [[Double]]) -> [(row: Int, column: Int)] {
        guard let first = costs.first, !first.isEmpty else { return [] }
        guard costs.count <= first.count else {
            let turned = first.indices.map { column in costs.map { $0[column] } }
            return best(turned).map { ($0.column, $0.row) }.sorted { $0.0 < $1.0 }
        }
        let (rows, columns) = (costs.count, first.count)
        // Numbered from 1; column 0 stands for the row that is being placed.
        var rowPotential = [Double](repeating: 0, count: rows + 1)
        var columnPotential = [Double](repeating: 0, count: columns + 1)
        var rowOfColumn = [Int](repeating: 0, count: columns + 1)
        var before = [Int](repeating: 0, count: columns + 1)
        for row in 1...rows {
            rowOfColumn[0] = row
            var column = 0
            var smallest = [Double](repeating: .infinity, count: columns + 1)
            var isUsed = [Bool](repeating: false, count: columns + 1)
            repeat {
                isUsed[column] = true
                let current = rowOfColumn[column]
                var (delta, next) = (Double.infinity, 0)
                for candidate in 1...columns where !isUsed[candidate] {
                    let reduced = costs[current - 1][candidate - 1] - rowPotential[current] - columnPotential[candidate]
                    if reduced < smallest[candidate] { (smallest[candidate], before[candidate]) = (reduced, column) }
                    if smallest[candidate] < delta { (delta, next) = (smallest[candidate], candidate) }
                }
                for candidate in 0...columns {
                    if isUsed[candidate] {
                        rowPotential[rowOfColumn[candidate]] += delta
                        columnPotential[candidate] -= delta
                    } else {
                        smallest[candidate] -= delta
                    }
                }
                column = next
            } while rowOfColumn[column] != 0
            repeat {
                let previous = before[column]
                rowOfColumn[column] = rowOfColumn[previous]
                column = previous
            } while column != 0
        }
        return (1...columns).filter { rowOfColumn[$0] > 0 }.map { (rowOfColumn[$0] - 1, $0 - 1) }.sorted { $0.0 < $1.0 }
    }
}
