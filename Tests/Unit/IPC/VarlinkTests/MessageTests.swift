// SPDX-License-Identifier: Apache-2.0

import JSON
import RandomValues
import Testing

@testable import Varlink

struct MessageTests {
    private func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

    @Test func `Calls are read as systemd writes them`() throws {
        #expect(try Call(message: json(#"{"method":"a.b.C"}"#)) == Call("a.b.C"))
        #expect(try Call(message: json(#"{"method":"a.b.C","parameters":null}"#)) == Call("a.b.C"))
        #expect(try Call(message: json(#"{"method":"a.b.C","parameters":{}}"#)) == Call("a.b.C"))
        #expect(
            try Call(message: json(#"{"parameters":{"a":1},"more":true,"oneway":false,"upgrade":false,"method":"a.b.C"}"#))
                == Call("a.b.C", parameters: ["a": 1], wantsMore: true))
    }

    @Test(
        arguments: [
            ("[]", .notAnObject), ("null", .notAnObject), ("{}", .missingMethod), (#"{"parameters":{}}"#, .missingMethod),
            (#"{"method":1}"#, .wrongType), (#"{"method":null}"#, .wrongType),
            (#"{"method":"a.b.C","parameters":[]}"#, .wrongType), (#"{"method":"a.b.C","more":1}"#, .wrongType),
            (#"{"method":"a.b.C","more":null}"#, .wrongType), (#"{"method":"a.b.C","oneway":"true"}"#, .wrongType),
            (#"{"method":"a.b.C","oneway":true,"more":true}"#, .contradictoryFlags),
            (#"{"method":"a.b.C","upgrade":true}"#, .upgradeRefused),
            (#"{"method":"a.b.C","extra":1}"#, .unknownTopLevelKey),
            (#"{"method":"a.b.C","org.example.extra":{}}"#, .unknownTopLevelKey),
            (#"{"method":"a.b.C","continues":false}"#, .unknownTopLevelKey),
        ] as [(String, VarlinkError.Code)])
    func `Anything else is no call`(text: String, code: VarlinkError.Code) throws {
        let message = try json(text)
        #expect(throws: VarlinkError(code)) { try Call(message: message) }
    }

    @Test(
        arguments: [
            ("[]", .notAnObject), (#"{"parameters":3}"#, .wrongType), (#"{"continues":1}"#, .wrongType),
            (#"{"error":null}"#, .wrongType), (#"{"error":"a.b.C","continues":true}"#, .errorWithContinues),
            (#"{"method":"a.b.C"}"#, .unknownTopLevelKey),
        ] as [(String, VarlinkError.Code)])
    func `Anything else is no reply`(text: String, code: VarlinkError.Code) throws {
        let message = try json(text)
        #expect(throws: VarlinkError(code)) { try Reply(message: message) }
    }

    @Test func `Messages come back from their JSON`() throws {
        for call in [Call("a.b.C"), Call("a.b.C", parameters: ["x": 1], wantsMore: true), Call("a.b.C", isOneway: true)] {
            #expect(try Call(message: call.message) == call)
        }
        for reply in [Reply(), Reply(["x": 1], continues: true), Reply(error: "a.b.E", parameters: ["x": 1])] {
            #expect(try Reply(message: reply.message) == reply)
        }
        #expect(Reply().message.description == #"{"parameters":{}}"#)
        #expect(Call("a.b.C").message.description == #"{"method":"a.b.C"}"#)
    }
}

struct MessageFramerTests {
    private func receive(_ framer: inout MessageFramer, _ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { framer.receive($0) }
    }

    @Test(arguments: [1, 2, 3, 7, 143, 100_000]) func `Messages do not depend on how bytes arrive`(size: Int) throws {
        var random = SeededGenerator(seed: 3)
        let values = (0..<200).map { _ in JSON.random(depth: 3, &random) }
        let stream: [UInt8] = values.flatMap { value -> [UInt8] in value.bytes + [0] }
        var framer = MessageFramer()
        var read: [JSON] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            var rest = stream[start..<min(start + size, stream.count)]
            while !rest.isEmpty {
                rest.removeFirst(receive(&framer, Array(rest)))
                while let value = try framer.next() { read.append(value) }
            }
        }
        #expect(read == values)
        #expect(framer.pendingByteCount == 0)
    }

    @Test func `The longest message fits, and one byte more does not`() throws {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: MessageFramer.maximumMessageByteCount - 2)
        var framer = MessageFramer()
        let longest = [0x22] + text + [0x22, 0]
        #expect(receive(&framer, longest) == longest.count)
        #expect(framer.room == 0)
        #expect(receive(&framer, [1]) == 0)
        #expect(try framer.next()?.string?.utf8.count == text.count)
        let tooLong = [0x22, 0x61] + text + [0x22]
        #expect(receive(&framer, tooLong) == tooLong.count)
        #expect(throws: VarlinkError(.messageTooLong)) { try framer.next() }
    }

    @Test func `What was taken is wiped, wherever it lay`() throws {
        var framer = MessageFramer()
        var random = SeededGenerator(seed: 5)
        for round in 0..<300 {
            let size = Int.random(in: 1..<3000, using: &random)
            let message: [UInt8] = [0x22] + [UInt8](repeating: 0x53, count: size) + [0x22, 0]
            let cut = Int.random(in: 0..<message.count, using: &random)
            _ = receive(&framer, Array(message[..<cut]))
            if round % 3 == 0 { #expect(try framer.next() == nil) }
            _ = receive(&framer, Array(message[cut...]) + message[..<cut])
            #expect(try framer.next() != nil)
            _ = receive(&framer, Array(message[cut...]))
            #expect(try framer.next() != nil)
            #expect(framer.pendingByteCount == 0)
            #expect(framer.isWiped)
        }
    }

    @Test func `A refusal of JSON is told as JSON tells it`() {
        var framer = MessageFramer()
        _ = receive(&framer, Array(#"{"a":1,"a":2}"#.utf8) + [0])
        let error = #expect(throws: VarlinkError(.json)) { try framer.next() }
        #expect(error?.cause?.code == .duplicateKey)
        #expect(error?.cause?.place == .byte(7))
        #expect("\(error!)" == "at byte 7: a key appears twice in one object [duplicateKey]")
    }

    @Test func `An empty message is no JSON`() {
        var framer = MessageFramer()
        _ = receive(&framer, [0])
        #expect(throws: VarlinkError(.json)) { try framer.next() }
    }
}
