// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import SelfCheck
import Testing
import WebPagesGallery

@testable import WebPages

struct FormatTests {
    func context(_ language: Language, now: Int64 = Samples.now) throws -> PageContext {
        PageContext(
            texts: try Files.catalog(language), reader: .wearer, formToken: "", path: "/", now: now, timeIsKnown: true)
    }

    @Test func numbersInEachLanguage() throws {
        #expect(try context(.english).number(Int64(1_234_567)) == "1,234,567")
        #expect(try context(.german).number(Int64(1_234_567)) == "1.234.567")
        #expect(try context(.german).number(Int64(1_234)) == "1234")
        #expect(try context(.french).number(Int64(12_345)) == "12\u{202F}345")
        #expect(try context(.german).number(57.64) == "57,6")
        #expect(try context(.english).number(-0.5) == "\u{2212}0.5")
        #expect(try context(.english).number(Double.nan) == "–")
        #expect(try context(.english).number(Int64.min) == "\u{2212}9,223,372,036,854,775,808")
        #expect(try context(.english).bytes(12_400_000) == "12.4\u{A0}MB")
    }

    @Test func daysAndSpansInEachLanguage() throws {
        #expect(try context(.english).longDay(20_779) == "Sunday, 22 November 2026")
        #expect(try context(.german).longDay(20_779) == "Sonntag, 22. November 2026")
        #expect(try context(.french).longDay(20_758) == "dimanche 1er novembre 2026")
        #expect(try context(.english).ago(Samples.now - 7_200) == "2 hours ago")
        #expect(try context(.french).span(0) == "0 seconde")
        #expect(try context(.english).span(0) == "0 seconds")
        #expect(try context(.german).ago(Samples.now + 500) == "gerade eben")
    }

    @Test func languagesOfBrowsers() {
        #expect(Language(accepting: "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5") == .french)
        #expect(Language(accepting: "es, de-AT;q=0.3") == .german)
        #expect(Language(accepting: "es,en;q=0.1,de;q=0.2") == .german)
        #expect(Language(accepting: "de;q=0") == .english)
        #expect(Language(accepting: "fr;q=0.85,de;q=0.9") == .german)
        #expect(Language(accepting: "fr;q=0.851, de;Q=0.852") == .german)
        #expect(Language(accepting: "fr;q=0.999,de;q=1.000,en;q=1") == .german)
        #expect(Language(accepting: "de\t;\tq=0.2") == .german)
        for weight in ["2.5", "1.5", "15", "0.1234", "05", "0,5", ".5", "-1", "", "x", "1x", "0.5.1", "٠.٥"] {
            #expect(Language(accepting: "fr;q=0.1,de;q=\(weight)") == .french, "\(weight)")
        }
        #expect(Language(accepting: "") == .english)
        #expect(Language(accepting: ";;,,q=1,\u{0}") == .english)
        #expect(Language(accepting: "de-simple") == .plainGerman)
    }

