// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import Varlink

struct ParameterFaultTests {
    private func fault(_ type: String, _ value: JSON) throws -> String? {
        let interface = try InterfaceDescription(
            parsing: "interface a.b type Word (one, two) type Tree (name: string, below: []Tree) error E (f: \(type))")
        let fields = try #require(interface.error(named: "E")).parameters
        return interface.fault(in: ["f": value], fields: fields)?.path
    }

    @Test(
        arguments: [
            ("bool", true), ("int", 1), ("float", 1.5), ("float", 2), ("string", ""), ("object", [1]), ("Word", "one"),
            ("(a, b)", "b"), ("[]int", JSON.array([])), ("[]int", [1, 2]), ("[string]int", ["x": 1]), ("?int", nil),
            ("?int", 1), ("[]?int", [nil, 1]), ("(a: ?int)", JSON.empty), ("(a: ?int)", ["a": nil]),
            ("[string]()", ["x": JSON.empty]), ("Tree", ["name": "a", "below": [["name": "b", "below": JSON.array([])]]]),
        ] as [(String, JSON)])
    func `Values that fit pass`(type: String, value: JSON) throws {
        #expect(try fault(type, value) == nil)
    }

    @Test(
        arguments: [
            ("bool", 1, "f"), ("int", 1.5, "f"), ("int", true, "f"), ("int", "1", "f"), ("int", nil, "f"),
            ("string", nil, "f"), ("float", "1", "f"), ("Word", "three", "f"), ("Word", 1, "f"),
            ("[]int", [1, nil], "f[1]"),
            ("[]int", 1, "f"), ("[string]int", ["x": 1, "y": JSON.array([])], "f.y"), ("[string]int", JSON.array([]), "f"),
            ("(a: int)", JSON.empty, "f.a"), ("(a: int)", ["a": 1, "b": 2], "f.b"),
            ("[string]()", ["x": ["y": 1]], "f.x.y"),
            ("Tree", ["name": "a", "below": [["name": 3, "below": JSON.array([])]]], "f.below[0].name"),
            ("?(a: ?[]Word)", ["a": ["one", "none"]], "f.a[1]"),
        ] as [(String, JSON, String)])
    func `Values that do not fit are found`(type: String, value: JSON, path: String) throws {
        #expect(try fault(type, value) == path)
    }

    @Test func `Missing and unknown fields are found, and paths stay short`() throws {
        let interface = try InterfaceDescription(parsing: "interface a.b error E (f: int, g: ?int)")
        let fields = try #require(interface.error(named: "E")).parameters
        #expect(interface.fault(in: [:], fields: fields)?.path == "f")
        #expect(interface.fault(in: ["f": 1], fields: fields) == nil)
        #expect(interface.fault(in: ["f": 1, "h": 1], fields: fields)?.expected == "there is no such field")
        var object: JSON.Object = ["f": 1]
        object[String(repeating: "x", count: 60_000)] = 1
        #expect(interface.fault(in: object, fields: fields)?.path.count == 200)
    }
}
