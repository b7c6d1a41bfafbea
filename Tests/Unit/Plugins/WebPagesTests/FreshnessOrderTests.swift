// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing
import WebPagesGallery

@testable import WebPages

/// What today's page says of its own freshness does not contradict itself: "checked 10 minutes ago … everything up to just now" was there.
struct FreshnessOrderTests {
    private static let checked = Samples.now - 600

    /// A source that is complete up to so many seconds before now.
    private func source(_ age: Int64, _ kind: Sync1.Kind = .cwa) -> Sync1.Source {
        Sync1.Source(
            name: "source", kind: kind, lastAttempt: Self.checked, lastSuccess: Self.checked, newestEnd: Samples.now - age,
            missingCount: 0, problem: nil, faults: [:], packageCount: 1, byteCount: 1)
    }

    /// The moments of the part that says how fresh it is, in order, as `datetime` has them.
    private func moments(_ sources: [Sync1.Source], _ language: Language, risk: Bool = true) throws -> [Substring] {
        var status = Samples.status()
        status.lastMatched = Self.checked
        var verdict = Samples.risk(.low)
        verdict.lastMatched = Self.checked
        let context = PageContext(
            texts: try Files.catalog(language), reader: .wearer, formToken: "", path: "/", content: nil, now: Samples.now,
            timeIsKnown: true)
        let freshness = Sync1.Freshness(
            sources: sources, running: false, secondsToNext: 2_400, wakeWindow: 900, clockOffset: 0)
        let page = WearerPages.today(
            WearerPages.Today(
                status: status, risk: risk ? verdict : nil, freshness: freshness, evidence: [], testNews: false), context)
        let text = String(decoding: page.bytes, as: UTF8.self)
        let start = try #require(text.firstRange(of: "id=\"fresh-title\""))
        let part = text[start.upperBound...].prefix(
            upTo: text[start.upperBound...].firstRange(of: "</section>")?.lowerBound ?? text.endIndex)
        return part.split(separator: "datetime=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
    }

    private func moment(_ age: Int64) -> Substring { Substring(PageContext.isoMoment(Samples.now - age)) }

    /// Hours are complete up to now where the one under way is published at once; the device cannot know of it before it has asked.
    @Test(arguments: Language.allCases, [Int64(0), -1_800, 599])
    func nothingIsIncludedThatCameAfterTheCheck(_ language: Language, age: Int64) throws {
        for hasRisk in [true, false] {
            #expect(try moments([source(age)], language, risk: hasRisk) == [moment(600), moment(600)])
        }
    }

    @Test func whatIsOlderThanTheCheckIsSaidAsItIs() throws {
        #expect(try moments([source(4_800)], .english) == [moment(600), moment(4_800)])
        // The source that is furthest behind counts, and a folder of files is none.
        #expect(try moments([source(0), source(9_000)], .english) == [moment(600), moment(9_000)])
        #expect(try moments([source(4_800), source(90_000, .folder)], .english) == [moment(600), moment(4_800)])
        #expect(try moments([], .english) == [moment(600)])
    }
}

/// Technicians' pages that say what is not there yet, in the language of the rest.
struct NotYetTests {
    @Test(arguments: [Language.german, .french])
    func theyAreTranslatedWhole(_ language: Language) throws {
        func text(_ language: Language, _ page: (PageContext) -> Page) throws -> String {
            String(
                decoding: page(
                    PageContext(
                        texts: try Files.catalog(language), reader: .technician, formToken: "", path: "/tech", content: nil,
                        now: Samples.now, timeIsKnown: true)
                ).bytes, as: UTF8.self)
        }
        let english = try Files.catalog(.english)
        let keys = english.keys.filter {
            $0.hasPrefix("tech.update.") || $0.hasPrefix("tech.identity.") || $0 == "tech.not-yet"
        }
        #expect(keys.count == 9)
        for page in [{ TechnicianPages.update(version: "0.9.0", $0) }, { TechnicianPages.identity($0) }]
            as [(PageContext) -> Page]
        {
            let (own, original) = (try text(language, page), try text(.english, page))
            for key in keys {
                let words = english.text(key, [:])
                #expect(!own.contains(words.prefix(20)), "\(language.rawValue) says \(words)")
            }
            #expect(keys.contains { original.contains(english.text($0, [:]).prefix(20)) })
            let content = try #require(own.firstRange(of: "<main"))
            let end = try #require(own.firstRange(of: "</main>"))
            #expect(!own[content.upperBound..<end.lowerBound].contains("lang=\"en\""))
        }
    }
}

/// Who has one role is not asked which.
struct SignInTests {
    private func page(_ roles: [PageContext.Reader], chosen: PageContext.Reader? = nil) throws -> String {
        let context = PageContext(
            texts: try Files.catalog(.english), reader: .nobody, formToken: "t", path: "/sign-in", content: nil,
            now: Samples.now, timeIsKnown: true)
        return String(
            decoding: WearerPages.signIn(.init(roles: roles, chosen: chosen), context).bytes, as: UTF8.self)
    }

    @Test(arguments: [PageContext.Reader.wearer, .technicianReadOnly, .technician])
    func oneRoleIsNotAskedFor(_ role: PageContext.Reader) throws {
        // Whatever was chosen before somebody took the other secrets away.
        for chosen in [nil, role, .wearer] {
            let text = try page([role], chosen: chosen)
            #expect(!text.contains("type=\"radio\""))
            #expect(
                text.split(separator: "<").contains {
                    $0.hasPrefix("input") && $0.contains("type=\"hidden\"") && $0.contains("name=\"role\"")
                        && $0.contains("value=\"\(role.rawValue)\"")
                })
        }
    }

    @Test func severalAreAsked() throws {
        let text = try page([.wearer, .technician], chosen: .technician)
        #expect(text.split(separator: "type=\"radio\"").count == 3)
        #expect(!text.split(separator: "<").contains { $0.contains("type=\"hidden\"") && $0.contains("name=\"role\"") })
        #expect(try !page([]).contains("name=\"role\""))
    }
}
