// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPService
import Interfaces
import JSON
import PluginKit
import PluginManifest
import Testing
import Varlink

@testable import WebUIPlugin

/// The table that routes `/api/v1` and is its description: it names what there is, what was asked for, and who may.
struct TableTests {
    private func manifest() throws -> Manifest {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try Manifest(parsing: [UInt8](Data(contentsOf: root.appending(path: "Plugins/WebUI/plugin.json"))))
    }

    @Test func everyOperationCallsSomethingThatIsAskedFor() throws {
        let wanted = Set(try manifest().wants.flatMap { want in want.methods.map { "\(want.interface).\($0)" } })
        for operation in Operation.all {
            let method = try #require(operation.declared, "\(operation.call.path)")
            #expect(wanted.contains(operation.call.path), "\(operation.call.path)")
            for field in operation.pathFields + operation.query {
                #expect(method.parameters.contains { $0.name == field.name }, "\(operation.id) \(field.name)")
            }
            if operation.isWhole { #expect(method.streaming != .none, "\(operation.id)") }
            if operation.success == 204 { #expect(method.results.isEmpty, "\(operation.id)") }
            if case .text(let name) = operation.body { #expect(method.parameters.contains { $0.name == name }) }
        }
        #expect(Set(Operation.all.map(\.id)).count == Operation.all.count)
    }

    /// A script can do what its role may and no more; what the law opens to all needs a token here, too, with one exception.
    @Test func rolesAreThoseOfTheLaw() {
        for operation in Operation.all {
            let roles = operation.roles.map { Set($0.map { Law.Holder($0) }) } ?? [.nobody]
            #expect(!roles.isEmpty && roles.isSubset(of: operation.call.law.roles), "\(operation.id)")
            #expect((operation.roles == nil) == (operation.id == "getRoles"), "\(operation.id)")
            let whole = Set(operation.call.law.signedIn.map { Law.Holder($0) })
            #expect(roles == whole || ["getRoles", "getPreferences"].contains(operation.id), "\(operation.id)")
        }
    }

    /// The answer about the risk has what visits add, which the core does not know; what is not known is not low.
    @Test func theRiskHasWhatVisitsAdd() throws {
        let low: JSON = ["risk": ["state": "low", "sentence": "x", "news": false, "days": []]]
        let notice: JSON = [
            "number": 1, "system": "coronaWarnApp", "visit": 1, "name": "Café", "day": 20_778, "level": "increased",
            "news": false,
        ]
        let notices: JSON = ["notices": [notice], "more": false, "followed": [], "news": false, "lost": false]
        func joined(_ visits: InterfaceClient.Answer?) -> [JSON?] {
            let answer = RiskWithVisits.joined(low, visits)
            #expect(answer["risk"] == low["risk"])
            return [answer["together"], answer["visits"]]
        }
        #expect(joined(.success(notices)) == ["increased", "kept"])
        #expect(joined(.success(["no": "reply"])) == ["unknown", "unknown"] && joined(nil) == ["unknown", "unknown"])
        #expect(joined(.failure(CallError(.timedOut, "x"))) == ["unknown", "unknown"])
        #expect(joined(.failure(CallError(.notAvailable, "x"))) == ["low", nil])
        let schema = APIRoutes.description["paths"]?["/risk"]?["get"]?["responses"]?["200"]?["content"]?[
            "application/json"]?["schema"]?["properties"]
        #expect(schema?["together"]?["enum"] == .array(WholeRisk.allCases.map { .string($0.rawValue) }))
        #expect(schema?["visits"] != nil && schema?["risk"] != nil)
    }

    @Test func theDescriptionHasEveryOperationAndNoDanglingType() throws {
        let text = APIRoutes.description
        let paths = try #require(text["paths"]?.object)
        let count = paths.members.reduce(0) { $0 + ($1.value.object?.members.count ?? 0) }
        #expect(count == Operation.all.count + APIRoutes.composed.count)
        let types = Set(try #require(text["components"]?["schemas"]?.object).members.map(\.name))
        func render(_ json: JSON) {
            if let name = json["$ref"]?.string { #expect(types.contains(String(name.split(separator: "/").last ?? ""))) }
            for member in json.object?.members ?? [] { render(member.value) }
            for element in json.array ?? [] { render(element) }
        }
        render(text)
        // Every answer can be one of those that are written there.
        for operation in Operation.all {
            let described = try #require(paths[operation.path]?[operation.method.lowercased()]?["responses"]?.object)
            for status in ["\(operation.success)", "401", "403", "404", "409", "421", "422", "429", "503"] {
                #expect(described[status] != nil, "\(operation.id) \(status)")
            }
        }
    }

    @Test func routesAreAFixedTable() throws {
        let route = Route("/tests/{number}/warn", ["POST": Route.Action(kind: .api, roles: nil) { _ in }])
        #expect(route.match(Route.parts("/tests/3/warn")) == ["number": "3"])
        #expect(route.allow == "POST")
        for path in [
            "/tests/3/warn/", "//tests/3/warn", "/tests//warn", "/tests/3", "/tests/a/b/warn", "/tests/\u{1}/warn",
            "tests/3/warn", "",
        ] {
            #expect(route.match(Route.parts(path)) == nil, "\(path)")
        }
        #expect(Route("/", [:]).match(Route.parts("/")) == [:])
        #expect(Route("/", [:]).match(Route.parts("//")) == nil)
    }

    @Test func longAnswersGrow() {
        var whole = JSON.Object()
        InterfaceClient.merge(["lines": [1, 2], "droppedCount": 1], into: &whole)
        InterfaceClient.merge(["lines": [3], "droppedCount": 2], into: &whole)
        #expect(JSON.object(whole) == ["lines": [1, 2, 3], "droppedCount": 2])
    }

    @Test func placesAreNamedAsBrowsersNameThem() {
        let six = ListenerPlace(address: [UInt8](repeating: 0, count: 15) + [1], port: 1)
        #expect(six.text == "[::1]" && six.isLoopback)
        #expect(ListenerPlace(address: [192, 0, 2, 7], port: 1).names == ["192.0.2.7", "vigil.local"])
        #expect(ListenerPlace(address: [127, 0, 0, 1], port: 1).names.contains("localhost"))
    }

    @Test(
        arguments: [
            ("2026-11-22", "05:47", 1_795_326_420), ("1970-01-01", "00:00:01", 1),
            ("2024-02-29", "23:59:59", 1_709_251_199),
            ("2026-02-29", "00:00", nil), ("2026-13-01", "00:00", nil), ("2026-11-22", "24:00", nil),
            ("26-11-22", "00:00", nil),
            ("2026-11-22", "5:47", nil), ("", "", nil), ("2026-11-22", "05:47:60", nil), ("2026-11-+2", "05:47", nil),
        ] as [(String, String, Int64?)])
    func momentsAreReadStrictly(date: String, time: String, seconds: Int64?) {
        #expect(PageRoutes.moment(date: date, time: time) == seconds)
    }

    @Test func onlyWhatACoreGaveIsACredential() {
        func credential(_ headers: [String: String], secure: Bool = true) -> IncomingRequest.Credential {
            var request = HTTPRequest(method: "GET", path: "/", headers: headers)
            request.isSecure = secure
            return IncomingRequest.credential(request)
        }
        let good = String(repeating: "a1", count: 32)
        #expect(credential(["cookie": "__Host-vigil-session=\(good)"]) == .cookie(good))
        // Without the prefix anybody on the network could have set it.
        #expect(credential(["cookie": "vigil-session=\(good)"]) == .none)
        #expect(credential(["cookie": "vigil-session=\(good)"], secure: false) == .cookie(good))
        #expect(credential(["cookie": "__Host-vigil-session=\(good); __Host-vigil-session=\(good)"]) == .none)
        #expect(credential(["cookie": "__Host-vigil-session=\(good.uppercased())"]) == .none)
        #expect(credential(["authorization": "Bearer \(good)"]) == .bearer(good))
        #expect(credential(["authorization": "Basic \(good)"]) == .bearer(""))
        // A script says who it is by its token alone.
        #expect(credential(["authorization": "Bearer x", "cookie": "__Host-vigil-session=\(good)"]) == .bearer(""))
    }
}
