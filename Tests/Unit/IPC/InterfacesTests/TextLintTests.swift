// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing
import Varlink

/// The texts that ship are those the lint was made for.
@Suite struct TextLintTests {
    static let names = InterfaceTexts.all.keys.sorted()

    private func findings(_ text: String) throws -> [InterfaceLint.Finding] {
        InterfaceLint.findings(
            in: try InterfaceDescription(parsing: text), exceptions: InterfaceTexts.privacyExceptions)
    }

    @Test(arguments: names) func aTextThatShipsHasNoFindings(name: String) throws {
        let text = try #require(InterfaceTexts.all[name])
        let found = try findings(text).map(\.description)
        #expect(found == [], "\(found.joined(separator: "; "))")
        #expect(try InterfaceDescription(parsing: text).name == name)
    }

    @Test func everyExceptionIsOfATextThatShips() {
        for exception in InterfaceTexts.privacyExceptions {
            #expect(Self.names.contains { exception.hasPrefix($0 + ".") })
        }
    }

    /// Every place of every text where a field can be: before its first field.
    private static let places = names.flatMap { name -> [(name: String, line: Int)] in
        let lines = (InterfaceTexts.all[name] ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.dropLast().filter { index in
            // Words of an enumeration have comments, too, and no colon.
            !lines[index].hasPrefix("#") && lines[index].hasSuffix("(") && lines[index + 1].hasPrefix("  #")
                && lines[index...].first { !$0.hasPrefix("  #") && $0 != lines[index] }?.contains(":") == true
        }.map { (name, $0) }
    }

    @Test(arguments: [
        "identifier: string", "rollingProximityIdentifier: string", "tek: string", "address: string", "payload: []int",
        "raw: object", "anything: object", "keyDigest: string", "rpi: ?string", "hex: string",
    ])
    func whatIsPlantedIsFoundWhereverItIs(field: String) throws {
        #expect(Self.places.count >= 60)
        let name = field.prefix { $0 != ":" }
        for place in Self.places {
            var lines = (InterfaceTexts.all[place.name] ?? "").split(separator: "\n", omittingEmptySubsequences: false)
                .map(String.init)
            lines.insert(contentsOf: ["  # Planted.", "  \(field),"], at: place.line + 1)
            let found = try findings(lines.joined(separator: "\n"))
            let rules: [InterfaceLint.Rule] = [.forbiddenName, .bytesAsText, .untypedObject]
            #expect(
                found.contains { rules.contains($0.rule) && $0.path.hasSuffix(".\(name)") },
                "\(field) passes in \(place.name) after \"\(lines[place.line])\"")
        }
    }
}
