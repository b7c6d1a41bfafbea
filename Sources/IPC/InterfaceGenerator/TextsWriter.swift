// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Writes the list of all texts.
enum TextsWriter {
    static func file(_ interfaces: [AnnotatedInterface]) -> String {
        var out = SwiftText(origin: "all texts")
        out.add("\nextension InterfaceTexts {")
        out.add("/// The texts of all interfaces of this tree, by the interface's name.", 1)
        list("all", interfaces, &out)
        out.add("\n/// The texts of the interfaces that the core answers, by the interface's name.", 1)
        list("core", interfaces.filter(\.isCore), &out)
        out.document(
            "The method that a text of this tree has under these names; `nil` if none has.\n\n- Parameters:\n  - name: The method's name, as calls carry it after the last dot.\n  - interface: The name of its interface.",
            1)
        out.add("public static func method(_ name: String, of interface: String) -> (any LawfulMethod)? {", 1)
        out.add("switch interface {", 2)
        for type in interfaces.map({ SwiftText.type($0.description.name) }) {
            out.add("case \(type).Method.interface: return \(type).Method(rawValue: name)", 2)
        }
        out.add("default: return nil", 2)
        out.add("}", 2)
        out.add("}", 1)
        out.add("}")
        return out.text
    }

    private static func list(_ name: String, _ interfaces: [AnnotatedInterface], _ out: inout SwiftText) {
        out.add("public static let \(name): [String: String] = [", 1)
        for type in interfaces.map({ SwiftText.type($0.description.name) }) {
            out.add("\(type).Method.interface: \(type).text,", 2)
        }
        if interfaces.isEmpty { out.add(":", 2) }
        out.add("]", 1)
    }
}
