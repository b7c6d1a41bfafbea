// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import FoundationEssentials
import JSON
import KeyExport
import Portal
import Synchronization
import Testing
import Verification

/// Two officers take a warning back on the page.
@Suite struct WarningPageTests {
    private let test = "123456-12345678-1234-4DA7-B166-B86D85475064"

    /// A warning of two keys that is public, and three officers.
    private func scene(
        reportType: Int32 = 1, encodesLevels: Bool = true
    ) throws -> (scene: PortalScene, authority: HealthAuthority) {
        let scene = try PortalScene(hasWarnings: true, encodesLevels: encodesLevels)
        for (name, role) in [("anna", PortalRole.tests), ("bert", .both), ("emil", .events)] { try scene.add(name, role) }
        let authority = try PortalScene.authority(scene.path, encodesLevels: encodesLevels)
        _ = try authority.publish(now: scene.now - 7_200)
        let registered = Hex.string(SHA256.digest(of: Array(test.utf8)))
        let handle = try #require(try PortalScene.verification(scene.path).warningHandles(registered).first)
        let keys = (0..<2).map { number in
            var key = ExportedKey()
            key.data = Block(SHA256.digest(of: [UInt8(number)]).prefix(16)) ?? Block()
            key.dataByteCount = 16
            key.rollingStart = Int32((scene.now / 86_400 - 2) * 144)
            key.reportType = reportType
            key.transmissionRiskLevel = 8
            return SubmittedKey(key)
        }
        #expect(try authority.accept(keys, source: "test", warning: handle, now: scene.now - 7_200).accepted == 2)
        _ = try authority.publish(now: scene.now)
        return (scene, authority)
    }

    private func fields(_ page: Answer, _ more: [(String, String)]) -> [(String, String)] {
        [("form", page.field("form") ?? ""), ("number", page.field("number") ?? "")] + more
    }

    private func propose(
        _ browser: Browser, _ code: String, _ reason: String = "samples were mixed up", to change: String? = nil
    ) throws -> Answer {
        let more = [("code", code), ("reason", reason)] + (change.map { [("change", $0)] } ?? [])
        return try browser.post("/warnings/propose", fields(try browser.get("/warnings"), more))
    }

    private func confirm(_ browser: Browser, _ number: String = "1") throws -> Answer {
        try browser.post("/warnings/confirm", fields(try browser.get("/warnings"), [("proposal", number)]))
    }

