// SPDX-License-Identifier: Apache-2.0

import Glibc
import RandomValues
import Synchronization
import Testing
import WebPagesGallery

@testable import WebPages

/// The files of the tree, as the plugin reads them.
enum Files {
    static let root: String = {
        var parts = #filePath.split(separator: "/")
        parts.removeLast(5)
        return "/" + parts.joined(separator: "/")
    }()

    static func read(_ path: String) -> [UInt8] {
        guard let file = fopen(root + "/" + path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        return bytes
    }

    private static let parsed = Mutex<[Language: TextCatalog]>([:])

    /// Each is parsed once: parsing takes a tenth of a second without optimisation, and hundreds of tests ask.
    static func catalog(_ language: Language) throws -> TextCatalog {
        if let catalog = parsed.withLock({ $0[language] }) { return catalog }
        let behind: Language? = language == .english ? nil : language == .plainGerman ? .german : .english
        let catalog = try TextCatalog.parse(
            read("Plugins/WebUI/texts/\(language.rawValue).txt"), language: language,
            behind: try behind.map { try self.catalog($0) })
        parsed.withLock { $0[language] = catalog }
        return catalog
    }

    private static let drawn = Mutex<[Language: [String: String]]>([:])

    /// The gallery's pages by their names. Each language is drawn once: it takes seconds without optimisation.
    static func pages(_ language: Language) throws -> [String: String] {
        let texts = try catalog(language)
        return drawn.withLock { drawn in
            if let pages = drawn[language] { return pages }
            let pages = Dictionary(uniqueKeysWithValues: Gallery.pieces(texts).map { ($0.name, $0.page.html) })
            drawn[language] = pages
            return pages
        }
    }

    static func sources() -> [String] {
        let folder = root + "/Plugins/WebUI/Sources/WebPages"
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var texts: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".swift") {
                texts.append(String(decoding: read("Plugins/WebUI/Sources/WebPages/" + name), as: UTF8.self))
            }
        }
        return texts
    }
}

struct TextCatalogTests {
    @Test(arguments: Language.allCases) func everyLanguageSaysTheSameThings(language: Language) throws {
        let english = try Files.catalog(.english)
        let other = try Files.catalog(language)
        // The technician's pages may be left to the language behind, as a whole.
        let hasTechnician = other.keys.contains("tech.yes")
        let wanted = english.keys.filter { hasTechnician || !$0.hasPrefix("tech.") }
        #expect(wanted.subtracting(other.keys).sorted() == [])
        #expect(other.keys.subtracting(english.keys).sorted() == [])
        for key in other.keys {
            #expect(other.placeholders(of: key) == english.placeholders(of: key), "\(language.rawValue): \(key)")
        }
    }

    /// Literals in the sources and members of families, against the file: nothing is missing, nothing is left over.
    @Test func everyTextIsUsedAndThere() throws {
        let english = try Files.catalog(.english)
        var used: Set<String> = []
        for family in TextFamily.all + [TechnicianArea.family] {
            for member in family.members { used.insert(family.prefix + "." + member) }
        }
        let sources = Files.sources()
        #expect(sources.count > 20)
        for source in sources {
            for (index, piece) in source.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            where index % 2 == 1 {
                let text = String(piece)
                for form in ["", "[one]", "[other]"] where english.keys.contains(text + form) { used.insert(text + form) }
            }
            for call in source.split(separator: "t(\"").dropFirst() {
                let key = String(call.prefix { $0 != "\"" })
                guard key.contains("."), !key.contains("\\"), !key.contains(" "), key.first?.isLowercase == true else {
                    continue
                }
                #expect(english.keys.contains(key) || english.keys.contains(key + "[other]"), "\(key) is not in en.txt")
            }
        }
        #expect(english.keys.subtracting(used).sorted() == [])
        #expect(used.subtracting(english.keys).sorted() == [])
    }

    @Test func everyProblemIsToldWithItsLine() {
        let file = "# fine\na.b = x\na.b = y\nnothing\na = b\nc.d = {\ne.f =\ng.h[one] = {n}\n"
        do {
            _ = try TextCatalog.parse(Array(file.utf8), language: .english)
            Issue.record("it was taken")
        } catch let problems as TextCatalog.Problems {
            #expect(problems.problems.map(\.line) == [3, 4, 5, 6, 7, 1])
        } catch { Issue.record("\(error)") }
    }

    @Test func windowsLinesAreLines() throws {
        let texts = try TextCatalog.parse(Array("a.b = one\r\na.c = two\r\n".utf8), language: .english)
        #expect(texts.text("a.b") == "one" && texts.text("a.c") == "two")
    }

    @Test func anyBytesEitherParseOrAreRefused() throws {
        var random = SeededGenerator(seed: 1)
        let good = Files.read("Plugins/WebUI/texts/en.txt")
        for _ in 0..<60 {
            var bytes = Array(good.prefix(2_000))
            for _ in 0..<8 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let texts = try? TextCatalog.parse(bytes, language: .english) else { continue }
            for key in texts.keys { #expect(!texts.text(key).isEmpty) }
        }
    }

    @Test func anAuthorityReplacesWordsButNotPlaces() throws {
        let texts = try Files.catalog(.english)
        let replaced = texts.replacing([
            "today.title": "Now", "today.compared": "{other}", "no.such": "x", "nav.help": "a{",
            "donate.sent.1": "Nothing of note.",
        ])
        #expect(replaced.text("today.title") == "Now")
        #expect(replaced.text("today.compared") == texts.text("today.compared"))
        #expect(replaced.text("no.such") == "no.such")
        // What a person agrees to are these words, and no other.
        #expect(replaced.text("donate.sent.1") == texts.text("donate.sent.1"))
        #expect(replaced.text("nav.help") == texts.text("nav.help"))
    }

    @Test func anAuthoritysDocumentIsRead() throws {
        let content = try #require(
            AuthorityContent(
                json: #"""
                    {"version":3,"languages":{"en":{"texts":{"today.title":"Now"},"recommendations":{"increased":["Stay."]},
                    "hotlines":[{"purpose":"results","name":"TAN","number":"112","hours":"always"}],
                    "links":[{"title":"More","url":"https://a.example"}],"publication":["Institute","Town"]},"xx":{}}}
                    """#))
        let edition = try #require(content.editions[.english])
        #expect(content.version == 3 && content.editions.count == 1)
        #expect(edition.publisher == "Institute" && edition.recommendations["increased"] == ["Stay."])
        #expect(
            edition.hotlines == [
                AuthorityContent.Hotline(topic: "verification", title: "TAN", number: "112", hours: "always")
            ])
        #expect(edition.links.first?.address == "https://a.example" && edition.texts == ["today.title": "Now"])
        #expect(AuthorityContent(json: "[]") == nil)
    }
}
