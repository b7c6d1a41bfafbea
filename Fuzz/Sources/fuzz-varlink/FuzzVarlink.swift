// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import JSON
import Varlink

/// One stream of bytes, read by a service and by a caller: what they make of it must not depend on how it arrives.
@_cdecl("LLVMFuzzerTestOneInput")
public func testVarlink(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let service = served(bytes, chunk: max(1, count))
    let caller = heard(bytes, chunk: max(1, count))
    for chunk in [1, 7, 143] {
        claim(served(bytes, chunk: chunk) == service, "in pieces of \(chunk) the service does something else")
        claim(heard(bytes, chunk: chunk) == caller, "in pieces of \(chunk) the caller hears something else")
    }
    return 0
}

// The one service lives to the end, in enumerations whose pointers carry their case in spare bits: LeakSanitizer takes what they point
// to for lost. What is allocated while it looks away is not judged; fuzz-idl judges the parser.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let service = {
    lookAway()
    defer { lookAgain() }
    return needed("service") {
        try ServiceDescription(
            vendor: "v", product: "p", version: "1", url: "u",
            interfaces: [
                InterfaceDescription(
                    parsing: """
                        interface org.example.fuzz1
                        type File (name: string, size: int)
                        method Echo(word: string, level: ?(quiet, loud), files: ?[]File, ratio: ?float) -> (word: string)
                        # [Requires 'more' flag]
                        method Watch() -> (word: string)
                        method Secret() -> ()
                        error Wrong (number: int)
                        """)
            ])
    }
}()
private let grants = needed("grants") { try Grants(["org.example.fuzz1.Echo", "org.example.fuzz1.Watch"]) }

private struct Outcome: Equatable {
    var calls: [Call] = []
    var replies: [Reply] = []
    var output: [UInt8] = []
    var refusal: VarlinkError?
}

private func served(_ bytes: [UInt8], chunk: Int) -> Outcome {
    var session = ServerSession(service: service, grants: grants, checksReplies: true)
    var outcome = Outcome()
    feed(bytes, chunk: chunk) { piece in
        let count = session.receive(piece)
        do throws(VarlinkError) {
            while true {
                guard let call = try session.nextCall() else {
                    guard session.output.count > ServerSession.outputBeforeNextCall else { break }
                    outcome.output += session.takeOutput()
                    continue
                }
                outcome.calls.append(call)
                let before = session.output.count
                answer(call, &session)
                claim(session.pending == nil, "an answered call waits")
                claim(!call.isOneway || session.output.count == before, "a oneway call got something")
                claim(session.output.count <= 3 * MessageFramer.maximumMessageByteCount, "more output than allowed")
            }
        } catch {
            outcome.refusal = error
            return nil
        }
        outcome.output += session.takeOutput()
        return count
    }
    outcome.output += session.takeOutput()
    for message in outcome.output.split(separator: 0) {
        _ = needed("what the service says") { try Reply(message: JSON(parsing: message)) }
    }
    return outcome
}

private func answer(_ call: Call, _ session: inout ServerSession) {
    do throws(VarlinkError) {
        if call.method.hasSuffix("Watch") {
            if call.wantsMore { try session.reply(["word": "one"], continues: true) }
            try session.reply(["word": "last"])
        } else if let word = call.parameters["word"]?.string, word.utf8.count < 1000 {
            try session.reply(["word": .string(word)])
        } else {
            try session.fail("org.example.fuzz1.Wrong", parameters: ["number": 1])
        }
    } catch {
        fatalError("a good reply was refused: \(error)")
    }
}

private func heard(_ bytes: [UInt8], chunk: Int) -> Outcome {
    var session = ClientSession()
    var outcome = Outcome()
    for index in 0..<8 {
        needed("a call") { try session.send(Call("a.b.C", wantsMore: index % 2 == 1)) }
    }
    feed(bytes, chunk: chunk) { piece in
        let count = session.receive(piece)
        do throws(VarlinkError) {
            while let reply = try session.nextReply() {
                outcome.replies.append(reply)
                claim(!(reply.continues && reply.error != nil), "an error that is not the last")
            }
        } catch {
            outcome.refusal = error
            claim(session.inputRoom == 0, "it reads on after an error")
            return nil
        }
        return count
    }
    claim(outcome.replies.count { !$0.continues } + session.waitingCallCount == 8, "a reply too many")
    return outcome
}

/// Hands out pieces until `take`, which says how many bytes it took, gives `nil`.
private func feed(_ bytes: [UInt8], chunk: Int, _ take: ([UInt8]) -> Int?) {
    var offset = 0
    while offset < bytes.count {
        guard let count = take(Array(bytes[offset..<min(offset + chunk, bytes.count)])) else { return }
        claim(count > 0, "nothing is taken and nothing is refused")
        offset += count
    }
}
