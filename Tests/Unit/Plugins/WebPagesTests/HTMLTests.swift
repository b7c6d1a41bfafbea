// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing
import WebPagesGallery

@testable import WebPages

/// The elements and attribute names of a page in their order: what markup smuggled in would change.
func structure(_ html: String) -> [String] {
    var found: [String] = []
    var tag: [UInt8]?
    var inValue = false
    for byte in html.utf8 {
        if tag != nil {
            if byte == UInt8(ascii: "\"") {
                inValue.toggle()
                continue
            }
            if inValue { continue }
            if byte == UInt8(ascii: ">") {
                found.append(String(decoding: tag ?? [], as: UTF8.self))
                tag = nil
            } else {
                tag?.append(byte)
            }
        } else if byte == UInt8(ascii: "<") {
            tag = []
        }
    }
    return found
}

struct HTMLTests {
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='x", "</textarea><b>",
        "&lt;b&gt;&amp;#60;", "-->", "]]>", "javascript:alert(1)",
        "\u{0}\u{1B}[31m\u{7F}\u{85}", "\u{202E}gnp.exe", "{n}{name}", "</title><h1>", "é\u{301}𝕏 👩‍👩‍👧", "\r\nSet-Cookie: a=b",
    ]

    @Test(arguments: hostile) func noTextChangesTheStructure(text: String) throws {
        let texts = try Files.catalog(.english)
        func page(_ text: String) -> Page {
            var context = PageContext(
                texts: texts, reader: .technician, formToken: text, path: "/tech/plugins/x", now: 0, timeIsKnown: true)
            context.notice = PageContext.Notice(.fault, text)
            context.siteName = text
            var model = TechnicianPages.Plugin(
                name: text, plugin: Samples.plugin, process: Samples.processes(trouble: true).processes[3],
                problems: [text], typed: ["set.name": text])
            model.plugin.title = text
            model.plugin.description = text
            model.plugin.items[0].asks = text
            model.plugin.items[0].why = text
            model.process?.reason = text
            model.process?.confinement[0].detail = text
            return TechnicianPages.plugin(model, context)
        }
        #expect(structure(page(text).html) == structure(page("plain").html))
        #expect(structure(HTML(text).markup).isEmpty)
        #expect(structure(el(.p, .title(text), .class(text)).markup) == ["p title= class=", "/p"])
    }

    @Test func linksLeadOnlyWhereTheyMay() {
        for bad in [
            "javascript:alert(1)", "http://a.example", "https://", "https:// a", "https://a\"b",
            "https://user@evil.example/", "HTTPS://a", "data:text/html,x", "//a.example",
            "https://a.example/\u{202E}",
        ] {
            #expect(Link(https: bad) == nil, "\(bad)")
        }
        #expect(Link(https: "https://health.example/a?b=c#d") != nil)
        #expect(Link(telephone: "+49 (30) 555-01 23")?.target == "tel:+49305550123")
        for bad in ["", "12", "+", "12;ext=javascript", "1+2", "abc", "123456789012345678901234"] {
            #expect(Link(telephone: bad) == nil, "\(bad)")
        }
        #expect(Link(page: ["", ".", "..", "a/b", "ä?#"]).target == "/-/-/-/a%2Fb/%C3%A4%3F%23")
        #expect(Link(page: ["..."], query: [("a", "..")], fragment: ".").target == "/...?a=..#.")
        #expect(Link(page: []).target == "/")
    }

    @Test func everyPageIsWhole() throws {
        for language in Language.allCases {
            let pieces = Gallery.pieces(try Files.catalog(language))
            #expect(pieces.count > 130)
            for piece in pieces {
                let html = piece.page.html
                var open: [String] = []
                var identifiers: Set<String> = []
                var headings: [Int] = []
                for tag in structure(html).dropFirst() {
                    let name = String(tag.prefix { $0 != " " })
                    if name.hasPrefix("/") {
                        #expect(open.popLast() == String(name.dropFirst()), "\(piece.name)")
                    } else if let known = Tag(rawValue: name) {
                        if !known.isVoid { open.append(name) }
                        if name.count == 2, name.first == "h", let level = Int(name.dropFirst()) { headings.append(level) }
                    } else {
                        Issue.record("\(piece.name): \(name)")
                    }
                }
                #expect(open.isEmpty)
                for part in html.split(separator: " id=\"").dropFirst() {
                    let id = String(part.prefix { $0 != "\"" })
                    #expect(identifiers.insert(id).inserted, "\(language.rawValue) \(piece.name): \(id) twice")
                }
                #expect(headings.filter { $0 == 1 }.count == 1, "\(piece.name)")
                for (one, next) in zip(headings, headings.dropFirst()) {
                    #expect(next <= one + 1, "\(piece.name): h\(one) then h\(next)")
                }
                // With the style sheet, within the budget of the first page.
                #expect(
                    piece.page.bytes.count + Assets.styleSheet.utf8.count + Assets.liveScript.utf8.count <= 61_440
                        || piece.path.hasPrefix("/tech"))
                // No name of a text in place of the text, and no place without its value.
                let shown = html.split(separator: "{", omittingEmptySubsequences: false)
                #expect(shown.count == 1 || piece.name.hasPrefix("tech"), "\(language.rawValue) \(piece.name)")
            }
        }
    }

    /// A day in a crowd: the page stays within its budget, has the parts that count most, and says how many more there are.
    @Test(arguments: Language.allCases) func aDayWithManyEncountersFitsThePage(_ language: Language) throws {
        let texts = try Files.catalog(language)
        let context = PageContext(
            texts: texts, reader: .wearer, formToken: "", path: "/why", now: Samples.now, timeIsKnown: true)
        let day = try #require(Samples.contributions.first).day
        let (counted, other) = (Samples.contributions[0], Samples.contributions[2])
        for (count, missing) in [(30, 0), (31, 1), (200, 170)] {
            // The ones that count are the last.
            let parts = Array(repeating: other, count: count - 20) + Array(repeating: counted, count: 20)
            let page = WearerPages.why(
                .init(status: Samples.status(), risk: Samples.risk(.increased), contributions: parts, day: day), context)
            #expect(page.bytes.count + Assets.styleSheet.utf8.count + Assets.liveScript.utf8.count <= 61_440)
            #expect(page.html.split(separator: " id=\"part-").count - 1 == min(count, 30))
            for number in (count - 19)...count { #expect(page.html.contains(" id=\"part-\(number)\""), "\(number)") }
            let more = HTML(context.t("why.more", counting: Int64(missing))).markup
            #expect(page.html.contains(more) == (missing > 0))
        }
    }

    @Test func everyPostCarriesTheTokenAndAReadOnlyTechnicianHasNoForms() throws {
        for piece in Gallery.pieces(try Files.catalog(.english)) {
            let posts = piece.page.html.split(separator: "method=\"post\"").count - 1
            let tokens = piece.page.html.split(separator: "name=\"form\" value=\"0123456789abcdef\"").count - 1
            #expect(posts == tokens, "\(piece.name)")
            // Signing out is the only one.
            if piece.name.hasSuffix("-read-only") { #expect(posts == 1, "\(piece.name)") }
        }
    }

    @Test func pagesNeedNothingThatThePolicyForbids() throws {
        for piece in Gallery.pieces(try Files.catalog(.english)) {
            for tag in structure(piece.page.html) {
                for word in [" style=", " onclick=", " onload=", "iframe", "object", "embed"] {
                    #expect(
                        tag.split(separator: Substring(word), omittingEmptySubsequences: false).count == 1,
                        "\(piece.name): \(tag)")
                }
            }
        }
    }

    /// Whoever wrote it: nothing in a text or a value turns the direction of reading, hides, or controls.
    @Test func nothingInAPageTurnsHidesOrControls() throws {
        let marks: [Unicode.Scalar] = [
            "\u{0}", "\u{7}", "\u{1B}", "\u{7F}", "\u{9B}", "\u{AD}", "\u{61C}", "\u{200B}", "\u{200E}", "\u{200F}",
            "\u{2028}", "\u{202A}",
            "\u{202E}", "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{E000}", "\u{E0041}",
        ]
        let text = String(String.UnicodeScalarView(marks)) + "é Ω 漢 👩\tz\n"
        let wanted = String(repeating: "\u{FFFD}", count: marks.count) + "é Ω 漢 👩\tz\n"
        #expect(HTML(text).markup == wanted)
        #expect(el(.p, .title(text)).markup == "<p title=\"\(wanted)\"></p>")
        var context = PageContext(
            texts: try Files.catalog(.english), reader: .technician, formToken: "", path: "/", now: 0, timeIsKnown: true)
        context.siteName = "ok\u{202E}gnp.exe"
        let model = TechnicianPages.Plugin(
            name: "x", plugin: Samples.plugin, process: Samples.processes(trouble: true).processes[3],
            problems: ["\u{202E}"], typed: ["set.name": "\u{2066}"])
        let page = TechnicianPages.plugin(model, context).html
        #expect(!page.unicodeScalars.contains { "\u{202A}"..."\u{202E}" ~= $0 || "\u{2066}"..."\u{2069}" ~= $0 })
        #expect(page.contains("ok\u{FFFD}gnp.exe"))
    }
}
