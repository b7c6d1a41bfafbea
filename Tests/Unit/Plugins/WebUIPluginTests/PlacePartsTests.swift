// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Testing
import Varlink
import VarlinkSocket

@testable import WebUIPlugin

/// Places that come in more than one message: a host finds each of them, and each code.
@Suite struct PlacePartsTests {
    private static let session = String(repeating: "5e", count: 32)

    /// Stands in for the core, and for the plugin that knows venues: it has three places, each with one code, and gives one at a time.
    private final class Core {
        private var standIn: StandIn?
        /// The number after which places were asked for, 0 for all; since it was emptied.
        var asked: [Int] = []

        private static let places = (1...3).map { number in
            Checkin1.Place(
                number: number, name: "Room \(number)", street: "Street 1", kind: .other, stayMinutes: 90,
                codes: [
                    Checkin1.Code(
                        number: 10 * number, system: .coronaWarnApp, name: "Code of room \(number)", state: .shown,
                        own: true,
                        begins: nil, ends: nil)
                ])
        }

        init(_ folder: String) throws {
            standIn = try StandIn(folder, InterfaceTexts.all) { [unowned self] in try take($0) }
        }

        private func take(_ call: IncomingCall) throws {
            switch call.method {
            case "\(Access1.name).UseSession": call.reply(Access1.UseSessionReply(role: .technician))
            case Checkin1.Method.getPlaces.path:
                let after = try call.decode(Checkin1.AfterCall.self).after ?? 0
                asked.append(after)
                let rest = Self.places.filter { $0.number > after }
                call.reply(
                    Checkin1.PlacesReply(
                        places: Array(rest.prefix(1)), more: rest.count > 1, makes: [.coronaWarnApp], imports: []))
            default: call.reply(standIn?.sample(call.method) ?? .empty, continues: call.method.hasSuffix(".Watch"))
            }
        }

        func turn(at now: Duration) { standIn?.turn(at: now) }
    }

    @Test func everyPlaceAndEveryCodeIsFound() throws {
        let bench = try PluginBench<WebUI>.page()
        let core = try Core(bench.supervisor.folder.path + "/run/")
        let port = try bench.supervisor.listen("web")
        try bench.start()
        func get(_ path: String) throws -> String {
            core.asked = []
            let tab = try LocalStream(
                port,
                "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: __Host-vigil-session=\(Self.session)\r\n"
                    + "Connection: close\r\n\r\n")
            try bench.turn {
                core.turn(at: bench.clock.now)
                tab.listen()
                return tab.isOver
            }
            return tab.heard
        }
        let list = try get("/tech/places")
        for number in 1...3 { #expect(list.contains("Room \(number)"), "\(number)") }
        #expect(core.asked == [0, 1, 2])
        for number in 1...3 {
            let place = try get("/tech/places/\(number)")
            #expect(place.hasPrefix("HTTP/1.1 200 ") && place.contains("Room \(number)"), "\(number)")
            #expect(core.asked == [number - 1])
            let code = try get("/tech/codes/\(10 * number)")
            #expect(code.hasPrefix("HTTP/1.1 200 ") && code.contains("Code of room \(number)"), "\(number)")
        }
        for path in ["/tech/places/4", "/tech/codes/11"] { #expect(try get(path).hasPrefix("HTTP/1.1 404 "), "\(path)") }
        // A script asks for the parts itself.
        let part = try get("/api/v1/places?after=1")
        #expect(part.contains("\"Room 2\"") && part.contains("\"more\":true") && core.asked == [1])
    }
}
