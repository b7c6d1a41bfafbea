// SPDX-License-Identifier: Apache-2.0

import JSON

/// The visits whose reports were handed out together for one warning. Whether that warning goes out is known later.
public struct ReportBatch: Sendable, Hashable {
    /// The name of the batch, random, in ``names``: whoever gets the reports learns from it nothing about the visits.
    public let name: Int64
    /// The numbers of the visits; not empty.
    public internal(set) var visits: Set<Int>

    /// All possible names: 1 to 2⁵³ - 1, whole numbers that every reader of JSON keeps exactly.
    public static let names: ClosedRange<Int64> = 1...(1 << 53 - 1)

    init(name: Int64, visits: Set<Int>) {
        self.name = name
        self.visits = visits
    }

    var json: JSON { ["name": .int(name), "visits": .array(visits.sorted().map { .int(Int64($0)) })] }

    init?(_ json: JSON) {
        guard let name = json["name"]?.int, Self.names.contains(name), let numbers = json["visits"]?.array,
            !numbers.isEmpty, numbers.count <= VisitDiary.maximumVisits
        else { return nil }
        let visits = numbers.compactMap { $0.int.flatMap { Int(exactly: $0) } }
        guard visits.count == numbers.count else { return nil }
        self.init(name: name, visits: Set(visits))
    }
}
