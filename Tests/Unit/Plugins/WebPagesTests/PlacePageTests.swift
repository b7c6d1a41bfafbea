// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Testing
import WebPagesGallery

@testable import WebPages

/// What a device in a place says of itself, on the pages that anybody may read.
@Suite struct PlacePageTests {
    private func context(_ language: Language, _ device: Exposure1.Role) throws -> PageContext {
        PageContext(
            texts: try Files.catalog(language), reader: .nobody, formToken: "token", path: "/help", device: device,
            now: Samples.now, timeIsKnown: true)
    }

    /// The members of these families that stand on a page.
    private func said(_ families: [TextFamily], on page: Page, _ context: PageContext) -> [String] {
        let html = page.html
        var found: [String] = []
        for family in families {
            for member in family.members where html.contains(HTML(context.t(family, member)).markup) {
                found.append(family.prefix + "." + member)
            }
        }
        return found
    }

    private func all(_ families: [TextFamily]) -> [String] {
        families.flatMap { family in family.members.map { family.prefix + "." + $0 } }
    }

    /// It neither sends numbers nor keeps any, and says so everywhere.
    @Test(arguments: Language.allCases) func noPageOfAPlaceDescribesAPersonsDevice(language: Language) throws {
        let place = try context(language, .place)
        let person = try context(language, .person)
        let help: [TextFamily] = [.welcome, .question, .answer]
        let privacy: [TextFamily] = [.privacyPart]
        #expect(said(help, on: WearerPages.help(person), person) == all(help))
        #expect(said(privacy, on: WearerPages.privacy(person), person) == all(privacy))
        for page in [WearerPages.help(place), WearerPages.privacy(place)] {
            #expect(said(help + privacy, on: page, place) == [])
        }
        let does: [TextFamily] = [.placeDoes, .placeDoesNot]
        #expect(said(does, on: WearerPages.help(place), place) == all(does))
        #expect(said([.placePrivacy], on: WearerPages.privacy(place), place) == all([.placePrivacy]))
    }
}
