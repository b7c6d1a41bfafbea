// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Testing
import Varlink
import WebSafety

@testable import WebUIPlugin

/// `/visits` over HTTP, where places can be hidden: what its forms ask the plugin for, and what the page says.
@Suite struct HiddenRouteTests {
    private final class Desk {
        /// What the stand-in for the plugin says and was asked.
        final class Venue {
            var visits: JSON.Object = ["visits": [], "more": false, "hides": false]
            var calls: [(method: String, parameters: JSON)] = []
            var error: (name: String, parameters: JSON.Object)?

            func asked(_ method: String) -> [JSON] { calls.filter { $0.method == method }.map(\.parameters) }
        }

        let bench: PluginBench<WebUI>
        let standIn: StandIn
        let venue: Venue
        let port: UInt16

        init() throws {
            bench = try PluginBench<WebUI>.page()
            let venue = Venue()
            standIn = try StandIn(bench.supervisor.folder.path + "/run/", signedIn: .wearer) { _, call in
                guard call.method.hasPrefix("\(Checkin1.name)."), !call.method.hasSuffix(".Watch") else { return false }
                let method = String(call.method.split(separator: ".").last ?? "")
                venue.calls.append((method, call.parameters))
                switch method {
                case "GetVisits": call.reply(JSON.object(venue.visits))
                case "CheckIn", "SetHiding":
                    if let error = venue.error { throw CallFailure(error.name, error.parameters) }
                    return false
                default: return false
                }
                return true
            }
            self.venue = venue
            port = try bench.supervisor.listen("web")
            try bench.start()
        }

        func get() throws -> String { try bench.fetch("GET /visits HTTP/1.1", port, isSignedIn: true, from: standIn) }

        func post(_ fields: String) throws -> String {
            let body = "form=\(try bench.plugin.router.tokens.token(for: PluginBench<WebUI>.session))&" + fields
            return try bench.fetch(
                "POST /visits HTTP/1.1\r\nOrigin: http://127.0.0.1:\(port)\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)", port,
                isSignedIn: true, body: body, from: standIn)
        }
    }

    /// The value of the form's field that a check-in is known again by.
    private func attempt(in page: String) throws -> String {
        let parts = page.split(separator: "name=\"attempt\" value=\"", maxSplits: 1)
        return String(try #require(parts.last?.prefix { $0 != "\"" }))
    }

    @Test func aNewSecretIsTypedTwice() throws {
        let desk = try Desk()
        #expect(try desk.get().contains("name=\"repeated\""))
        let forms = [
            "wanted=a+long+secret&repeated=a+long+sercet", "another=a+long+secret&repeated=", "another=a+long+secret",
        ]
        for fields in forms {
            // The form for another secret is there once there is one.
            desk.venue.visits["hidingIsSet"] = fields.hasPrefix("another") ? true : nil
            let answer = try desk.post("act=setHiding&on=yes&" + fields)
            #expect(answer.hasPrefix("HTTP/1.1 422 ") && answer.contains("are not the same"), "\(fields)")
        }
        #expect(desk.venue.asked("SetHiding").isEmpty)
        #expect(
            try desk.post("act=setHiding&on=yes&wanted=a+long+secret&repeated=a+long+secret").hasPrefix("HTTP/1.1 303 "))
        #expect(
            try desk.post("act=setHiding&on=yes&another=a+new+secret+1&repeated=a+new+secret+1").hasPrefix("HTTP/1.1 303 "))
        let asked = desk.venue.asked("SetHiding")
        #expect(
            asked.map { $0["secret"] } == ["a long secret", "a new secret 1"] && asked.map { $0["anew"] } == [nil, true])
    }

    /// The present secret once, also where hiding was switched off meanwhile; the fault stands where it was typed.
    @Test func aSecretThatIsSetIsTypedOnce() throws {
        let desk = try Desk()
        desk.venue.visits["hidingIsSet"] = true
        let form = try desk.get().split(separator: "<form").first { $0.contains("name=\"wanted\"") }
        #expect(form?.contains("name=\"repeated\"") == false)
        desk.venue.error = ("\(Checkin1.name).Refused", ["rule": "wrongSecret", "reason": "x"])
        let answer = try desk.post("act=setHiding&on=yes&wanted=another+secret")
        let faulty = answer.split(separator: "<form").filter { $0.contains("not the right secret") }
        #expect(faulty.count == 1 && faulty[0].contains("name=\"wanted\""))
        #expect(desk.venue.asked("SetHiding").map { $0["secret"] } == ["another secret"])
        #expect(try desk.post("act=setHiding&on=no").hasPrefix("HTTP/1.1 422 "))
        #expect(
            desk.venue.asked("SetHiding").last == [
                "on": false, "proof": desk.venue.asked("SetHiding").last?["proof"] ?? "",
            ])
    }

    /// The page says what is not done yet, and what is not known any more.
    @Test func thePageSaysWhatIsLeft() throws {
        let desk = try Desk()
        #expect(try !desk.get().contains("not hidden yet"))
        desk.venue.visits["hides"] = true
        desk.venue.visits["unhidden"] = 3
        #expect(try desk.get().contains("3 earlier visits are not hidden yet"))
        desk.venue.visits = ["visits": [], "more": false, "choiceLost": true]
        let page = try desk.get()
        #expect(page.contains("whether you want to hide places") && page.contains("name=\"on\" value=\"no\""))
    }

    /// A form that is sent twice is one check-in; each page that is opened has another one.
    @Test func aCheckInIsKnownAgain() throws {
        let desk = try Desk()
        let (first, second) = (try attempt(in: desk.get()), try attempt(in: desk.get()))
        #expect(first != second && first.utf8.count == 36)
        desk.venue.error = ("\(Checkin1.name).NotPossible", ["reason": "Later."])
        let fault = try desk.post("act=checkIn&code=x&attempt=\(first)")
        // Whoever presses again on the page that says so sends the same one.
        #expect(try attempt(in: fault) == first)
        desk.venue.error = nil
        for _ in 0..<2 { #expect(try desk.post("act=checkIn&code=x&attempt=\(first)").hasPrefix("HTTP/1.1 303 ")) }
        #expect(try desk.post("act=checkIn&code=x&attempt=made+up").hasPrefix("HTTP/1.1 303 "))
        #expect(desk.venue.asked("CheckIn").map { $0["attempt"]?.string } == [first, first, first, nil])
    }
}
