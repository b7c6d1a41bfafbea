// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

struct CodingTests {
    private struct Thing: Codable, Equatable {
        enum Level: String, Codable { case quiet, loud }
        struct Part: Codable, Equatable {
            var name: String
            var sizes: [Int64]
        }
        var flag: Bool
        var count: UInt32
        var long: Int64
        var ratio: Double
        var word: String?
        var level: Level
        var parts: [Part]
        var byName: [String: Part]
        var anything: JSON
        var nested: [[Int8?]]
    }

    private let thing = Thing(
        flag: true, count: .max, long: .min, ratio: 0.5, word: nil, level: .loud, parts: [.init(name: "a", sizes: [1, 2])],
        byName: ["b": .init(name: "", sizes: []), "a": .init(name: "é", sizes: [3])], anything: ["x": [nil, 1.5]],
        nested: [[1, nil], []])

    @Test func `Swift values become JSON in a fixed order and come back`() throws {
        let json = try JSON(encoding: thing)
        #expect(
            json.description
                == #"{"flag":true,"count":4294967295,"long":-9223372036854775808,"ratio":0.5,"level":"loud","#
                + #""parts":[{"name":"a","sizes":[1,2]}],"byName":{"a":{"name":"é","sizes":[3]},"b":{"name":"","sizes":[]}},"#
                + #""anything":{"x":[null,1.5]},"nested":[[1,null],[]]}"#)
        #expect(try json.decode(Thing.self) == thing)
        #expect(try JSON(parsing: json.bytes).decode(Thing.self) == thing)
    }

    @Test func `Absent and null are nil, and nil is left out`() throws {
        struct Maybe: Codable, Equatable {
            var a: Int?
            var b: [String]?
        }
        #expect(try JSON.empty.decode(Maybe.self) == Maybe())
        #expect(try (["a": nil, "b": nil] as JSON).decode(Maybe.self) == Maybe())
        #expect(try JSON(encoding: Maybe()) == .empty)
        struct Nothing: Codable {}
        #expect(try JSON(encoding: Nothing()) == .empty)
        #expect(throws: Never.self) { try (["unknown": 1] as JSON).decode(Nothing.self) }
    }

    @Test func `Whole numbers are numbers, and the reverse not`() throws {
        #expect(try JSON.int(3).decode(Double.self) == 3)
        #expect(try JSON.int(3).decode(Float.self) == 3)
        #expect(throws: JSONError(.notDecodable)) { try JSON.double(3).decode(Int.self) }
        #expect(throws: JSONError(.notDecodable)) { try JSON.int(256).decode(UInt8.self) }
        #expect(throws: JSONError(.notDecodable)) { try JSON.int(-1).decode(UInt64.self) }
        #expect(throws: JSONError(.notDecodable)) { try JSON.int(1).decode(Bool.self) }
        #expect(throws: JSONError(.notDecodable)) { try JSON.bool(true).decode(Int.self) }
    }

    @Test(
        arguments: [
            ("flag", 1, "flag"), ("count", -1, "count"), ("level", "medium", "level"), ("parts", ["x"], "parts[0]"),
            ("parts", [["name": "a", "sizes": [1, "2"]]], "parts[0].sizes[1]"),
            ("byName", ["q": JSON.empty], "byName.q.name"), ("nested", [[1], [2, 300]], "nested[1][0]"),
            ("nested", [[1], [2, 3], 4], "nested[2]"), ("word", 3, "word"),
        ] as [(String, JSON, String)])
    func `A wrong value is found by its path`(field: String, value: JSON, path: String) throws {
        var object = try #require(try JSON(encoding: thing).object)
        object[field] = value
        do {
            _ = try JSON.object(object).decode(Thing.self)
            Issue.record("it was accepted")
        } catch {
            #expect(error.code == .notDecodable)
            guard path != "nested[1][0]" else { return #expect(error.place == .path("nested[1][1]")) }
            #expect(error.place == .path(path))
        }
    }

    @Test func `A missing value is found by its path`() {
        do {
            _ = try (["parts": [["name": "a"]]] as JSON).decode([String: [Thing.Part]].self)
            Issue.record("it was accepted")
        } catch {
            #expect(error.place == .path("parts[0].sizes"))
            #expect(error.description.contains("missing"))
        }
    }

    @Test func `What JSON cannot say is refused`() {
        #expect(throws: JSONError(.notEncodable)) { try JSON(encoding: ["a": [Double.nan]]) }
        #expect(throws: JSONError(.notEncodable)) { try JSON(encoding: UInt64.max) }
        final class Chain: Encodable {
            let next: Chain?
            init(_ depth: Int) { next = depth > 0 ? Chain(depth - 1) : nil }
        }
        #expect(throws: JSONError(.notEncodable)) { try JSON(encoding: Chain(100)) }
    }
}
