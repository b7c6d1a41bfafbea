// SPDX-License-Identifier: Apache-2.0

import JSON
import PluginManifest
import Testing

@Suite struct SettingsTests {
    private let schema: SettingsSchema

    init() throws { schema = try Manifest(parsing: Array(Samples.manifest.utf8)).settings }

    private func problems(_ settings: JSON) -> [String] {
        do throws(Refusal) {
            _ = try schema.filled(settings)
            return []
        } catch {
            return error.problems.map(\.path)
        }
    }

    @Test func standardsAreFilledIn() throws {
        #expect(try schema.filled([:]) == ["greeting": "Hello", "times": 1, "loud": false])
        #expect(
            try schema.filled(["friends": [["name": "Ada"], ["name": "Bob", "age": 5]], "times": 2, "ratio": 1])
                == [
                    "greeting": "Hello", "times": 2, "ratio": 1, "loud": false,
                    "friends": [["name": "Ada", "age": 30], ["name": "Bob", "age": 5]],
                ])
    }

    @Test func everyMistakeIsToldAtOnce() {
        #expect(
            problems([
                "greeting": "much too long for a greeting", "times": 10, "ratio": 0.25, "loud": "yes", "mood": "so so",
                "names": ["a", 5, "far too long a name"], "friends": [["age": 3], ["name": "a", "size": 1], 4], "other": 1,
            ]) == [
                "settings.greeting", "settings.times", "settings.ratio", "settings.loud", "settings.mood",
                "settings.names[1]", "settings.names[2]", "settings.friends[0].name", "settings.friends[1].size",
                "settings.friends[2]", "settings.other",
            ])
        #expect(problems(["names": ["a", "b", "c", "d"]]) == ["settings.names"])
        #expect(problems(["times": 1.5]) == ["settings.times"])
        #expect(problems([]) == ["settings"])
    }

    @Test func settingsAsAWholeAreBounded() {
        let long = JSON.array((0..<64).map { _ in ["name": .string(String(repeating: "x", count: 1_000))] })
        #expect(problems(["friends": long]) == ["settings"])
    }

    @Test func titlesAreKeptForThePage() throws {
        let greeting = try #require(schema.properties.first)
        #expect(greeting.title == "Greeting" && greeting.description == "The first word.")
        #expect(greeting.isRequired && greeting.standard == "Hello")
    }

    @Test func secretsAreNotShown() {
        let shown = schema.shown([
            "greeting": "a", "token": "s3cret", "friends": [["name": "Ada", "pin": "1234"]],
        ])
        #expect(shown == ["greeting": "a", "token": "(set)", "friends": [["name": "Ada", "pin": "(set)"]]])
    }

    /// A technician could give a page a title that reads as another, or a log a line that is none.
    @Test func aTextThatTurnsHidesOrControlsIsNoSetting() throws {
        for mark in ["\u{202E}", "\u{2066}", "\u{200B}", "\u{1B}", "\u{0}", "\u{85}", "\u{E000}"] {
            let refusal = #expect(throws: Refusal.self) { try schema.filled(["greeting": .string("x\(mark)y")]) }
            #expect(refusal?.problems.first?.text.contains("turn the direction of reading") == true)
        }
        #expect(problems(["greeting": "a\n\té 漢 👩"]).isEmpty)
    }

    @Test func aSchemaThatMakesNoSenseIsRefused() throws {
        func places(_ property: JSON) throws -> [String] {
            Samples.problems(
                try Samples.changed { $0["settings"] = ["properties": ["a": property]] }
            ).map { String($0.path.dropFirst("settings.properties.a".count)) }
        }
        #expect(try places(["type": "string", "minimum": 1]) == [".minimum"])
        #expect(try places(["type": "integer", "minimum": 5, "maximum": 1]) == [".minimum"])
        #expect(try places(["type": "integer", "minimum": 1.5]) == [".minimum"])
        #expect(try places(["type": "integer", "default": "1"]) == [".default"])
        #expect(try places(["type": "integer", "maximum": 5, "default": 6]) == [".default"])
        #expect(try places(["type": "string", "enum": ["a", 1, "a"]]) == [".enum[1]", ".enum[2]"])
        #expect(try places(["type": "string", "enum": ["a"], "default": "b"]) == [".default"])
        #expect(try places(["type": "array"]) == [".items"])
        #expect(try places(["type": "array", "items": ["type": "array"]]).first == ".items.type")
        #expect(try places(["type": "array", "items": ["type": "object"]]) == [".items.properties"])
        #expect(try places(["type": "array", "items": ["type": "integer"], "default": [1, "b"]]) == [".default[1]"])
        #expect(
            try places(["type": "array", "items": ["type": "object", "properties": ["b": ["type": "array"]]]]).first
                == ".items.properties.b.type")
        #expect(try places(["type": "string", "pattern": "a+"]) == [".pattern"])
        #expect(try places(["type": "string", "default": "a", "minLength": 1, "maxLength": 4]).isEmpty)
    }
}