    @Test func oneProposesAndAnotherConfirms() throws {
        let (scene, authority) = try scene()
        let (anna, bert) = (scene.browser(), scene.browser())
        try anna.signIn("anna", PortalScene.password)
        try bert.signIn("bert", PortalScene.password)
        #expect(try anna.get().text.contains("href=\"/warnings\""))
        let proposed = try propose(anna, test, "samples <b>mixed</b> up")
        #expect(proposed.status == 200 && proposed.text.contains("Another person must confirm"))
        // Both are told what phones do, and what was typed is no markup.
        for page in [proposed, try bert.get("/warnings")] {
            #expect(page.text.contains("Phones do not: for 2 of 2 keys") && page.text.contains("2 public keys"))
            #expect(page.text.contains("samples &lt;b&gt;mixed&lt;/b&gt; up") && !page.text.contains("<b>mixed"))
            #expect(!page.text.contains(test))
        }
        #expect(!proposed.text.contains("action=\"/warnings/confirm\""))
        let same = try confirm(anna)
        #expect(same.status == 409 && same.text.contains("You proposed this yourself."))
        let confirmed = try confirm(bert)
        #expect(confirmed.status == 200 && confirmed.text.contains("Confirmed."))
        let again = try confirm(bert)
        #expect(again.status == 409 && again.text.contains("There is no such proposal any more"))
        let done = try propose(anna, test)
        #expect(done.status == 409 && done.text.contains("was taken back before"))
        _ = try authority.publish(now: scene.now + 3_600)
        #expect(try authority.status(now: scene.now)["regions"]?.array?.first?["revisionsWaiting"]?.int == 0)
        let kinds = try scene.kinds.filter { $0.hasPrefix("warning") }
        #expect(
            kinds == [
                "warning-asked", "warning-proposed", "warning-refused", "warning-confirmed", "warning-refused",
                "warning-asked", "warning-refused",
            ])
        let details = try scene.events().map { "\($0.user) \($0.detail)" }.joined()
        #expect(!details.contains(test) && !scene.shared.log.withLock { $0.joined() }.contains(test))
    }

    /// What somebody has said of themselves, or a doctor, becomes a confirmed test, and can still be taken back after that: as it is published.
    @Test(arguments: [
        (3 as Int32, "clinicalDiagnosis", 2 as Int32), (3, "confirmedTest", 1), (2, "confirmedTest", 1), (2, "revoked", 5),
    ])
    func whatIsRightIsChosenWhereTypesArePublished(stated: Int32, change: String, type: Int32) throws {
        let (scene, authority) = try scene(reportType: stated, encodesLevels: false)
        let (anna, bert) = (scene.browser(), scene.browser())
        try anna.signIn("anna", PortalScene.password)
        try bert.signIn("bert", PortalScene.password)
        #expect(try anna.get("/warnings").text.contains("<option value=\"\(change)\">"))
        let proposed = try propose(anna, test, to: change)
        #expect(proposed.status == 200 && proposed.text.contains("2 public keys"))
        let button = change == "revoked" ? "Confirm taking it back" : "Confirm the change"
        #expect(try bert.get("/warnings").text.contains(button))
        #expect(try authority.openProposals(now: scene.now).map(\.change.reportType) == [type])
        #expect(try confirm(bert).status == 200)
        // The same again follows nothing.
        let again = try propose(anna, test, to: change)
        #expect(
            again.status == 409 && again.text.contains(change == "revoked" ? "was taken back before" : "does not follow"))
    }

    /// Where types are codes there is nothing to choose, and what a form says all the same is refused.
    @Test func whereTypesAreCodesThereIsNoChoice() throws {
        let (scene, _) = try scene()
        let anna = scene.browser()
        try anna.signIn("anna", PortalScene.password)
        #expect(try !anna.get("/warnings").text.contains("<select"))
        for change in ["confirmedTest", "clinicalDiagnosis", "", "5"] {
            let answer = try propose(anna, test, to: change)
            #expect(answer.status == 409 && answer.text.contains("can only be taken back"), "\(change) \(answer.status)")
        }
        #expect(try propose(anna, test, to: "revoked").status == 200)
    }

    @Test func badFormsAreRefusedInTheirOwnWords() throws {
        let (scene, _) = try scene()
        let anna = scene.browser()
        try anna.signIn("anna", PortalScene.password)
        for (code, reason, words) in [
            ("", "samples were mixed up", "neither the code"), ("x", "samples were mixed up", "neither the code"),
            ("<script>", "samples were mixed up", "neither the code"), (test, "", "Give a reason"),
            (test, String(repeating: "x", count: 300), "Give a reason"),
            ("654321-12345678-1234-4DA7-B166-B86D85475064", "samples were mixed up", "No warning is known"),
        ] {
            let answer = try propose(anna, code, reason)
            #expect(answer.status == 409 && answer.text.contains(words), "\(code) \(answer.status)")
            #expect(!answer.text.contains("<script>"))
        }
        for number in ["", "x", "-1", "999999999999999999999", "7"] {
            #expect(try confirm(anna, number).text.contains("There is no such proposal"))
        }
        // A form twice, one without its token, one from somebody without the right, and one without a session.
        let page = try anna.get("/warnings")
        let form = fields(page, [("code", test), ("reason", "samples were mixed up")])
        #expect(try anna.post("/warnings/propose", form).status == 200)
        #expect(try anna.post("/warnings/propose", form).status == 409)
        #expect(try anna.post("/warnings/propose", [("code", test), ("reason", "samples")]).status == 403)
        let emil = scene.browser()
        try emil.signIn("emil", PortalScene.password)
        #expect(try !emil.get().text.contains("/warnings"))
        #expect(try emil.get("/warnings").status == 403)
        #expect(try emil.post("/warnings/confirm", [("proposal", "1")]).status == 403)
        #expect(try scene.browser().post("/warnings/confirm", [("proposal", "1")]).status == 403)
        #expect(try scene.browser().get("/warnings/confirm").status == 405)
    }

    @Test func nobodyLooksForMoreWarningsThanThereAreMistakes() throws {
        let (scene, _) = try scene()
        let anna = scene.browser()
        try anna.signIn("anna", PortalScene.password)
        let limit = Int(SessionRules().warningLimit)
        for _ in 0..<limit { #expect(try propose(anna, "x").status == 409) }
        #expect(try propose(anna, test).status == 429)
        scene.now += 3_601
        try anna.signIn("anna", PortalScene.password)
        #expect(try propose(anna, test).status == 200)
    }

    /// Without a publisher there is no such page.
    @Test func aPortalWithoutAPublisherTakesNothingBack() throws {
        let scene = try PortalScene()
        try scene.add("anna")
        let anna = scene.browser()
        try anna.signIn("anna", PortalScene.password)
        #expect(try !anna.get().text.contains("/warnings"))
        #expect(try anna.get("/warnings").status == 403)
    }

    /// Two officers at once, with two open pages: one confirms, the other is told.
    @Test func aPageThatIsOldChangesNothing() throws {
        let (scene, _) = try scene()
        let (anna, bert) = (scene.browser(), scene.browser())
        try anna.signIn("anna", PortalScene.password)
        try bert.signIn("bert", PortalScene.password)
        _ = try propose(anna, test)
        let page = try bert.get("/warnings")
        _ = try anna.post("/warnings/drop", fields(try anna.get("/warnings"), [("proposal", "1")]))
        let late = try bert.post("/warnings/confirm", fields(page, [("proposal", "1")]))
        #expect(late.status == 409 && late.text.contains("There is no such proposal any more"))
    }
}
