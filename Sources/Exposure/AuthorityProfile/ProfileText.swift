// SPDX-License-Identifier: Apache-2.0

package import JSON
import RiskConfiguration

/// Explains why a text is not JSON, for a person who has it open in an editor.
package enum ProfileText {
    /// Returns one sentence with the place, as line and column from 1, the column in bytes, and the problem. It
    /// quotes only a duplicate name of the document, made printable.
    package static func sentence(_ error: JSONError, in bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "the file is empty" }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return "the file begins with a byte order mark: save it as UTF-8 without one (BOM)"
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return "the file is saved as UTF-16: save it as UTF-8"
        }
        guard case .byte(let offset)? = error.place else { return "\(error)" }
        let before = bytes.prefix(max(offset, 0))
        let line = before.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        let place = "line \(line), column \(column)"
        if bytes[before.count...].allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) {
            return "\(place): the file ends here, and part of it is missing"
        }
        let byte = bytes[before.count]
        if error.code == .malformedJSON, byte == 0x0A || byte == 0x0D, error.detail.contains("control character") {
            return
                "\(place): a text in quotes goes over the end of the line; write \\n there, or a key as one line of Base64"
        }
        if error.code == .duplicateKey {
            let name = bytes[(before.count + 1)...].prefix { $0 != UInt8(ascii: "\"") }.prefix(64)
            let shown = String(decoding: name.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
            return "\(place): \"\(shown)\" is in this object already"
        }
        // The rule's name in brackets is for logs.
        let words = JSONError(error.code, error.detail).description
        return "\(place): \(words.prefix(while: { $0 != "[" }))".trimmingTail()
    }
}

extension String {
    fileprivate func trimmingTail() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
