// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import Varlink

struct InterfaceDescriptionTests {
    private func parse(_ text: String) throws(VarlinkError) -> InterfaceDescription {
        try InterfaceDescription(parsing: text)
    }

    @Test func `The published interface of services is read`() throws {
        let interface = ServiceDescription.serviceInterface
        #expect(interface.name == "org.varlink.service")
        #expect(interface.methods.map(\.name) == ["GetInfo", "GetInterfaceDescription"])
        #expect(interface.documentation.hasPrefix("The Varlink Service Interface"))
        #expect(interface.error(named: "PermissionDenied")?.parameters == [])
        #expect(interface.method(named: "GetInfo")?.results.last?.type == .array(.string))
        #expect(try parse(interface.text) == interface)
    }

    /// The example of varlink.org's page on the interface definition.
    @Test func `The published example is read`() throws {
        let interface = try parse(
            """
            # Interface to jump a spacecraft to another point in space.
            # The FTL Drive is the propulsion system to achieve
            # faster-than-light travel through space. A ship making a
            # properly calculated jump can arrive safely in planetary
            # orbit, or alongside other ships or spaceborne objects.
            interface org.example.ftl

            # The current state of the FTL drive and the amount of
            # fuel available to jump.
            type DriveCondition (
              state: (idle, spooling, busy),
              booster: bool,
              active_engines: [](id: int, state: bool),
              tylium_level: int
            )

            # Speed, trajectory and jump duration is calculated prior
            # to activating the FTL drive.
            type DriveConfiguration (
              speed: int,
              trajectory: int,
              duration: int
            )

            # The galactic coordinates use the Sun as the origin.
            # Galactic longitude is measured with primary direction
            # from the Sun to the center of the galaxy in the galactic
            # plane, while the galactic latitude measures the angle
            # of the object above the galactic plane.
            type Coordinate (
              longitude: float,
              latitude: float,
              distance: int
            )

            # Monitor the drive. The method will reply with an update
            # whenever the drive's state changes
            method Monitor() -> (condition: DriveCondition)

            # Calculate the drive's jump parameters from the current
            # position to the target position in the galaxy
            method CalculateConfiguration(
              current: Coordinate,
              target: Coordinate
            ) -> (configuration: DriveConfiguration)

            # Jump to the calculated point in space
            method Jump(configuration: DriveConfiguration) -> ()

            # There is not enough tylium to jump with the given
            # parameters
            error NotEnoughEnergy ()

            # The supplied parameters are outside the supported range
            error ParameterOutOfRange (field: string)
            """)
        #expect(interface.members.count == 8)
        #expect(interface.documentation.split(separator: "\n").count == 5)
        #expect(try parse(interface.text) == interface)
    }

