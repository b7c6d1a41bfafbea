// SPDX-License-Identifier: Apache-2.0

/// Certificates of which a process says from when to when they are good, so that the supervisor can tell of one that runs out. A plugin is a
/// stranger: what makes no sense is not taken.
struct SaidCertificates {
    static let most = 8
    /// Unix seconds that a certificate's date can be: some 35,000 years either way.
    private static let moments: ClosedRange<Int64> = -(1 << 40)...(1 << 40)

    /// By name; both ends in Unix seconds.
    private(set) var spans: [String: ClosedRange<Int64>] = [:]

    /// Takes a message: `name` (1 to 24 of `a`–`z` and `-`) with `from` and `until`, or without both when there is no certificate of that name any
    /// more. False, and nothing is changed, when that makes no sense or there are ``most`` already.
    mutating func take(_ values: [String: String]) -> Bool {
        guard let name = values["name"], (1...24).contains(name.utf8.count),
            name.utf8.allSatisfy({ (97...122).contains($0) || $0 == 45 })
        else { return false }
        guard values["from"] != nil || values["until"] != nil else {
            spans[name] = nil
            return true
        }
        guard let from = values["from"].flatMap({ Int64($0) }), let until = values["until"].flatMap({ Int64($0) }),
            from <= until, Self.moments.contains(from), Self.moments.contains(until),
            spans[name] != nil || spans.count < Self.most
        else { return false }
        spans[name] = from...until
        return true
    }
}
