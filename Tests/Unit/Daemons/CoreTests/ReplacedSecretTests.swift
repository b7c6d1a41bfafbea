// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import Testing
import VarlinkSocket

@testable import Core

/// What a secret is good for that its owner replaces while somebody else waits with it.
@Suite struct ReplacedSecretTests {
    private func error(_ reply: JSON?) -> String? {
        reply?["error"]?.string.map { String($0.split(separator: ".").last ?? "") }
    }

    /// Somebody who knows the former secret keeps trying while its owner replaces it. What was asked before the change is answered after it, by what holds then.
    @Test func aSecretThatWasReplacedOpensNothingToWhoWaited() throws {
        let desk = try AccessDesk()
        let former = try desk.makeSecret(.wearer)
        let owner = try desk.connect(as: .wearer)
        let thieves = try (0..<2).map { _ in try desk.connect() }
        func ask(_ line: AccessDesk.Line, _ method: String, _ parameters: JSON) {
            desk.send(line, "org.vigil.access1.\(method)", parameters)
            // Heard, and nothing is hashed yet.
            var descriptors = desk.server.descriptors()
            _ = poll(&descriptors, nfds_t(descriptors.count), 0)
            desk.server.serve(descriptors, at: desk.bench.now.duration)
        }
        for (number, thief) in thieves.enumerated() {
            ask(thief, "SignIn", ["role": "wearer", "secret": .string(former), "source": .string("\(number)")])
        }
        ask(owner, "ChangeSecret", ["role": "wearer", "present": .string(former), "wanted": "a better sentence"])
        let changed = desk.receive(owner)
        #expect(changed != nil && error(changed) == nil)
        for thief in thieves { #expect(error(desk.receive(thief)) == "Refused") }
        #expect(try error(desk.signIn(.wearer, "a better sentence")) == nil)
    }

    /// A change that waits, for which the present secret was shown, is none any more when another one comes before it.
    @Test func whoShowedAFormerSecretReplacesNothing() throws {
        let desk = try AccessDesk()
        let former = try desk.makeSecret(.wearer)
        let access = desk.bench.service.signIn.access
        var answers: [Result<String?, AccessRefusal>] = []
        access.change(.wearer, to: "the thief's sentence", shownBy: .wearer, at: desk.bench.now.duration) { result, _ in
            answers.append(result)
        }
        access.change(.wearer, to: nil, shownBy: nil, at: desk.bench.now.duration) { result, _ in answers.append(result) }
        for _ in 0..<3_000 where answers.count < 2 { desk.turn() }
        guard case .success(let made?) = try #require(answers.first),
            case .failure(.wrongSecret) = try #require(answers.last)
        else {
            Issue.record("\(answers)")
            return
        }
        #expect(try error(desk.signIn(.wearer, made)) == nil)
        for other in [former, "the thief's sentence"] { #expect(try error(desk.signIn(.wearer, other)) == "Refused") }
    }
}
