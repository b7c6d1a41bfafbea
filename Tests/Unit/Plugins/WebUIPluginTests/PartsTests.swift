// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginTestKit
import Testing
import Varlink
import VarlinkSocket

@testable import WebUIPlugin

/// Lists that come in more than one message, here with one element each: pages read all of them, and scripts ask for the parts themselves.
@Suite struct PartsTests {
    private let bench: PluginBench<WebUI>
    private let port: UInt16

    init() throws {
        bench = try PluginBench<WebUI>.page()
        port = try bench.supervisor.listen("web")
    }

    private static let places = (1...3).map { number in
        Checkin1.Place(
            number: number, name: "Room \(number)", street: "Street 1", kind: .other, stayMinutes: 90,
            codes: [
                Checkin1.Code(
                    number: 10 * number, system: .coronaWarnApp, name: "Code of room \(number)", state: .shown, own: true,
                    begins: nil, ends: nil)
            ])
    }

    /// The last one says *increased*.
    private static let notices = (1...3).map { number in
        Checkin1.Notice(
            number: number, system: .coronaWarnApp, visit: number, name: "Room \(number)", day: 18_700 + number,
            level: number == 3 ? .increased : .low, advice: nil, message: nil, news: false)
    }

    /// A host finds each place, and each code.
    @Test func everyPlaceAndEveryCodeIsFound() throws {
        // The number after which places were asked for, 0 for all.
        var asked: [Int] = []
        let standIn = try StandIn(bench.supervisor.folder.path + "/run/", signedIn: .technician) { _, call in
            guard call.method == Checkin1.Method.getPlaces.path else { return false }
            let after = try call.decode(Checkin1.AfterCall.self).after ?? 0
            asked.append(after)
            let rest = Self.places.filter { $0.number > after }
            call.reply(
                Checkin1.PlacesReply(
                    places: Array(rest.prefix(1)), more: rest.count > 1, makes: [.coronaWarnApp], imports: []))
            return true
        }
        try bench.start()
        func get(_ path: String) throws -> String {
            asked = []
            return try bench.fetch("GET \(path) HTTP/1.1", port, from: standIn)
        }
        let list = try get("/tech/places")
        for number in 1...3 { #expect(list.contains("Room \(number)"), "\(number)") }
        #expect(asked == [0, 1, 2])
        for number in 1...3 {
            let place = try get("/tech/places/\(number)")
            #expect(place.hasPrefix("HTTP/1.1 200 ") && place.contains("Room \(number)"), "\(number)")
            #expect(asked == [number - 1])
            let code = try get("/tech/codes/\(10 * number)")
            #expect(code.hasPrefix("HTTP/1.1 200 ") && code.contains("Code of room \(number)"), "\(number)")
        }
        for path in ["/tech/places/4", "/tech/codes/11"] { #expect(try get(path).hasPrefix("HTTP/1.1 404 "), "\(path)") }
        let part = try get("/api/v1/places?after=1")
        #expect(part.contains("\"Room 2\"") && part.contains("\"more\":true") && asked == [1])
    }

    /// The warning that counts may be the last.
    @Test(arguments: ["/", "/why"]) func theWarningThatCountsIsFound(path: String) throws {
        var asked: [Int] = []
        let standIn = try StandIn(bench.supervisor.folder.path + "/run/", signedIn: .wearer) { _, call in
            guard call.method == Checkin1.Method.getNotices.path else { return false }
            let after = try call.decode(Checkin1.AfterCall.self).after ?? 0
            asked.append(after)
            let rest = Self.notices.filter { $0.number > after }
            call.reply(
                Checkin1.NoticesReply(notices: Array(rest.prefix(1)), more: rest.count > 1, followed: [], news: false))
            return true
        }
        try bench.start()
        let page = try bench.fetch("GET \(path) HTTP/1.1", port, from: standIn)
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("Increased risk"), "\(page)")
        #expect(asked == [0, 1, 2])
    }
}
