// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import Varlink

struct ServerSessionTests {
    private func session(_ grants: Grants = .everything) throws -> ServerSession {
        ServerSession(service: try Example.service(), grants: grants, checksReplies: true)
    }

    /// Feeds it and takes what it answers by itself.
    private func answers(_ messages: String..., from session: inout ServerSession) throws -> [Reply] {
        for message in messages { #expect(session.receive([UInt8](message: message)) == message.utf8.count + 1) }
        #expect(try session.nextCall() == nil)
        return try replies(session.takeOutput())
    }

    private func replies(_ bytes: [UInt8]) throws -> [Reply] {
        try bytes.split(separator: 0).map { try Reply(message: JSON(parsing: $0)) }
    }

    private func take(_ message: String, from session: inout ServerSession) throws -> Call? {
        _ = session.receive([UInt8](message: message))
        return try session.nextCall()
    }

    @Test func `It describes itself`() throws {
        var session = try session()
        let replies = try answers(
            #"{"method":"org.varlink.service.GetInfo"}"#,
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.example.board1"}}"#,
            from: &session)
        #expect(replies[0].parameters["interfaces"] == ["org.example.board1", "org.example.other", "org.varlink.service"])
        #expect(replies[0].parameters["vendor"] == "Vendor")
        let text = try #require(replies[1].parameters["description"]?.string)
        #expect(try InterfaceDescription(parsing: text) == InterfaceDescription(parsing: Example.text))
    }

    private static let refusals: [(String, String, JSON.Object)] = [
        (#"{"method":"org.example.none.A"}"#, "InterfaceNotFound", ["interface": "org.example.none"]),
        (#"{"method":"org.example.board1.Nothing"}"#, "MethodNotFound", ["method": "org.example.board1.Nothing"]),
        (#"{"method":"Echo"}"#, "MethodNotFound", ["method": "Echo"]),
        (#"{"method":""}"#, "MethodNotFound", ["method": ""]),
        (#"{"method":"org.example.board1.TooLate"}"#, "MethodNotFound", ["method": "org.example.board1.TooLate"]),
        (#"{"method":"org.example.board1.Echo"}"#, "InvalidParameter", ["parameter": "word"]),
        (
            #"{"method":"org.example.board1.Echo","parameters":{"word":"a","files":[{"name":"a","size":"b"}]}}"#,
            "InvalidParameter", ["parameter": "files[0].size"]
        ),
        (
            #"{"method":"org.example.board1.Echo","parameters":{"word":"a","other":1}}"#, "InvalidParameter",
            ["parameter": "other"]
        ),
        (#"{"method":"org.example.board1.Watch"}"#, "ExpectedMore", [:]),
        (
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"}}"#,
            "InterfaceNotFound", ["interface": "a.b"]
        ),
        (#"{"method":"org.varlink.service.GetInterfaceDescription"}"#, "InvalidParameter", ["parameter": "interface"]),
        (#"{"method":"org.varlink.service.GetInfo","parameters":{"a":1}}"#, "InvalidParameter", ["parameter": "a"]),
    ]

    @Test(arguments: refusals)
    func `It refuses by itself, and says nothing to oneway calls`(
        message: String, error: String, parameters: JSON.Object
    ) throws {
        var session = try session()
        let replies = try answers(message, from: &session)
        #expect(replies == [Reply(error: "org.varlink.service.\(error)", parameters: parameters)])
        #expect(try answers(message.dropLast() + #","oneway":true}"#, from: &session) == [])
    }

    @Test func `What was not granted is refused, counted, and not shown`() throws {
        var session = try session(Grants(["org.example.board1.Echo"]))
        let denied = try answers(#"{"method":"org.example.board1.Secret"}"#, from: &session)
        #expect(denied.first?.error == ServiceError.permissionDenied)
        #expect(denied.first?.parameters["method"] == "org.example.board1.Secret")
        #expect(denied.first?.parameters["reason"]?.string?.contains("grants") == true)
        #expect(session.deniedCallCount == 1)
        let info = try answers(#"{"method":"org.varlink.service.GetInfo"}"#, from: &session)
        #expect(info.first?.parameters["interfaces"] == ["org.example.board1", "org.varlink.service"])
        let hidden = try answers(
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.example.other"}}"#,
            from: &session)
        #expect(hidden.first?.error == ServiceError.interfaceNotFound)
        let call = try take(#"{"method":"org.example.board1.Echo","parameters":{"word":"a"}}"#, from: &session)
        #expect(call == Call("org.example.board1.Echo", parameters: ["word": "a"]))
    }

    @Test func `Calls come one by one, however many are here`() throws {
        var session = try session()
        for word in ["a", "b", "c"] {
            let message = #"{"method":"org.example.board1.Echo","parameters":{"word":"\#(word)"}}"#
            _ = session.receive([UInt8](message: message))
        }
        for word in ["a", "b", "c"] as [JSON] {
            let call = try #require(try session.nextCall())
            #expect(call.parameters["word"] == word)
            #expect(try session.nextCall() == nil)
            try session.reply(["word": word])
        }
        #expect(try session.nextCall() == nil)
        #expect(throws: VarlinkError(.noCallWaiting)) { try session.reply(["word": "d"]) }
        #expect(try replies(session.takeOutput()).map { $0.parameters["word"] } == ["a", "b", "c"])
    }

    @Test func `Several replies need more, and nothing follows the last`() throws {
        var session = try session()
        _ = try take(#"{"method":"org.example.board1.List"}"#, from: &session)
        #expect(throws: VarlinkError(.continuesWithoutMore)) { try session.reply(["name": "a"], continues: true) }
        try session.reply(["name": "a"])
        _ = try take(#"{"method":"org.example.board1.List","more":true}"#, from: &session)
        try session.reply(["name": "b"], continues: true)
        try session.fail("org.example.board1.TooLate", parameters: ["by": 3])
        #expect(throws: VarlinkError(.noCallWaiting)) { try session.reply(["name": "c"], continues: true) }
        #expect(throws: VarlinkError(.noCallWaiting)) { try session.fail("org.example.board1.TooLate") }
        #expect(
            try replies(session.takeOutput()) == [
                Reply(["name": "a"]), Reply(["name": "b"], continues: true),
                Reply(error: "org.example.board1.TooLate", parameters: ["by": 3]),
            ])
    }

    @Test func `A oneway call gets nothing, whatever is answered`() throws {
        var session = try session()
        let message = #"{"method":"org.example.board1.Echo","parameters":{"word":"a"},"oneway":true}"#
        #expect(try take(message, from: &session)?.isOneway == true)
        try session.reply(["word": "a"])
        #expect(try take(message, from: &session)?.isOneway == true)
        try session.fail("org.example.board1.TooLate", parameters: ["by": 1])
        #expect(session.output == [])
        #expect(session.pending == nil)
    }

    @Test func `Replies that the interface does not allow are found`() throws {
        var session = try session()
        _ = try take(#"{"method":"org.example.board1.Echo","parameters":{"word":"a"}}"#, from: &session)
        #expect(throws: VarlinkError(.wrongType)) { try session.reply([:]) }
        #expect(throws: VarlinkError(.wrongType)) { try session.reply(["word": "a", "extra": 1]) }
        #expect(throws: VarlinkError(.malformedName)) { try session.fail("org.example.board1.Unknown") }
        #expect(throws: VarlinkError(.malformedName)) { try session.fail("nonsense") }
        #expect(throws: VarlinkError(.wrongType)) { try session.fail("org.example.board1.TooLate") }
        let long = String(repeating: "a", count: MessageFramer.maximumMessageByteCount)
        #expect(throws: VarlinkError(.messageTooLong)) { try session.reply(["word": .string(long)]) }
        #expect(session.output == [])
        try session.reply(["word": "a"])
    }

    @Test(
        arguments: [
            #"{"method":"org.example.board1.Echo","extra":1}"#, "[]", "{", #"{"method":1}"#, "",
            #"{"method":"org.varlink.service.GetInfo","upgrade":true}"#,
        ])
    func `After what is not Varlink nothing more is read`(message: String) throws {
        var session = try session()
        _ = session.receive([UInt8](message: message) + [UInt8](message: #"{"method":"org.varlink.service.GetInfo"}"#))
        #expect(throws: VarlinkError.self) { try session.nextCall() }
        #expect(session.inputRoom == 0)
        #expect(session.receive([1]) == 0)
        #expect(try session.nextCall() == nil)
        #expect(session.output == [])
    }

    @Test func `Who does not read does not get to ask`() throws {
        var session = try session()
        let call =
            #"{"method":"org.varlink.service.GetInterfaceDescription","#
            + #""parameters":{"interface":"org.example.board1"}}"#
        let question = [UInt8](message: call)
        var largest = 0
        for _ in 0..<5000 where session.inputRoom >= question.count {
            _ = session.receive(question)
            #expect(try session.nextCall() == nil)
            largest = max(largest, session.output.count)
        }
        #expect(largest < ServerSession.outputBeforeNextCall + 2000)
        #expect(session.inputRoom < question.count)
        _ = session.takeOutput()
        #expect(try session.nextCall() == nil)
        #expect(!session.output.isEmpty)
    }

    @Test(arguments: ["a", "a.b", "a.b.", "a.b.c", ".*", "a.*", "*", "a.b.C.*x", ""])
    func `A grant of another form is refused`(name: String) {
        #expect(throws: VarlinkError(.malformedGrant)) { try Grants([name]) }
    }

    @Test func `Grants that fit nothing are told`() throws {
        let grants = try Grants([
            "org.example.board1.*", "org.example.board1.Ecko", "org.example.none.*", "org.example.other.Nothing",
        ])
        #expect(grants.unknownNames(in: try Example.service()) == ["org.example.board1.Ecko", "org.example.none.*"])
        #expect(grants.allows("Secret", of: "org.example.board1"))
        #expect(!grants.allows("Secret", of: "org.example.board2"))
        #expect(!Grants.nothing.allows("Secret", of: "org.example.board1"))
        #expect(Grants.nothing.allows("GetInfo", of: "org.varlink.service"))
    }

    @Test func `Services have each interface once, and short enough to be sent`() throws {
        let interface = try InterfaceDescription(parsing: "interface a.b")
        #expect(throws: VarlinkError(.duplicateInterface)) {
            try ServiceDescription(vendor: "", product: "", version: "", url: "", interfaces: [interface, interface])
        }
        let long = try InterfaceDescription(parsing: "#\(String(repeating: "x", count: 66_000))\ninterface a.b")
        #expect(throws: VarlinkError(.textTooLong)) {
            try ServiceDescription(vendor: "", product: "", version: "", url: "", interfaces: [long])
        }
    }
}
