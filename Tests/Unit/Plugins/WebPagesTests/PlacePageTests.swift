// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SelfCheck
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
    /// Whoever looks after a place switches it on and off; its page says what it does only once it is on.
    @Test(arguments: Language.allCases) func aPlaceIsSwitchedOnWhereItIsLookedAfter(language: Language) throws {
        for device in [Exposure1.Role.place, .person] {
            for reader in [PageContext.Reader.technician, .technicianReadOnly] {
                for isOn in [false, true] {
                    let status = Samples.status(isOn ? .active : .disabled, role: device)
                    let context = PageContext(
                        texts: try Files.catalog(language), reader: reader, formToken: "token", path: "/tech",
                        device: device,
                        now: Samples.now, timeIsKnown: true)
                    let html = TechnicianPages.overview(CheckInputs(status: status, now: Samples.now), found: [], context)
                        .html
                    let forms = ["enable", "disable"].filter { html.contains("value=\"\($0)\"") }
                    let isTheirs = device == .place && reader == .technician
                    #expect(forms == (isTheirs ? [isOn ? "disable" : "enable"] : []), "\(device) \(reader) \(isOn)")
                    let words = HTML(context.t(isOn ? "tech.overview.on" : "tech.overview.off")).markup
                    #expect(html.contains(words) == (device == .place))
                }
            }
        }
        let place = try context(language, .place)
        for state in [Exposure1.State.active, .disabled] {
            let status = Samples.status(state, role: .place)
            let today = WearerPages.Today(status: status, risk: nil, freshness: nil, evidence: [], testNews: false)
            let html = WearerPages.today(today, place).html
            #expect(html.contains(HTML(place.t("place.does-title-off")).markup) == (state == .disabled))
        }
    }
}
