// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Testing
import Varlink
import WebSafety

@testable import WebUIPlugin

/// The page in front of a core of this test's own, with somebody signed in.
private final class Desk {
    /// What the stand-in for the core does, and what it was asked.
    final class Core {
        var donation: JSON = [
            "isOffered": true, "issuer": "issuer.example", "server": "donation.example", "preparedDays": 0, "history": [],
        ]
        /// The name of the error that everything about donations is answered with; `nil` for none.
        var error: String?
        /// Likewise, for consents alone.
        var consentError: String?
        var asked: [String] = []
        var consents: [JSON] = []
        var released: [JSON] = []
        /// Of everything about logs alone.
        var logError: String?
        var survey: JSON = [:]
    }

    let bench: PluginBench<WebUI>
    let standIn: StandIn
    let core: Core
    let port: UInt16

    init(_ role: Access1.Role) throws {
        bench = try PluginBench<WebUI>.page()
        let core = Core()
        standIn = try StandIn(bench.supervisor.folder.path + "/run/", signedIn: role) { standIn, call in
            guard call.method.hasPrefix("\(Donation1.name).") else { return false }
            core.asked.append(String(call.method.split(separator: ".").last ?? ""))
            if let error = core.error { throw CallFailure(error, ["reason": "The core says why."]) }
            switch call.method {
            case "\(Donation1.name).GetDonation": call.reply(core.donation)
            case "\(Donation1.name).SetConsent":
                core.consents.append(call.parameters)
                if let error = core.consentError { throw CallFailure(error, ["reason": "The core says why."]) }
                call.reply(JSON.empty)
            case "\(Donation1.name).GetErrorLog":
                let log: JSON = [
                    "lines": [["trouble": "lostScans", "day": 20_776], ["trouble": "diskNearlyFull", "day": 20_777]],
                    "released": [],
                ]
                call.reply(log)
            case "\(Donation1.name).GetSurvey": call.reply(core.survey)
            case "\(Donation1.name).ReleaseErrorLog":
                if let error = core.logError { throw CallFailure(error, ["reason": "The core says why."]) }
                core.released.append(call.parameters)
                call.reply(JSON.empty)
            default: return false
            }
            return true
        }
        self.core = core
        port = try bench.supervisor.listen("web")
        try bench.start()
    }

    func get(_ path: String = "/donate", isSignedIn: Bool = true) throws -> String {
        try bench.fetch("GET \(path) HTTP/1.1", port, isSignedIn: isSignedIn, from: standIn)
    }

    func post(
        _ fields: String, to path: String = "/donate", token: String? = nil, isSignedIn: Bool = true
    ) throws -> String {
        let token = try token ?? bench.plugin.router.tokens.token(for: PluginBench<WebUI>.session)
        let body = "form=\(token)&" + fields
        return try bench.fetch(
            "POST \(path) HTTP/1.1\r\nOrigin: http://127.0.0.1:\(port)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)", port,
            isSignedIn: isSignedIn, body: body, from: standIn)
    }
}

/// `/donate` over HTTP: who sees it, what its forms ask the core for, and what it says when the core refuses.
@Suite struct DonationRouteTests {
    private static let good =
        "act=agreeToDonation&consent=yes&text=\(Donation1.consentTextVersion)&issuer=issuer.example&server=donation.example&responsible="

