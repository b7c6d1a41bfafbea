// SPDX-License-Identifier: Apache-2.0

/// The names in a JSON document, at every depth: a decoder passes over what it does not know, and a word misspelt would be a
/// scenario that silently is another one.
struct MemberNames: Decodable {
    /// What may be in an object.
    indirect enum Form: Sendable {
        case leaf
        case object([String: Form])
        case list(Form)
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private var members: [String: MemberNames] = [:]
    private var elements: [MemberNames] = []

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Name.self) {
            for key in object.allKeys { members[key.stringValue] = try object.decode(MemberNames.self, forKey: key) }
        } else if var list = try? decoder.unkeyedContainer() {
            while !list.isAtEnd { elements.append(try list.decode(MemberNames.self)) }
        }
    }

    /// The place of the first member that `form` does not know.
    func stranger(to form: Form) -> String? {
        switch form {
        case .leaf: return nil
        case .list(let element): return elements.lazy.compactMap { $0.stranger(to: element) }.first
        case .object(let known):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                guard let form = known[name] else { return name }
                if let stranger = member.stranger(to: form) { return "\(name).\(stranger)" }
            }
            return nil
        }
    }
}

extension PeopleScenario {
    private static func object(_ names: String, _ others: [String: MemberNames.Form] = [:]) -> MemberNames.Form {
        let leaves = names.split(separator: " ").map { (String($0), MemberNames.Form.leaf) }
        return .object(others.merging(leaves) { other, _ in other })
    }

    /// As in docs/schemas/simulation.schema.json.
    static let members = object(
        "format epoch days seed",
        [
            "environment": object("air pl0 n sigma shadow shadowPeriod brief briefPeriod burst lost floor noise"),
            "generator": object("people households offices bus shopping clockError interruptions diagnoses"),
            "people": .list(object("id name profile clockError tx body path")),
            "events": .list(object("person day hour what seconds")),
            "diagnoses": .list(object("person day reportType onset transmissionRiskLevel revokedOn changesTo changedOn")),
            "thresholds": .list(object("metres minutes")),
        ])
}
