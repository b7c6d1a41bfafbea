// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// Where in a file: `plugins.sync.calls["org.vigil.exposure1"][0]`.
struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String = "") { self.description = description }

    /// Names that would make the path ambiguous are quoted; long ones are cut.
    func field(_ name: String) -> JSONPath {
        let isPlain =
            name.utf8.count <= 64 && !name.isEmpty
            && name.utf8.allSatisfy { Form.isLetter($0) || Form.isDigit($0) || $0 == 95 || $0 == 45 || $0 == 36 }
        guard !isPlain else { return JSONPath(description.isEmpty ? name : "\(description).\(name)") }
        let quoted = ForeignText.line(name, limit: 100).split(separator: "\"", omittingEmptySubsequences: false)
        return JSONPath("\(description)[\"\(quoted.joined(separator: "\\\""))\"]")
    }

    func index(_ index: Int) -> JSONPath { JSONPath("\(description)[\(index)]") }
}