    @Test func theWearerSeesTheTextAndAgreesToIt() throws {
        let test = try Desk(.wearer)
        let page = try test.get()
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("value=\"agreeToDonation\""))
        #expect(page.contains("issuer.example") && page.contains("donation.example"))
        #expect(test.core.consents.isEmpty && test.core.asked.sorted() == ["GetDonation", "GetPreview", "GetSurvey"])
        let answer = try test.post(Self.good)
        #expect(answer.hasPrefix("HTTP/1.1 303 ") && answer.contains("Location: /donate"), "\(answer.prefix(200))")
        #expect(test.core.consents == [["isAgreed": true, "text": .int(Donation1.consentTextVersion)]])
        let back = try test.post("act=takeBackDonation")
        #expect(back.hasPrefix("HTTP/1.1 303 ") && test.core.consents.last == ["isAgreed": false])
        #expect(try test.get("/settings").contains("href=\"/donate\""))
    }

    /// Without the tick, with another text, or with other servers than those now, nothing is agreed to.
    @Test(arguments: [
        ("consent=yes", "consent=", "the box is not ticked"),
        ("text=\(Donation1.consentTextVersion)", "text=\(Donation1.consentTextVersion - 1)", "the text has changed"),
        ("text=\(Donation1.consentTextVersion)", "text=", "the text has changed"),
        ("text=\(Donation1.consentTextVersion)", "text=\(Donation1.consentTextVersion)e0", "the text has changed"),
        ("issuer=issuer.example", "issuer=old.example", "the text has changed"),
        ("server=donation.example", "server=", "the text has changed"), ("&responsible=", "", "the text has changed"),
        ("&responsible=", "&responsible=1:a", "the text has changed"),
    ])
    func onlyWhatWasReadIsAgreedTo(field: String, other: String, said: String) throws {
        let test = try Desk(.wearer)
        let answer = try test.post(Self.good.replacing(field, with: other))
        #expect(answer.hasPrefix("HTTP/1.1 422 ") && answer.contains(said), "\(answer.prefix(200))")
        #expect(test.core.consents.isEmpty)
    }

    /// Who is responsible for it is part of what is agreed to, on both pages.
    @Test func whoIsResponsibleIsAgreedToAsItWasRead() throws {
        let test = try Desk(.wearer)
        let people: JSON = [
            "issuer": "City, \"IT\" & more", "server": "Institute", "recipients": "Institute", "keptDays": 90,
        ]
        func offer(_ people: JSON) {
            test.core.donation = [
                "isOffered": true, "issuer": "issuer.example", "server": "donation.example", "preparedDays": 0,
                "history": [], "responsible": people,
                "log": ["isOffered": true, "isPrepared": false, "history": [], "responsible": people],
            ]
        }
        offer(people)
        let print = "17:City, \"IT\" & more,9:Institute,9:Institute,2:90"
        let field = "&responsible=" + print.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        for (path, form) in [("/donate", Self.good), ("/donate/log", Self.goodLog)] {
            let page = try test.get(path)
            #expect(
                page.contains("City, &quot;IT&quot; &amp; more") && page.contains("within 90 days of their arrival")
            )
            #expect(!page.contains("Ask the health authority who runs"))
            #expect(try test.post(form, to: path).contains("the text has changed"))
            #expect(try test.post(form.replacing("&responsible=", with: field), to: path).hasPrefix("HTTP/1.1 303 "))
        }
        #expect(test.core.consents.count == 2)
        offer(["issuer": "City, \"IT\" & more", "server": "Institute", "recipients": "Institute", "keptDays": 91])
        for (path, form) in [("/donate", Self.good), ("/donate/log", Self.goodLog)] {
            #expect(try test.post(form.replacing("&responsible=", with: field), to: path).contains("the text has changed"))
        }
        #expect(test.core.consents.count == 2)
    }

    @Test func whereNothingIsAskedForNothingIsAgreedTo() throws {
        let test = try Desk(.wearer)
        test.core.donation = ["isOffered": false, "preparedDays": 0, "history": []]
        #expect(try test.get().contains("does not ask for data now"))
        #expect(try test.post(Self.good).hasPrefix("HTTP/1.1 422 ") && test.core.consents.isEmpty)
    }

    /// A form needs the session's token, as every form.
    @Test(arguments: ["act=takeBackDonation", good]) func aForgedFormChangesNothing(fields: String) throws {
        let test = try Desk(.wearer)
        #expect(try test.post(fields, token: "").hasPrefix("HTTP/1.1 403 "))
        #expect(try test.post(fields, token: String(repeating: "0", count: 64)).hasPrefix("HTTP/1.1 403 "))
        #expect(test.core.consents.isEmpty && test.core.asked.isEmpty)
    }

    /// Neither link nor page for anybody but the wearer, and the core is not even asked.
    @Test(arguments: [Access1.Role.technicianReadOnly, .technician])
    func aTechnicianSeesNothingOfIt(role: Access1.Role) throws {
        let test = try Desk(role)
        #expect(try test.get().hasPrefix("HTTP/1.1 403 "))
        for fields in ["act=takeBackDonation", Self.good] { #expect(try test.post(fields).hasPrefix("HTTP/1.1 403 ")) }
        for path in ["/api/v1/donation", "/api/v1/donation/preview"] {
            #expect(try test.get(path).hasPrefix("HTTP/1.1 403 "), "\(path)")
        }
        for route in test.bench.plugin.router.routes {
            guard let action = route.action("GET"), action.roles?.contains(role) ?? true else { continue }
            let parts = route.pattern.map { if case .word(let word) = $0 { word } else { "1" } }
            guard parts.first != "events", parts.first != "api" else { continue }
            let page = try test.get("/" + parts.joined(separator: "/"))
            #expect(!page.contains("href=\"/donate\""), "\(parts)")
        }
        #expect(test.core.asked.isEmpty)
    }

    @Test func aStrangerIsSentToSignIn() throws {
        let test = try Desk(.wearer)
        let page = try test.get(isSignedIn: false)
        #expect(page.hasPrefix("HTTP/1.1 303 ") && page.contains("Location: /sign-in"))
        #expect(try test.get("/api/v1/donation", isSignedIn: false).hasPrefix("HTTP/1.1 401 "))
        let form = try test.post(Self.good, isSignedIn: false)
        #expect(!form.contains("HTTP/1.1 2") && test.core.asked.isEmpty, "\(form.prefix(100))")
    }

    /// What the core refuses is told, whatever it is, and nothing is offered then.
    @Test(arguments: [
        ("\(Donation1.name).WrongRole", "A place donates nothing."),
        ("\(Donation1.name).StorageUnavailable", "cannot show this right now"),
        ("org.varlink.service.PermissionDenied", "is not allowed to show donations"),
        ("org.varlink.service.MethodNotFound", "is not allowed to show donations"),
    ])
    func whatTheCoreRefusesIsTold(error: String, said: String) throws {
        let test = try Desk(.wearer)
        test.core.error = error
        let page = try test.get()
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains(said), "\(page.prefix(200))")
        #expect(!page.contains("value=\"agreeToDonation\"") && !page.contains("value=\"takeBackDonation\""))
        for fields in ["act=takeBackDonation", Self.good] { #expect(try test.post(fields).hasPrefix("HTTP/1.1 422 ")) }
    }

    /// A consent that the core does not take is not shown as one.
    @Test(arguments: ["TimeUnknown", "StorageUnavailable", "WrongRole"])
    func aConsentThatIsRefusedIsToldWithTheReason(error: String) throws {
        let test = try Desk(.wearer)
        test.core.consentError = "\(Donation1.name).\(error)"
        for fields in ["act=takeBackDonation", Self.good] {
            let answer = try test.post(fields)
            #expect(answer.hasPrefix("HTTP/1.1 422 ") && answer.contains("The core says why."), "\(answer.prefix(200))")
        }
    }

    /// Where nobody answers for the core there is a page that says so.
    @Test func withoutACoreThereIsAPageThatSaysSo() throws {
        let bench = try PluginBench<WebUI>.page()
        let standIn = try StandIn(bench.supervisor.folder.path + "/run/", signedIn: .wearer) { _, call in
            if call.method.hasPrefix("\(Access1.name).") { return false }
            throw CallFailure("org.varlink.service.MethodNotFound")
        }
        let port = try bench.supervisor.listen("web")
        try bench.start()
        let page = try bench.fetch("GET /donate HTTP/1.1", port, from: standIn)
        #expect(page.hasPrefix("HTTP/1.1 404 ") || page.hasPrefix("HTTP/1.1 503 "), "\(page.prefix(100))")
        #expect(!page.contains("agreeToDonation"))
    }

    // MARK: Error logs

    private static let goodLog =
        "act=agreeToLogs&consent=yes&text=\(Donation1.logTextVersion)&issuer=issuer.example&server=donation.example&responsible="
    private static func logs(_ consent: Bool) -> JSON {
        [
            "isOffered": true, "issuer": "issuer.example", "server": "donation.example", "preparedDays": 0, "history": [],
            "log": consent
                ? ["isOffered": true, "consent": ["since": 1, "text": 1], "begins": 2, "isPrepared": true, "history": []]
                : ["isOffered": true, "isPrepared": false, "history": []],
        ]
    }

    @Test func theWearerAgreesToLogsByThemselves() throws {
        let test = try Desk(.wearer)
        test.core.donation = Self.logs(false)
        #expect(try test.get().contains("href=\"/donate/log\""))
        let page = try test.get("/donate/log")
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("value=\"agreeToLogs\"") && !page.contains("releaseLog"))
        for (field, other) in [("consent=yes", "consent="), ("&text=", "&text=9"), ("server=donation.example", "server=x")]
        {
            #expect(try test.post(Self.goodLog.replacing(field, with: other), to: "/donate/log").hasPrefix("HTTP/1.1 422 "))
        }
        #expect(test.core.consents.isEmpty)
        #expect(try test.post(Self.goodLog, to: "/donate/log").contains("Location: /donate/log"))
        #expect(try test.post("act=takeBackLogs", to: "/donate/log").hasPrefix("HTTP/1.1 303 "))
        #expect(
            test.core.consents == [
                ["isAgreed": true, "text": .int(Donation1.logTextVersion), "purpose": "log"],
                ["isAgreed": false, "purpose": "log"],
            ])
    }

    @Test func onlyTheLinesThatWereReadAreLetGo() throws {
        let test = try Desk(.wearer)
        test.core.donation = Self.logs(true)
        let page = try test.get("/donate/log")
        #expect(page.contains("value=\"lostScans,diskNearlyFull\"") && page.contains("value=\"releaseLog\""))
        for fields in ["read=&lines=lostScans", "read=yes&lines=", "read=yes&lines=lostScans,x", "read=yes"] {
            #expect(try test.post("act=releaseLog&" + fields, to: "/donate/log").hasPrefix("HTTP/1.1 422 "), "\(fields)")
        }
        #expect(test.core.released.isEmpty)
        let answer = try test.post("act=releaseLog&read=yes&lines=lostScans%2CdiskNearlyFull", to: "/donate/log")
        #expect(answer.hasPrefix("HTTP/1.1 303 ") && test.core.released == [["troubles": ["lostScans", "diskNearlyFull"]]])
        test.core.logError = "\(Donation1.name).LogChanged"
        let changed = try test.post("act=releaseLog&read=yes&lines=lostScans", to: "/donate/log")
        #expect(changed.hasPrefix("HTTP/1.1 422 ") && changed.contains("not the one you saw any more"))
    }

    /// Neither a technician nor a forged form gets at it.
    @Test func logsAreTheWearersAlone() throws {
        let technician = try Desk(.technician)
        #expect(try technician.get("/donate/log").hasPrefix("HTTP/1.1 403 "))
        #expect(try technician.get("/api/v1/donation/log").hasPrefix("HTTP/1.1 403 "))
        let test = try Desk(.wearer)
        for fields in [Self.goodLog, "act=takeBackLogs", "act=releaseLog&read=yes&lines=lostScans"] {
            #expect(try technician.post(fields, to: "/donate/log").hasPrefix("HTTP/1.1 403 "))
            #expect(try test.post(fields, to: "/donate/log", token: "").hasPrefix("HTTP/1.1 403 "))
        }
        #expect(technician.core.asked.isEmpty && test.core.asked.isEmpty)
    }

    // MARK: Surveys

    private static let invited: JSON = [
        "held": [
            "isOffered": true, "isPrepared": false, "history": [],
            "responsible": ["issuer": "City", "server": "Institute", "recipients": "University", "keptDays": 7],
        ], "survey": ["link": "https://survey.example", "about": ["en": "How was it?"], "invited": "everybody"],
    ]
    private static let goodSurvey =
        "act=agreeToSurvey&consent=yes&text=\(Donation1.surveyTextVersion)&issuer=issuer.example&server=donation.example"
        + "&responsible=4:City,9:Institute,10:University,1:7&survey=22:https://survey.example,9:everybody,2:en,11:How+was+it?"

    @Test func aSurveyIsAgreedToAsItWasRead() throws {
        let test = try Desk(.wearer)
        test.core.survey = Self.invited
        let page = try test.get("/donate/survey")
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("value=\"agreeToSurvey\"") && page.contains("University"))
        #expect(try test.get("/donate").contains("href=\"/donate/survey\""))
        for (field, other) in [
            ("consent=yes", "consent="), ("&text=", "&text=9"), ("server=donation.example", "server=x"),
            ("1:7", "1:8"), ("How+was+it?", "How+was+me?"), ("2:en", "2:de"), ("&survey=", "&other="),
        ] {
            let answer = try test.post(Self.goodSurvey.replacing(field, with: other), to: "/donate/survey")
            #expect(answer.hasPrefix("HTTP/1.1 422 "), "\(other)")
        }
        #expect(test.core.consents.isEmpty)
        let answer = try test.post(Self.goodSurvey, to: "/donate/survey")
        #expect(answer.contains("Location: /donate/survey"), "\(answer.prefix(300))")
        #expect(try test.post("act=takeBackSurvey", to: "/donate/survey").hasPrefix("HTTP/1.1 303 "))
        #expect(
            test.core.consents == [
                ["isAgreed": true, "text": .int(Donation1.surveyTextVersion), "purpose": "survey"],
                ["isAgreed": false, "purpose": "survey"],
            ])
        // Not invited any more by the time that the form comes.
        test.core.survey = [:]
        let late = try test.post(Self.goodSurvey, to: "/donate/survey")
        #expect(late.hasPrefix("HTTP/1.1 422 ") && late.contains("not invited to this survey any more"))
        #expect(test.core.consents.count == 2)
    }

    /// The page with the password is kept by no browser, and nobody but the wearer gets it.
    @Test func aPasswordIsTheWearersAlone() throws {
        var held = Self.invited.object ?? [:]
        (held["state"], held["lastDay"]) = ("accepted", 20_780)
        held["password"] = "0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV"
        held["passwordLink"] = "https://survey.example?otp=0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV"
        let test = try Desk(.wearer)
        test.core.survey = .object(held)
        let page = try test.get("/donate/survey")
        #expect(page.contains("0123-4567-89AB") && page.contains("class=\"qr\"") && page.lowercased().contains("no-store"))
        #expect(try test.get("/api/v1/donation/survey").contains("0123-4567-89AB"))
        for other in [try test.get("/donate"), try test.get("/donate/log"), try test.get("/settings")] {
            #expect(!other.contains("0123-4567"))
        }
        let technician = try Desk(.technician)
        technician.core.survey = .object(held)
        #expect(try technician.get("/donate/survey").hasPrefix("HTTP/1.1 403 "))
        #expect(try technician.get("/api/v1/donation/survey").hasPrefix("HTTP/1.1 403 "))
        for fields in [Self.goodSurvey, "act=takeBackSurvey"] {
            #expect(try technician.post(fields, to: "/donate/survey").hasPrefix("HTTP/1.1 403 "))
            #expect(try test.post(fields, to: "/donate/survey", token: "").hasPrefix("HTTP/1.1 403 "))
        }
        #expect(try !test.get("/donate/survey", isSignedIn: false).contains("0123-4567"))
        #expect(technician.core.asked.isEmpty && test.core.consents.isEmpty)
    }

    /// Scripts of the wearer's have the same three things.
    @Test func scriptsHaveIt() throws {
        let test = try Desk(.wearer)
        #expect(try test.get("/api/v1/donation").contains("\"issuer\":\"issuer.example\""))
        #expect(try test.get("/api/v1/donation/preview").contains("\"truth\""))
        let body = #"{"isAgreed":true,"text":4}"#
        let token = try test.bench.plugin.router.tokens.token(for: PluginBench<WebUI>.session)
        let answer = try test.bench.fetch(
            "PUT /api/v1/donation/consent HTTP/1.1\r\nOrigin: http://127.0.0.1:\(test.port)\r\nX-Vigil-Form: \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)", test.port, body: body,
            from: test.standIn)
        #expect(answer.hasPrefix("HTTP/1.1 204 "), "\(answer.prefix(300))")
        #expect(test.core.consents == [["isAgreed": true, "text": 4]])
    }
}
