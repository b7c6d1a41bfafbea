// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Writes one interface: its text, its methods, and the law of each.
enum MethodWriter {
    static func file(_ interface: AnnotatedInterface) -> String {
        let description = interface.description
        let type = SwiftText.type(description.name)
        var out = SwiftText(origin: "\(description.name).varlink")
        out.add("\nextension \(type) {")
        out.add("/// The text of `\(description.name)`, byte for byte as in `Texts`: what its server shows to callers.", 1)
        out.add("public static let text =", 1)
        out.add(SwiftText.literal(interface.text.text))
        out.add()
        out.add("/// The methods of `\(description.name)`. The raw value is the name on the wire.", 1)
        out.add("public enum Method: String, LawfulMethod {", 1)
        for method in description.methods {
            out.document(method.prose, 2)
            out.add("case \(SwiftText.name(method.name)) = \"\(method.name)\"", 2)
        }
        out.add("\n/// The interface's name, as calls carry it before the method's.", 2)
        out.add("public static var interface: String { \"\(description.name)\" }\n", 2)
        out.add("/// Who may call the method, and what its answers tell: the annotations above it in the text.", 2)
        out.add("public var law: Law {", 2)
        out.add("switch self {", 3)
        for method in description.methods {
            out.add("case .\(SwiftText.name(method.name)): \(law(interface.rules[method.name] ?? .init()))", 3)
        }
        out.add("}", 3)
        out.add("}", 2)
        out.add("}", 1)
        out.add("}")
        for (name, words) in interface.wordRoles.sorted(by: { $0.key < $1.key }) {
            out.add("\nextension \(type).\(name) {")
            out.add("/// The roles that may choose it, as `# @roles` above the word says.", 1)
            out.add("public var roles: Set<Law.Holder> {", 1)
            out.add("switch self {", 2)
            for (word, roles) in words { out.add("case .\(SwiftText.name(word)): \(set(roles))", 2) }
            out.add("}", 2)
            out.add("}", 1)
            out.add("}")
        }
        return out.text
    }

    private static func law(_ rules: AnnotatedInterface.Rules) -> String {
        var parts = [set(rules.roles), ".\(rules.results)"]
        if !rules.inPlaces.isEmpty { parts.append("inPlaces: \(set(rules.inPlaces))") }
        if rules.isAboutConsents { parts.append("isAboutConsents: true") }
        if rules.isExclusive { parts.append("isExclusive: true") }
        if rules.isForFleets { parts.append("isForFleets: true") }
        return "Law(\(parts.joined(separator: ", ")))"
    }

    private static func set(_ roles: [String]) -> String { "[\(roles.map { ".\($0)" }.joined(separator: ", "))]" }
}
