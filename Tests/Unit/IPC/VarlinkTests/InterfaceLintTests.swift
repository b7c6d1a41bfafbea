// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

struct InterfaceLintTests {
    /// An interface without a fault, with room for one.
    private func interface(
        fields: String = "# How warm it is.\ndegrees: int", results: String = "", name: String = "org.example.board1",
        method: String = "GetState", rest: String = "", methodDocumentation: String = "# Tells the state."
    ) throws -> InterfaceDescription {
        try InterfaceDescription(
            parsing: """
                # A board.
                interface \(name)

                \(methodDocumentation)
                method \(method)(
                \(fields)
                ) -> (
                \(results)
                )
                \(rest)
                """)
    }

    private func rules(_ interface: InterfaceDescription, _ exceptions: Set<String> = []) -> [InterfaceLint.Rule] {
        InterfaceLint.findings(in: interface, exceptions: exceptions).map(\.rule)
    }

    @Test func `A good interface has no findings`() throws {
        let interface = try interface(results: "# All of them. At most 20.\nnames: []string")
        #expect(InterfaceLint.findings(in: interface) == [])
    }

    @Test(arguments: [
        "key: string", "keys: []string", "tek: string", "rpi: int", "rpi: bool", "rpiList: ?[]string", "aemk: string",
        "identifier: string", "lastIdentifiers: [string]int", "bdAddr: string", "bDADDR: string", "macAddress: string",
        "address: (street: string)", "advertisement: string", "payload: string", "rawReport: string", "secret: string",
        "sha256: string", "digest: string", "hashes: []string", "tag: string", "metadata: string", "uuid: string",
        "keyCount: string", "keyFile: int", "diagnosiskeys: []string", "rPI: string", "tokenValue: float",
        "serialNumber: int",
        "sightings: [string]()", "hashed: (key: (deep: []?(value: string)))",
    ])
    func `A field that may carry a secret is found`(field: String) throws {
        let planted = try interface(fields: "# Planted.\n\(field)")
        #expect(rules(planted).contains(.forbiddenName))
        let inResults = try interface(results: "# Planted.\n\(field)")
        #expect(rules(inResults).contains(.forbiddenName))
        let inError = try interface(rest: "# Wrong.\nerror Wrong (\n# Planted.\n\(field))")
        #expect(rules(inError).contains(.forbiddenName))
        let inType = try interface(rest: "# Unused.\ntype Thing (\n# Planted.\n\(field))")
        #expect(rules(inType).contains(.forbiddenName))
        let throughType = try interface(
            fields: "# Planted.\nthing: ?[]Thing", rest: "# Used.\ntype Thing (\n# Planted.\n\(field))")
        #expect(rules(throughType).contains(.forbiddenName))
    }

    @Test(arguments: [
        "keyCount: int", "diagnosisKeyFileCount: ?int", "keyFileLimit: int", "keyDays: int", "hasKeys: bool",
        "keyFile: string", "keyFiles: []string", "keyFileName: string", "keyKind: (temporary, other)", "monthlyTotal: int",
        "stage: string", "machine: string", "draw: string", "state: string", "payloadBytes: int",
    ])
    func `A field that cannot carry one is not`(field: String) throws {
        let findings = InterfaceLint.findings(in: try interface(fields: "# At most 9.\n\(field)"))
        #expect(findings == [])
    }

    @Test func `The words of a method count for its fields`() throws {
        let taking = try interface(fields: "", results: "# What.\nvalue: string", method: "TakeDiagnosisKeys")
        #expect(rules(taking) == [.forbiddenName])
        #expect(rules(taking, ["org.example.board1.TakeDiagnosisKeys.value"]) == [])
    }

    @Test func `What is settled about keys is none, and what goes in is judged by its own words`() throws {
        let value = "# What.\nvalue: string"
        #expect(rules(try interface(fields: "", results: value, method: "GetKeyMapping")) == [])
        #expect(rules(try interface(fields: "", results: value, method: "GetMappedKeys")) == [.forbiddenName])
        #expect(rules(try interface(fields: "", results: value, method: "ExportMyData")) == [])
        #expect(rules(try interface(fields: value, method: "TakeKeys")) == [])
        #expect(rules(try interface(fields: "# What.\nkey: string", method: "GetKeyMapping")) == [.forbiddenName])
    }

