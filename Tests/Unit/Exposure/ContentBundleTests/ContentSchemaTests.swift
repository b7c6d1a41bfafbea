// SPDX-License-Identifier: Apache-2.0

import ContentBundle
import FoundationEssentials
import JSON
import SchemaCheck
import Testing

/// The published schema of content says what its reader says.
@Suite struct ContentSchemaTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The published file, with what it refers to put in place.
    private static func schema() throws -> JSON {
        let path = "\(root)/docs/schemas/content.schema.json"
        let json = try JSON(parsing: [UInt8](Data(contentsOf: URL(filePath: path))))
        return try placed(json, try #require(json["$defs"]))
    }

    private static func placed(_ json: JSON, _ definitions: JSON) throws -> JSON {
        if let reference = json["$ref"]?.string {
            let name = try #require(reference.split(separator: "/").last.map(String.init))
            return try placed(try #require(definitions[name], "\(reference) is defined"), definitions)
        }
        if let list = json.array { return .array(try list.map { try placed($0, definitions) }) }
        guard let object = json.object else { return json }
        var result: JSON.Object = [:]
        for member in object.members { result[member.name] = try placed(member.value, definitions) }
        return .object(result)
    }

    private func isRead(_ text: String) -> Bool { (try? ContentBundle(parsing: Array(text.utf8))) != nil }

    private func fits(_ text: String) throws -> Bool {
        SchemaCheck.faults(try JSON(parsing: Array(text.utf8)), try Self.schema()).isEmpty
    }

    private static func english(_ body: String) -> String { #"{"version":1,"languages":{"en":{\#(body)}}}"# }

    private static func list(_ count: Int, of element: String) -> String {
        "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }

    private static let hotline = #"{"purpose":"health","name":"n","number":"+49 (30) 1-2/3","hours":"8 to 20"}"#

    @Test(arguments: [
        english(""), #"{"version":7,"languages":{"de-simple":{},"deu":{}}}"#,
        english(#""texts":{"home.title":"Today","a-B.9":"ü"}"#),
        english(#""recommendations":{"low":["a"],"increased":[],"positive":["b","c"],"negative":["d"]}"#),
        english("\"hotlines\":\(list(16, of: hotline))"),
        english(#""links":[{"title":"t","url":"https://health.example:8443/a?b=c#d"}]"#),
        english(#""links":[{"title":"t","url":"https://health.example"}]"#),
        english("\"publication\":\(list(16, of: "\"x\""))"),
        english(#""publication":["\#(String(repeating: "x", count: 500))"]"#),
    ]) func whatIsReadFits(text: String) throws {
        #expect(isRead(text))
        #expect(try fits(text), "\(text)")
    }

    @Test(arguments: [
        "[]", "{}", #"{"version":1}"#, #"{"version":0,"languages":{"en":{}}}"#, #"{"version":1.5,"languages":{"en":{}}}"#,
        #"{"version":"1","languages":{"en":{}}}"#, #"{"version":1,"languages":{}}"#,
        #"{"version":1,"languages":{"en":{}},"x":1}"#, #"{"version":1,"languages":{"EN":{}}}"#,
        #"{"version":1,"languages":{"e":{}}}"#, #"{"version":1,"languages":{"de-x":{}}}"#,
        #"{"version":1,"languages":{"en":[]}}"#, english(#""more":[]"#), english(#""texts":[]"#),
        english(#""texts":{"a b":"x"}"#), english(#""texts":{"":"x"}"#), english(#""texts":{"a":""}"#),
        english(#""texts":{"a":5}"#), english(#""texts":{"a":"b\u0007"}"#),
        english(#""texts":{"a":"\#(String(repeating: "x", count: 2_001))"}"#),
        english(#""recommendations":{"never":[]}"#), english(#""recommendations":{"low":"x"}"#),
        english(#""recommendations":{"low":["a\u202eb"]}"#), english("\"hotlines\":\(list(17, of: hotline))"),
        english(#""hotlines":[{"purpose":"x","name":"n","number":"1","hours":"h"}]"#),
        english(#""hotlines":[{"purpose":"health","name":"n","number":"1"}]"#),
        english(#""hotlines":[{"purpose":"health","name":"n","number":"()","hours":"h"}]"#),
        english(#""hotlines":[{"purpose":"health","name":"n","number":"0800 CALL","hours":"h"}]"#),
        english(#""links":[{"title":"t","url":"http://a.example"}]"#),
        english(#""links":[{"title":"t","url":"https://"}]"#),
        english(#""links":[{"title":"t","url":"https://u@a.example"}]"#),
        english(#""links":[{"title":"t","url":"https://a.example/'x'"}]"#),
        english(#""links":[{"title":"t","url":"https://a.example/<x>"}]"#), english(#""links":[{"title":"t"}]"#),
        english(#""links":[{"title":"t","url":"https://a.example","x":1}]"#),
        english("\"publication\":\(list(17, of: "\"x\""))"), english(#""publication":[""]"#),
    ]) func whatIsRefusedDoesNotFit(text: String) throws {
        #expect(!isRead(text), "\(text)")
        #expect(try !fits(text), "\(text)")
    }

    /// The one of the documentation, which an authority may begin with.
    @Test func theExampleIsOne() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(Self.root)/docs/examples/content.json")))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(isRead(text))
        #expect(try fits(text))
    }

    /// Every limit, at it and one beyond: reader and schema agree where a character is a byte.
    @Test func limitsAreTheSame() throws {
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        func keys(_ count: Int) -> String { (0..<count).map { "\"k\($0)\":\"v\"" }.joined(separator: ",") }
        func languages(_ count: Int) -> String {
            (0..<count).map { "\"a\(Character(Unicode.Scalar(UInt8(97 + $0))))\":{}" }.joined(separator: ",")
        }
        let limits: [(Int, (Int) -> String)] = [
            (2_000, { Self.english(#""texts":{"k":"\#(text($0))"}"#) }),
            (64, { Self.english(#""texts":{"\#(text($0))":"v"}"#) }), (256, { Self.english("\"texts\":{\(keys($0))}") }),
            (500, { Self.english(#""publication":["\#(text($0))"]"#) }),
            (500, { Self.english(#""links":[{"title":"\#(text($0))","url":"https://a.example"}]"#) }),
            (300, { Self.english(#""links":[{"title":"t","url":"https://\#(text($0 - 8))"}]"#) }),
            (32, { Self.english(Self.hotlines(String(repeating: "1", count: $0))) }),
            (16, { Self.english("\"hotlines\":\(Self.list($0, of: Self.hotline))") }),
            (16, { Self.english("\"recommendations\":{\"low\":\(Self.list($0, of: "\"x\""))}") }),
            (16, { "{\"version\":1,\"languages\":{\(languages($0))}}" }),
        ]
        for (limit, make) in limits {
            let (most, more) = (make(limit), make(limit + 1))
            #expect(isRead(most), "\(most.prefix(80))")
            #expect(try fits(most), "\(most.prefix(80))")
            #expect(!isRead(more), "\(more.prefix(80))")
            #expect(try !fits(more), "\(more.prefix(80))")
        }
    }

    private static func hotlines(_ number: String) -> String {
        #""hotlines":[{"purpose":"health","name":"n","number":"\#(number)","hours":"h"}]"#
    }

    /// The reader counts bytes and the schema characters: it refuses nothing that is read, and cannot tell all that is refused.
    @Test(arguments: ["ü", "…", "😀"]) func bytesAreNotCharacters(character: String) throws {
        let makers: [(Int, (String) -> String)] = [
            (500, { Self.english(#""publication":["\#($0)"]"#) }), (2_000, { Self.english(#""texts":{"k":"\#($0)"}"#) }),
        ]
        for (limit, make) in makers {
            let most = make(String(repeating: character, count: limit / character.utf8.count))
            #expect(isRead(most))
            #expect(try fits(most))
            let more = make(String(repeating: character, count: limit / character.utf8.count + 1))
            #expect(!isRead(more))
            #expect(try fits(more))
        }
    }
}