    @Test func textHasItsContrast() throws {
        func luminance(_ colour: Palette.Colour) -> Double {
            let channels = [16, 8, 0].map { shift -> Double in
                let value = Double((colour.number >> UInt32(shift)) & 255) / 255
                guard value > 0.04045 else { return value / 12.92 }
                return pow((value + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
        }
        func contrast(_ one: Palette.Colour, _ other: Palette.Colour) -> Double {
            let values = [luminance(one), luminance(other)].sorted()
            return (values[1] + 0.05) / (values[0] + 0.05)
        }
        #expect(abs(contrast(Palette.Colour(number: 0), Palette.Colour(number: 0xFFFFFF)) - 21) < 0.01)
        for palette in [Palette.light, Palette.dark] {
            for (text, ground) in Palette.texts {
                let value = contrast(try #require(palette[text]), try #require(palette[ground]))
                #expect(value >= 7, "\(text) on \(ground): \(value)")
            }
            for (mark, ground) in Palette.marks {
                let value = contrast(try #require(palette[mark]), try #require(palette[ground]))
                #expect(value >= 3, "\(mark) on \(ground): \(value)")
            }
        }
    }

    @Test func settingsComeBackAsTheyWere() throws {
        let form = try #require(
            SettingsForm(schema: Samples.plugin.schema, settings: Samples.plugin.settings, secretsSet: ["token"]))
        let text = form.settings(from: [
            "set.name": "x", "set.interval": "abc", "set.share": "0.25", "set.metered": "yes", "set.kind": "",
            "set.token": "", "set.times": "6\r\n\r\n18",
            "set.sources.0.name": "one", "set.sources.0.port": "443", "set.sources.2.name": "two",
        ])
        #expect(
            text
                == #"{"name":"x","interval":"abc","share":0.25,"metered":true,"kind":null,"times":[6,18],"sources":[{"name":"one","port":443},{"name":"two"}]}"#
        )
        let cleared = form.settings(from: ["clear.token": "yes", "set.sources.0.name": "one"])
        #expect(cleared?.split(separator: #""token":null"#).count == 2)
        // What is the operator's is not asked for, and not sent.
        let schema = #"{"properties":{"server":{"type":"string","operatorOnly":true},"word":{"type":"string"}}}"#
        let mixed = try #require(SettingsForm(schema: schema, settings: "{}", secretsSet: []))
        #expect(mixed.settings(from: ["set.server": "x", "set.word": "y"]) == #"{"word":"y"}"#)
        #expect(SettingsForm(schema: "{", settings: "", secretsSet: []) == nil)
    }

    private static let listSchema = #"""
        {"properties":{"list":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"on":{"type":"boolean"}}}},
        "boxes":{"type":"array","items":{"type":"object","properties":{"a":{"type":"boolean"}}}}}}
        """#

    /// What a browser sends back of a form in which nothing was changed.
    private static func fields(list: Int, spare: Int = 2) -> [String: String] {
        var fields: [String: String] = [:]
        for row in 0..<(list + spare) { fields["set.list.\(row).name"] = row < list ? "n\(row)" : "" }
        return fields
    }

    @Test(arguments: [0, 1, 63, 64, 65, 100, 255, 256]) func rowsOfAListComeBackHoweverManyThereAre(count: Int) throws {
        let list = (0..<count).map { #"{"name":"n\#($0)","on":false}"# }.joined(separator: ",")
        let settings = #"{"list":[\#(list)],"boxes":[{"a":false}]}"#
        let form = try #require(SettingsForm(schema: Self.listSchema, settings: settings, secretsSet: []))
        #expect(form.settings(from: Self.fields(list: count, spare: min(2, 256 - count))) == settings)
        // A row beyond those that were drawn, and one that is missing.
        var fields = Self.fields(list: count, spare: min(2, 256 - count))
        fields["set.list.\(min(count + 2, 256)).name"] = "x"
        #expect(form.settings(from: fields) == nil)
        guard count > 0 else { return }
        fields = Self.fields(list: count, spare: min(2, 256 - count))
        fields["set.list.\(count - 1).name"] = nil
        #expect(form.settings(from: fields) == nil)
    }

    @Test(arguments: ["-1", "+1", "01", "1e9", "9223372036854775808", "", " 1", "0.0", "٣"])
    func rowsThatCannotBeAreRefused(row: String) throws {
        let form = try #require(SettingsForm(schema: Self.listSchema, settings: "{}", secretsSet: []))
        #expect(form.settings(from: ["set.list.0.name": "a"]) != nil)
        #expect(form.settings(from: ["set.list.0.name": "a", "set.list.\(row).name": "b"]) == nil)
        #expect(form.settings(from: ["set.list.0.name": "a", "set.list.0.other": "b"]) == nil)
    }

    /// A form that is shown again has what was typed, and boxes as they were left.
    @Test func aBoxThatWasUntickedStaysSo() throws {
        let schema = #"{"properties":{"on":{"type":"boolean"},"word":{"type":"string"}}}"#
        let form = try #require(SettingsForm(schema: schema, settings: #"{"on":true}"#, secretsSet: []))
        let english = try context(.english)
        func text(_ typed: [String: String]) -> String { form.fields(typed: typed, english).map(\.markup).joined() }
        #expect(text([:]).contains(" checked"))
        #expect(!text(["set.word": "x"]).contains(" checked"))
        #expect(text(["set.word": "x", "set.on": "yes"]).contains(" checked"))
    }

    /// What a browser sends of a list comes back into its field as it was typed, so that a second try of a refused form sends the same.
    @Test func linesOfARefusedFormComeBack() throws {
        let form = try #require(
            SettingsForm(schema: Samples.plugin.schema, settings: Samples.plugin.settings, secretsSet: []))
        let english = try context(.english)
        let markup = form.fields(typed: ["set.times": "6\r\n18\r\nx"], english).map(\.markup).joined()
        #expect(markup.contains(">6\n18\nx</textarea>"))
        // Alone it is no end of a line.
        #expect(HTML("a\rb\n\rc\r").markup == "a\u{FFFD}b\n\u{FFFD}c\u{FFFD}")
    }

    @Test func theSelfCheckFindsWhatIsWrongAndNothingElse() {
        #expect(SelfCheck.run(CheckInputs()).isEmpty)
        let found = SelfCheck.run(
            CheckInputs(
                status: Samples.status(.radioTrouble), radio: Samples.radio(trouble: true),
                freshness: Samples.freshness(trouble: true), rulesVersion: 0,
                processes: Samples.processes(trouble: true), auditIsIntact: false, secondsToRollBack: 9, now: Samples.now))
        #expect(found.first?.finding.severity == .serious)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.finding.severity <= $1.finding.severity })
        for wanted in [
            Finding.noController, .transportProblem, .keysOld, .packagesMissing, .sourceProblem, .noRules,
            .pluginQuarantined, .safeMode, .auditBroken, .networkUnconfirmed,
            .weakConfinement, .configurationProblems, .ladderClimbed,
        ] {
            #expect(found.contains { $0.finding == wanted }, "\(wanted.rawValue)")
        }
    }
}
