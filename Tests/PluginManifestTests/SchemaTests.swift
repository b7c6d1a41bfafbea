// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginManifest
import Synchronization
import Testing
import Varlink

/// The published schemas are those of the parser, and say the same as it does.
@Suite struct SchemaTests {
    private static let folder =
        #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" } + "/docs/schemas"

    private static func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1_000_000)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
        return Array(bytes[..<count])
    }

    /// With `VIGIL_WRITE_SCHEMAS=1` it writes them instead: to be done after a change, and looked through.
    @Test(arguments: [("plugin", Manifest.schema), ("grants", GrantsFile.schema)])
    func publishedFileIsTheParsers(_ name: String, _ schema: JSON) {
        let path = "\(Self.folder)/\(name).schema.json"
        let text = schema.indentedText
        if getenv("VIGIL_WRITE_SCHEMAS") != nil, let file = fopen(path, "w") {
            fputs(text, file)
            fclose(file)
        }
        #expect(
            String(decoding: Self.bytes(path), as: UTF8.self) == text,
            "\(path) is not what the parser says; run this test with VIGIL_WRITE_SCHEMAS=1 and look at the difference")
    }

    @Test func theSamplesFitTheSchemas() throws {
        #expect(SchemaCheck.faults(try JSON(parsing: Array(Samples.manifest.utf8)), Manifest.schema).isEmpty)
        #expect(SchemaCheck.faults(try JSON(parsing: Array(Samples.grants.utf8)), GrantsFile.schema).isEmpty)
    }

    /// Whatever the parser takes, the schema takes; and whatever the schema refuses is refused at the same place.
    @Test func parserAndSchemaAgreeOnMutants() throws {
        var dice = Dice(7)
        var (taken, refused) = (0, 0)
        let sample = try JSON(parsing: Array(Samples.manifest.utf8))
        for _ in 0..<1_200 {
            let mutant = Mutation.changed(sample, using: &dice)
            let faults = SchemaCheck.faults(mutant, Manifest.schema)
            let problems = Samples.problems(mutant.bytes)
            if problems.isEmpty {
                taken += 1
                #expect(faults.isEmpty, "the schema refuses what is taken: \(faults) \(mutant)")
            } else {
                refused += 1
                #expect(
                    !faults.isEmpty || problems.allSatisfy { Self.beyondSchema.contains($0.code) }, "\(problems) \(mutant)")
            }
        }
        #expect(taken > 50 && refused > 100, "\(taken) taken, \(refused) refused")
    }

    /// What no JSON Schema could say.
    private static let beyondSchema: Set<Problem.Code> = [.contradiction, .duplicate, .taken, .badForm, .missing]
}

/// As much of JSON Schema as the published files use, written without a look at the parser.
enum SchemaCheck {
    static func faults(_ value: JSON, _ schema: JSON, _ path: String = "") -> [String] {
        var faults: [String] = []
        func fault(_ text: String) { faults.append("\(path): \(text)") }
        if let type = schema["type"]?.string, !isOf(type, value) { return ["\(path): not \(type)"] }
        if let constant = schema["const"], constant != value { fault("const") }
        if let choices = schema["enum"]?.array, !choices.contains(value) { fault("enum") }
        if case .int(let number) = value {
            if let low = schema["minimum"]?.int, number < low { fault("minimum") }
            if let high = schema["maximum"]?.int, number > high { fault("maximum") }
        }
        if case .string(let text) = value {
            let count = Int64(text.unicodeScalars.count)
            if let low = schema["minLength"]?.int, count < low { fault("minLength") }
            if let high = schema["maxLength"]?.int, count > high { fault("maxLength") }
            if let pattern = schema["pattern"]?.string,
                (try? regex(pattern).firstMatch(in: text)) == nil
            {
                fault("pattern")
            }
        }
        if case .array(let elements) = value {
            if let low = schema["minItems"]?.int, elements.count < low { fault("minItems") }
            if let high = schema["maxItems"]?.int, elements.count > high { fault("maxItems") }
            if let items = schema["items"] {
                for (index, element) in elements.enumerated() {
                    faults += Self.faults(element, items, "\(path)[\(index)]")
                }
            }
        }
        if case .object(let object) = value {
            for name in schema["required"]?.array ?? [] where object[name.string ?? ""] == nil { fault("required") }
            if let most = schema["maxProperties"]?.int, object.members.count > most { fault("maxProperties") }
            for member in object.members {
                if let names = schema["propertyNames"] { faults += Self.faults(.string(member.name), names, path) }
                if let property = schema["properties"]?[member.name] {
                    faults += Self.faults(member.value, property, "\(path).\(member.name)")
                } else if schema["additionalProperties"] == false {
                    fault("additionalProperties")
                } else if let additional = schema["additionalProperties"] {
                    faults += Self.faults(member.value, additional, "\(path).\(member.name)")
                }
            }
        }
        if let options = schema["oneOf"]?.array, options.filter({ Self.faults(value, $0, path).isEmpty }).count != 1 {
            fault("oneOf")
        }
        return faults
    }

    /// Made once for each pattern: making one takes longer than using it a hundred times.
    private static func regex(_ pattern: String) throws -> Regex<AnyRegexOutput> {
        try made.withLock { made in
            if let regex = made[pattern] { return regex }
            let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
            made[pattern] = regex
            return regex
        }
    }

    private static let made = Mutex<[String: Regex<AnyRegexOutput>]>([:])

    private static func isOf(_ type: String, _ value: JSON) -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("integer", .int),
            ("number", .int), ("number", .double), ("null", .null):
            true
        default: false
        }
    }
}
