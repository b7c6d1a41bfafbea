// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Writes what the core answers as one type, so that its dispatch is a switch that has to be complete.
enum CoreMethodWriter {
    static func file(_ interfaces: [AnnotatedInterface]) -> String {
        let types = interfaces.map { SwiftText.type($0.description.name) }
        var out = SwiftText(origin: "the texts with `# @server core`")
        out.add("\nimport Varlink\n")
        out.add("/// A method that the core answers, by its interface.")
        out.add("public enum CoreMethod: Hashable, Sendable, CaseIterable {")
        for type in types {
            out.add("/// A method of `\(type)`.", 1)
            out.add("case \(SwiftText.name(type))(\(type).Method)", 1)
        }
        out.add()
        out.document("`nil` for what no text of the core has.\n\n- Parameter path: `interface.Method`.", 1)
        out.add("public init?(path: String) {", 1)
        out.add("guard let dot = path.utf8.lastIndex(of: UInt8(ascii: \".\")) else { return nil }", 2)
        out.add("let method = String(path[path.utf8.index(after: dot)...])", 2)
        out.add("switch String(path[..<dot]) {", 2)
        for type in types {
            out.add("case \(type).Method.interface:", 2)
            out.add("guard let method = \(type).Method(rawValue: method) else { return nil }", 3)
            out.add("self = .\(SwiftText.name(type))(method)", 3)
        }
        out.add("default: return nil", 2)
        out.add("}", 2)
        out.add("}\n", 1)
        out.add("/// Every method that the core answers, in the order of the texts.", 1)
        out.add("public static var allCases: [CoreMethod] {", 1)
        out.add("var all: [CoreMethod] = []", 2)
        for type in types { out.add("all += \(type).Method.allCases.map(CoreMethod.\(SwiftText.name(type)))", 2) }
        out.add("return all", 2)
        out.add("}\n", 1)
        out.add("/// The method of its interface.", 1)
        out.add("public var method: any LawfulMethod {", 1)
        out.add("switch self {", 2)
        for type in types { out.add("case .\(SwiftText.name(type))(let method): method", 2) }
        out.add("}", 2)
        out.add("}\n", 1)
        out.add("/// Who may call it, and what its answers tell.", 1)
        out.add("public var law: Law { method.law }", 1)
        out.add("/// The interface it belongs to.", 1)
        out.add("public var interface: String { type(of: method).interface }", 1)
        out.add("/// `interface.Method`, as a call carries it.", 1)
        out.add("public var path: String { method.path }", 1)
        out.add("}")
        return out.text
    }
}
