// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import PluginManifest
import RandomValues
import SchemaCheck
import Testing

/// The published schemas are those of the parser, and say the same as it does.
@Suite struct SchemaTests {
    private static let folder =
        #filePath.split(separator: "/").dropLast(5).reduce(into: "") { $0 += "/\($1)" } + "/docs/schemas"

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
        var dice = SeededGenerator(seed: 7)
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