    @Test func `Comments belong to what they stand directly above`() throws {
        let interface = try parse(
            """
            # A licence.

            # An interface.
            #   Indented.
            #
            interface a.b # not documentation
            # Lost, with a line between.

            method M( # lost
              # A field.
              a: int, # lost
              b: (
                # A word.
                one,
                two
              )
            ) -> ()
            # At the end.
            """)
        #expect(interface.documentation == "An interface.\n  Indented.\n")
        let method = try #require(interface.method(named: "M"))
        #expect(method.documentation == "")
        #expect(method.parameters.map(\.documentation) == ["A field.", ""])
        guard case .enumeration(let words) = method.parameters[1].type else { return #expect(Bool(false)) }
        #expect(words.map(\.documentation) == ["A word.", ""])
        #expect(try parse(interface.text) == interface)
    }

    @Test(arguments: [
        ("", InterfaceDescription.Method.Streaming.none), ("# Text.", .none), ("# [Requires 'more' flag]", .required),
        ("# [Supports 'more' flag]", .supported), ("# Text.\n# [Requires 'more' flag]", .required),
        ("# It says [Requires 'more' flag]", .none),
    ])
    func `Flags of methods are read`(documentation: String, streaming: InterfaceDescription.Method.Streaming) throws {
        let interface = try parse("interface a.b\n\(documentation)\nmethod M() -> ()")
        #expect(interface.method(named: "M")?.streaming == streaming)
    }

    @Test(arguments: [
        "interface a.b", "interface A.1", "interface a-b.c--d9", "interface com.example.0x",
        "interface a.b type T ()", "interface a.b type T (a)",
        "interface a.b type T (interface, type, method, error, bool)",
        "interface a.b type T (type: string, error: int, string: bool)", "interface a.b type T (a_b_1c: int)",
        "interface a.b type T (a: []?[]?[string]?bool)", "interface a.b type T (a: ?[]?string)",
        "interface a.b type T (a: [string]())", "interface a.b type T (a: ?T)",
        "interface a.b type T (a: []T, b: [string]T)",
        "interface a.b\r\n\tmethod\n M ( )->( ) error\tE()", "interface a.b method M()->()type T()",
        "interface a.b type A (b: ?B) type B (a: A)",
    ])
    func `The grammar's corners are read and printed`(text: String) throws {
        let interface = try parse(text)
        #expect(try parse(interface.text) == interface)
    }

    @Test(
        arguments: [
            ("", .syntax), ("interface", .syntax), ("interface a", .syntax), ("interface 1.b", .syntax),
            ("interface a.", .syntax), ("interface a..b", .syntax), ("interface a.-b", .syntax),
            ("interface a.b-", .syntax),
            ("interface a_b.c", .syntax), ("interfacea.b", .syntax), ("interface a.b c", .syntax),
            ("interface a.b method m() -> ()", .syntax), ("interface a.b method M()", .syntax),
            ("interface a.b method M() -> (a)", .syntax), ("interface a.b method M(a) -> ()", .syntax),
            ("interface a.b error E", .syntax), ("interface a.b error E (a, b)", .syntax),
            ("interface a.b type T bool", .syntax),
            ("interface a.b type T [](a: int)", .syntax), ("interface a.b type T (a: int,)", .syntax),
            ("interface a.b type T (a: int b: int)", .syntax), ("interface a.b type T (a: int, b)", .syntax),
            ("interface a.b type T (a, b: int)", .syntax), ("interface a.b type T (a: ??int)", .syntax),
            ("interface a.b type T (a: [int]bool)", .syntax), ("interface a.b type T (a: uint)", .syntax),
            ("interface a.b type T (a__b: int)", .syntax), ("interface a.b type T (a_: int)", .syntax),
            ("interface a.b type T (_a: int)", .syntax), ("interface a.b type T (1a: int)", .syntax),
            ("interface a.b type T (a-b: int)", .syntax), ("interface a.b type T (a.b: int)", .syntax),
            ("interface a.b type T (a: [ ]int)", .syntax), ("interface a.b type T (a: int", .syntax),
            ("interface a.b type Tü ()", .syntax), ("interface a.b @", .syntax),
            ("interface a.b method M() - > ()", .syntax),
            ("interface a.b type T () type T ()", .duplicateName), ("interface a.b type T () error T ()", .duplicateName),
            ("interface a.b type T (a: int, a: int)", .duplicateName), ("interface a.b type T (a, a)", .duplicateName),
            ("interface a.b type T (a: U)", .undefinedType), ("interface a.b error E () type T (a: E)", .undefinedType),
            ("interface a.b type T (a: T)", .endlessType), ("interface a.b type T (a: (b: T))", .endlessType),
            ("interface a.b type A (b: B) type B (c: C) type C (a: A)", .endlessType),
        ] as [(String, VarlinkError.Code)])
    func `Anything else is refused`(text: String, code: VarlinkError.Code) {
        #expect(throws: VarlinkError(code)) { try parse(text) }
    }

    @Test func `Errors say line and column in plain words`() {
        do {
            _ = try parse("# x\ninterface a.b\n\ntype T (\n  a: wrong\n)")
            Issue.record("it was accepted")
        } catch {
            #expect(error.place == .line(5, column: 6))
            #expect(error.description.hasPrefix("line 5, column 6: "))
            #expect(error.description.contains("expected bool, int"))
        }
    }

    @Test func `Nesting ends at its limit`() throws {
        func nested(_ open: String, _ close: String, _ depth: Int) -> String {
            "interface a.b type T (a: \(String(repeating: open, count: depth))int\(String(repeating: close, count: depth)))"
        }
        #expect(throws: Never.self) { try parse(nested("[]", "", 60)) }
        #expect(throws: Never.self) { try parse(nested("(a: ", ")", 60)) }
        #expect(throws: VarlinkError(.nestedTooDeep)) { try parse(nested("[]", "", 65)) }
        #expect(throws: VarlinkError(.nestedTooDeep)) { try parse(nested("(a: ", ")", 65)) }
        #expect(throws: VarlinkError(.nestedTooDeep)) { try parse(nested("[]?", "", 100_000)) }
    }

    @Test func `A long chain of types is no problem`() throws {
        let text = (0..<5000).map { "type T\($0) (a: T\($0 + 1))" }.joined(separator: "\n")
        #expect(throws: Never.self) { try parse("interface a.b\n\(text)\ntype T5000 ()") }
        #expect(throws: VarlinkError(.endlessType)) { try parse("interface a.b\n\(text)\ntype T5000 (a: T7)") }
    }

    @Test func `Random text is read or refused, and what is read comes back from its print`() throws {
        let words = [
            "interface", "a.b", "type", "method", "error", "T", "U", "a", "b", "(", ")", ",", ":", "->", "?", "[]",
            "[string]",
            "int", "bool", "#c\n", "# d\n", "\n", " ", "é", "-", "_",
        ]
        var random = SeededGenerator(seed: 7)
        var readCount = 0
        for round in 0..<20_000 {
            // Half of them get a start that can be read.
            var text = round % 2 == 0 ? "interface a.b\ntype U ()\n" : ""
            for _ in 0..<Int.random(in: 0..<14, using: &random) {
                text += words[Int.random(in: 0..<words.count, using: &random)] + " "
            }
            guard let interface = try? parse(text) else { continue }
            readCount += 1
            #expect(try parse(interface.text) == interface)
        }
        #expect(readCount > 500)
    }

    @Test func `Every changed byte of an interface is read or refused`() throws {
        let text = Array(Example.text.utf8)
        for index in text.indices {
            for byte: UInt8 in [0, 9, 10, 32, 35, 40, 41, 44, 45, 58, 63, 65, 97, 91, 255] {
                var changed = text
                changed[index] = byte
                guard let interface = try? InterfaceDescription(parsing: changed) else { continue }
                #expect(try parse(interface.text) == interface)
            }
        }
    }
}
