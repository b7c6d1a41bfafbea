// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import Varlink

struct ClientSessionTests {
    @Test func `Replies belong to the oldest call that waits`() throws {
        var session = ClientSession()
        try session.send(Call("a.b.One"))
        try session.send(Call("a.b.Quiet", isOneway: true))
        try session.send(Call("a.b.Many", wantsMore: true))
        try session.send(Call("a.b.Two"))
        #expect(session.takeOutput().split(separator: 0).count == 4)
        #expect(session.waitingCallCount == 3)
        let replies = [
            #"{"parameters":{"n":1}}"#, #"{"continues":true}"#, #"{"continues":true}"#, "{}",
            #"{"error":"a.b.E"}"#,
        ]
        for reply in replies {
            for byte in [UInt8](message: reply) { #expect(session.receive([byte]) == 1) }
        }
        #expect(try session.nextReply() == Reply(["n": 1]))
        #expect(try session.nextReply() == Reply(continues: true))
        #expect(try session.nextReply() == Reply(continues: true))
        #expect(try session.nextReply() == Reply())
        #expect(try session.nextReply() == Reply(error: "a.b.E"))
        #expect(try session.nextReply() == nil)
        #expect(session.waitingCallCount == 0)
    }

    @Test(
        arguments: [
            (#"{"continues":true}"#, .continuesWithoutMore), (#"{"error":"a.b.E","continues":true}"#, .errorWithContinues),
            (#"{"other":1}"#, .unknownTopLevelKey), ("[]", .notAnObject), ("{", .json),
        ] as [(String, VarlinkError.Code)])
    func `What breaks the protocol ends the session`(reply: String, code: VarlinkError.Code) throws {
        var session = ClientSession()
        try session.send(Call("a.b.One"))
        _ = session.receive([UInt8](message: reply))
        #expect(throws: VarlinkError(code)) { try session.nextReply() }
        #expect(session.inputRoom == 0)
        #expect(try session.nextReply() == nil)
    }

    @Test func `A reply nobody waits for ends it too`() throws {
        var session = ClientSession()
        try session.send(Call("a.b.Quiet", isOneway: true))
        _ = session.receive([UInt8](message: "{}"))
        #expect(throws: VarlinkError(.replyWithoutCall)) { try session.nextReply() }
    }

    @Test func `Calls that cannot be are not sent`() throws {
        var session = ClientSession()
        #expect(throws: VarlinkError(.malformedName)) { try session.send(Call("One")) }
        #expect(throws: VarlinkError(.contradictoryFlags)) {
            try session.send(Call("a.b.One", wantsMore: true, isOneway: true))
        }
        let long = String(repeating: "a", count: MessageFramer.maximumMessageByteCount)
        #expect(throws: VarlinkError(.messageTooLong)) {
            try session.send(Call("a.b.One", parameters: ["a": .string(long)]))
        }
        #expect(session.output == [])
        for _ in 0..<ClientSession.maximumWaitingCallCount { try session.send(Call("a.b.One")) }
        #expect(throws: VarlinkError(.tooManyCalls)) { try session.send(Call("a.b.One")) }
    }
}
