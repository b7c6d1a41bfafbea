// SPDX-License-Identifier: Apache-2.0

import JSON

extension JSON {
    /// With the date beside each day since 1970, for scripts that would have to work it out: `"day":20778,"date":"2026-11-21"`, and
    /// `mostRelevantDate` beside `mostRelevantDay`. What is there under such a name already stays.
    var withDates: JSON {
        switch self {
        case .array(let elements): return .array(elements.map(\.withDates))
        case .object(let object):
            var dated = JSON.Object()
            for member in object.members {
                dated[member.name] = member.value.withDates
                let name = ["day": "date", "mostRelevantDay": "mostRelevantDate"][member.name]
                if let name, object[name] == nil, let day = member.value.int, let number = Int(exactly: day) {
                    let text = Words.day(number)
                    if !text.hasPrefix("day ") { dated[name] = .string(text) }
                }
            }
            return .object(dated)
        default: return self
        }
    }
}