    @Test func `An exception covers its field and nothing else, and must be needed`() throws {
        let taking = try interface(
            fields: "# Who.\nkey: string",
            results: "# Them. At most 14.\nkeys: []DiagnosisKey", method: "TakeDiagnosisKeys",
            rest: "# One.\ntype DiagnosisKey (\n# It.\nkeyText: string)")
        let path = "org.example.board1.TakeDiagnosisKeys"
        #expect(rules(taking) == [.forbiddenName, .forbiddenName])
        #expect(
            InterfaceLint.findings(in: taking, exceptions: ["\(path).keys"]).map(\.path) == ["\(path).key"])
        #expect(rules(taking, ["\(path).keys", "\(path).key"]) == [])
        #expect(rules(taking, ["\(path).keys", "\(path).key", "\(path).gone"]) == [.unusedException])
        #expect(rules(taking, ["\(path).keys", "\(path).key", "org.example.other1.A.key"]) == [])
    }

    @Test(arguments: ["base64: string", "dataBlob: string", "bytes: string", "hexText: string", "encoded: []string"])
    func `Bytes as text are found`(field: String) throws {
        #expect(rules(try interface(fields: "# Planted.\n\(field)")).contains(.bytesAsText))
    }

    @Test func `Untyped fields are found`() throws {
        #expect(rules(try interface(fields: "# Any.\nthing: object")) == [.untypedObject])
        #expect(
            rules(try interface(fields: "# Any.\nkey: object"), ["org.example.board1.GetState.key"]).contains(
                .untypedObject))
    }

    @Test func `Everything is documented`() throws {
        #expect(rules(try interface(fields: "degrees: int")) == [.undocumentedField])
        #expect(rules(try interface(methodDocumentation: "")) == [.undocumentedMember])
        #expect(rules(try interface(methodDocumentation: "# [Supports 'more' flag]")) == [.undocumentedMember])
        #expect(rules(try interface(fields: "# Outer.\nouter: (inner: int)")) == [.undocumentedField])
        #expect(
            rules(try InterfaceDescription(parsing: "interface org.example.a1\ntype T (a, b)"))
                == [.undocumentedMember, .undocumentedMember])
    }

    @Test func `Names are spelt alike`() throws {
        #expect(rules(try interface(fields: "# It.\nBig: int")) == [.nameNotCamelCase])
        #expect(rules(try interface(fields: "# It.\nwith_line: int")) == [.nameNotCamelCase])
        #expect(rules(try interface(fields: "# It.\nword: (Loud, quiet)")) == [.nameNotCamelCase])
    }

    @Test(arguments: ["org.example.board", "org.example.1", "org.example1.board", "org.example.board01b"])
    func `The name ends in a number`(name: String) throws {
        #expect(rules(try interface(name: name)) == [.interfaceWithoutNumber])
    }

    @Test func `Lists end`() throws {
        let list = "# All.\nwords: []string"
        #expect(rules(try interface(results: list)) == [.unboundedList])
        #expect(rules(try interface(fields: list)) == [])
        #expect(rules(try interface(results: "# All. At most many.\nwords: []string")) == [.unboundedList])
        #expect(rules(try interface(results: "# All. At most 5 of them.\nwords: []string")) == [])
        #expect(
            rules(try interface(results: list, methodDocumentation: "# All.\n# [Supports 'more' flag]")) == [])
        let nested = try interface(
            results: "# In it.\nthing: ?Thing", rest: "# A tree.\ntype Thing (\n# More.\nbelow: []Thing)")
        #expect(rules(nested) == [.unboundedList])
    }

    @Test func `Types that hold themselves do not keep it busy`() throws {
        let text = (0..<40).map { "# T.\ntype T\($0) (\n# A.\na: ?T\(($0 + 1) % 40),\n# B.\nb: ?T\(($0 + 1) % 40))" }
        let interface = try interface(fields: "# It.\nthing: T0", rest: text.joined(separator: "\n"))
        #expect(InterfaceLint.findings(in: interface) == [])
    }
}
