// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import InterfaceGenerator
import Interfaces
import Testing

/// What is committed is what `make generate` makes of the texts.
@Suite struct DriftTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/IPC/Interfaces")

    /// The files of a folder by their names.
    private static func files(_ name: String) throws -> [String: String] {
        let path = folder.appending(path: name).path
        var found: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: path) {
            found[file] = String(decoding: try Data(contentsOf: URL(filePath: "\(path)/\(file)")), as: UTF8.self)
        }
        return found
    }

    /// Generated files that are not what the texts say, or are missing, or are too many.
    private static func drift(texts: [String: String], generated: [String: String]) throws -> Set<String> {
        let made = try InterfaceGenerator.generate(
            texts.sorted { $0.key < $1.key }.map { InterfaceText(path: "Texts/\($0.key)", text: $0.value) })
        let wanted = Dictionary(uniqueKeysWithValues: made.map { ($0.name, $0.text) })
        return Set(wanted.keys).union(generated.keys).filter { wanted[$0] != generated[$0] }
    }

    @Test func generatedFilesAreWhatTheTextsSay() throws {
        let texts = try Self.files("Texts")
        #expect(texts.count >= 15)
        let drift = try Self.drift(texts: texts, generated: try Self.files("Generated"))
        #expect(drift == [], "run make generate")
        // And what was built is that.
        #expect(
            InterfaceTexts.all == Dictionary(uniqueKeysWithValues: texts.map { (String($0.key.dropLast(8)), $0.value) }))
    }

    /// Each change alone is noticed.
    @Test(arguments: [
        ("Texts", "org.vigil.device1.varlink", "Agrees that this device", "Says that this device"),
        (
            "Texts", "org.vigil.device1.varlink", "# @roles technicianReadOnly technician",
            "# @roles wearer technicianReadOnly technician"
        ),
        ("Texts", "org.vigil.exposure1.varlink", "# @results summaries\nmethod", "# @results windows\nmethod"),
        ("Texts", "org.vigil.release1.varlink", "# @exclusive\n", ""),
        ("Texts", "org.vigil.sync1.varlink", "# @server plugin", "# @server core"),
        (
            "Generated", "org.vigil.device1.swift", "[.technicianReadOnly, .technician]",
            "[.wearer, .technicianReadOnly, .technician]"
        ),
        ("Generated", "org.vigil.exposure1.swift", ".windows", ".nothing"),
        ("Generated", "org.vigil.risk1.swift", "Tells what there is to tell the person now.", "What to tell."),
        ("Generated", "CoreMethod.swift", "case time1", "case time2"),
    ])
    func aChangeOfOneSideIsNoticed(folder: String, file: String, old: String, new: String) throws {
        var (texts, generated) = (try Self.files("Texts"), try Self.files("Generated"))
        func change(_ files: inout [String: String]) throws {
            let text = try #require(files[file])
            files[file] = text.replacing(old, with: new, maxReplacements: 1)
            #expect(files[file] != text)
        }
        if folder == "Texts" { try change(&texts) } else { try change(&generated) }
        #expect(try Self.drift(texts: texts, generated: generated).count >= 1)
    }

    @Test func theTableForPeopleIsWhatTheTextsSay() throws {
        let page = Self.folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs/access.md")
        let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
        let texts = try Self.files("Texts").map { InterfaceText(path: "Texts/\($0.key)", text: $0.value) }
        #expect(try InterfaceGenerator.page(text, texts) == text, "run make generate")
        // One cell alone, and a page without marks.
        let other = text.replacing("| `device1.GetStorage` | – |", with: "| `device1.GetStorage` | yes |")
        #expect(other != text)
        #expect(try InterfaceGenerator.page(other, texts) == text)
        #expect(try InterfaceGenerator.page("# Page\n", texts) == nil)
    }

    @Test func aFileOfNoTextIsNoticed() throws {
        var generated = try Self.files("Generated")
        generated["org.vigil.old1.swift"] = ""
        let texts = try Self.files("Texts")
        #expect(try Self.drift(texts: texts, generated: generated) == ["org.vigil.old1.swift"])
        generated["org.vigil.old1.swift"] = nil
        generated["org.vigil.time1.swift"] = nil
        #expect(try Self.drift(texts: texts, generated: generated) == ["org.vigil.time1.swift"])
    }

    /// A method that is added to any text without annotations ends the generation, and so gets into no program.
    @Test func aMethodWithoutAnnotationsIsRefusedInEveryText() throws {
        for (name, text) in try Self.files("Texts") {
            let more = text + "\n# How full the battery is.\nmethod GetBatteryNow() -> (\n  # Percent.\n  percent: int\n)\n"
            #expect {
                try InterfaceGenerator.generate([InterfaceText(path: "Texts/\(name)", text: more)])
            } throws: {
                let problems = ($0 as? GenerationFailure)?.problems ?? []
                return problems.count == 2 && problems.allSatisfy { $0.advice.hasPrefix("GetBatteryNow must say") }
            }
        }
    }
}
