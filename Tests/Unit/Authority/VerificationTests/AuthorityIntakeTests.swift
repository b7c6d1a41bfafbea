// SPDX-License-Identifier: Apache-2.0

import Authority
import JSON
import Testing
import Verification

/// Submissions that end in the real authority's database.
@Suite struct AuthorityIntakeTests {
    @Test func aWarningIsInTheAuthorityOnceHoweverOftenItIsSent() throws {
        let scene = try VerificationScene()
        let tan = try scene.tan(0)
        let folder = try StateFolder.make(at: scene.path + "/authority").folder
        var settings = AuthoritySettings()
        settings.publishing.paddingMultiplier = 3
        func submission() throws -> SubmissionServer {
            let authority = try HealthAuthority(folder: folder, settings: settings)
            return SubmissionServer(
                rules: SubmissionRules(), tans: try scene.another(), taker: SubmissionIntake(authority: authority))
        }
        let body = Payload.body(Payload.keys(0..<14))
        for _ in 0..<3 { _ = try submission().submit(body, tan: tan, now: scene.now) }
        let other = try submission()
        #expect(code { _ = try other.submit(Payload.body([Payload.key(50)]), tan: tan, now: scene.now) } == .invalidTAN)
        let authority = try HealthAuthority(folder: folder, settings: settings)
        #expect(try authority.audit().events.allSatisfy { $0.event != "keys-accepted" })
        _ = try authority.publish(now: scene.now + 3_600)
        let audit = try authority.audit()
        let accepted = audit.events.filter { $0.event == "keys-accepted" }.map { $0.detail["accepted"]?.int }
        #expect(audit.isWhole && accepted == [14])
        let known = audit.events.filter { $0.event == "keys-accepted" }.map { $0.detail["known"]?.int }
        #expect(known == [28])
        #expect(audit.events.allSatisfy { $0.detail["source"] == nil || $0.detail["source"]?.string == "submission" })
    }
}
