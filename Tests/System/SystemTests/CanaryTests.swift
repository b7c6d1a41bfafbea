// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import Interfaces
import JSON
import Testing
import Varlink

/// A real core with known secrets is asked everything there is to ask. Nothing it says, writes or logs tells one of them.
@Suite(.serialized) struct CanaryTests {
    private static let weights: JSON = ["confirmedTest": 1.0, "confirmedClinicalDiagnosis": 1.0, "selfReport": 1.0]
    private static let daily: JSON = [
        "configuration": [
            "attenuationThresholds": [30, 50, 60], "attenuationWeights": [1.0, 1.0, 1.0, 1.0], "reportTypeWeights": weights,
            "standardInfectiousnessWeight": 1.0, "highInfectiousnessWeight": 1.0,
        ]
    ]
    private static let first: JSON = [
        "configuration": [
            "minimumRiskScore": 1, "attenuationScores": eight, "daysSinceLastExposureScores": eight,
            "durationScores": eight, "transmissionRiskScores": eight,
        ]
    ]
    private static let eight: JSON = [1, 1, 1, 1, 1, 1, 1, 1]
    private static let mapping: JSON = [
        "mapping": [
            "daysSinceOnsetToInfectiousness": .array(Array(repeating: "high", count: 29)),
            "infectiousnessWhenDaysSinceOnsetMissing": "standard", "reportTypeWhenMissing": "confirmedTest",
        ]
    ]
    private static let wrongTicket: JSON = .string(String(repeating: "0", count: 32))

    /// Each method with parameters, right ones and wrong ones, in an order that makes sense.
    private static let calls: [(method: String, parameters: [JSON])] = [
        ("org.vigil.exposure1.GetStatus", [[:]]),
        ("org.vigil.device1.Enable", [[:]]),
        ("org.vigil.device1.GetTime", [[:]]),
        ("org.vigil.device1.SetTime", [["now": 5], ["now": "x"]]),
        (
            "org.vigil.exposure1.ProvideDiagnosisKeys",
            [
                ["files": ["absent.zip"]], ["files": ["noise.zip"]], ["files": ["../ctl/keys.zip"]],
                ["files": ["keys.zip"]], ["files": ["keys.zip"]],
            ]
        ),
        ("org.vigil.exposure1.GetExposureWindows", [[:], ["no": 1]]),
        ("org.vigil.exposure1.GetDailySummaries", [daily, ["configuration": [:]]]),
        ("org.vigil.exposure1.GetExposureSummary", [first]),
        ("org.vigil.exposure1.GetExposureInformation", [first]),
        ("org.vigil.exposure1.GetDiagnosisKeysDataMapping", [[:]]),
        ("org.vigil.exposure1.SetDiagnosisKeysDataMapping", [mapping, mapping, ["mapping": [:]]]),
        ("org.vigil.device1.GiveConsent", [["purpose": "pair"], ["purpose": "other"]]),
        ("org.vigil.device1.GetRadio", [[:]]),
        ("org.vigil.device1.GetEvidence", [[:], ["since": 1]]),
        ("org.vigil.device1.GetStorage", [[:]]),
        ("org.vigil.device1.MeasureNeighbours", [["seconds": 2], ["seconds": 0], ["seconds": "x"]]),
        ("org.vigil.device1.GetNeighbours", [[:]]),
        ("org.vigil.device1.StartRecording", [["seconds": 60], ["seconds": 0], ["seconds": "x"]]),
        ("org.vigil.device1.GetRecording", [[:]]), ("org.vigil.device1.StopRecording", [[:]]),
        ("org.vigil.device1.ReadPairingFile", [["file": "noise.zip", "name": "phone", "ticket": wrongTicket]]),
        ("org.vigil.device1.WritePairingFile", [["file": "pair", "ticket": wrongTicket]]),
        ("org.vigil.device1.GetPaired", [[:]]),
        ("org.vigil.device1.ForgetPaired", [["name": "nobody"]]),
        ("org.vigil.device1.ExportMyData", [[:]]),
        ("org.vigil.device1.GetAudit", [[:], ["after": 2]]),
        ("org.vigil.release1.TakeDiagnosisKeys", [["ticket": wrongTicket]]),
        ("org.vigil.time1.MakeChallenge", [[:]]),
        ("org.vigil.time1.TakeSignedTime", [["document": "vigil-time 1"]]),
        ("org.vigil.technician1.GetProcesses", [[:]]),
        ("org.vigil.technician1.GetPlugin", [["name": "x"], ["name": "../x"]]),
        ("org.vigil.technician1.RestartPlugin", [["name": "x"]]),
        ("org.vigil.technician1.SetEnabled", [["name": "x", "enabled": true]]),
        ("org.vigil.technician1.SetSettings", [["name": "x", "settings": "{}"]]),
        ("org.vigil.technician1.GetLog", [[:], ["level": "x"]]), ("org.vigil.technician1.GetNetwork", [[:]]),
        (
            "org.vigil.technician1.ApplyNetwork",
            [
                [
                    "network": ["interface": "x", "method": "automatic", "addresses": [], "nameServers": []],
                    "seconds": 30,
                ]
            ]
        ),
        ("org.vigil.technician1.ConfirmNetwork", [[:]]), ("org.vigil.technician1.Reboot", [[:]]),
        ("org.vigil.risk1.GetRisk", [[:]]),
        ("org.vigil.risk1.Explain", [[:], ["day": 5], ["day": "x"]]),
        (
            "org.vigil.risk1.TakeConfiguration",
            [["document": "e30=", "approvals": ""], ["document": "*", "approvals": "*"]]
        ),
        ("org.vigil.risk1.GetConfiguration", [[:]]),
        ("org.vigil.risk1.Acknowledge", [[:]]),
        ("org.vigil.risk1.Watch", [[:]]),
        ("org.vigil.indicator1.Watch", [[:]]),
        ("org.vigil.indicator1.SayNews", [["news": true], ["news": false]]),
        (
            "org.vigil.door1.Broadcast",
            [["showings": []], ["showings": [["content": "AAAA", "from": 0, "until": 4_000_000_000]]], ["showings": 1]]
        ),
        ("org.vigil.door1.TakeCode", [[:], ["number": 1]]),
        ("org.vigil.door1.NoteVisit", [["number": 1, "kept": true], ["number": -1, "kept": false], [:]]),
        ("org.vigil.access1.GetRoles", [[:]]),
        (
            "org.vigil.access1.SignIn",
            [["role": "technicianReadOnly", "secret": "not the secret"], ["role": "x", "secret": "x"]]
        ),
        ("org.vigil.access1.UseSession", [[:], ["session": "x"]]),
        ("org.vigil.access1.SignOut", [[:]]),
        ("org.vigil.access1.ChangeSecret", [["role": "technicianReadOnly", "present": "x"]]),
        ("org.vigil.access1.MakeProof", [["method": "org.vigil.diagnosis1.GetTests"]]),
        ("org.vigil.access1.RedeemProof", [["proof": "x", "method": "org.vigil.diagnosis1.GetTests"]]),
        (
            "org.vigil.access1.MakeToken",
            [["name": "script", "role": "technicianReadOnly"], ["name": "", "role": "technicianReadOnly"]]
        ),
        ("org.vigil.access1.GetTokens", [[:]]),
        ("org.vigil.access1.RevokeToken", [["name": "script"], ["name": "nobody"]]),
        ("org.vigil.access1.MakeSecret", [["role": "technicianReadOnly"]]),
        ("org.vigil.content1.GetContent", [[:]]),
        ("org.vigil.donation1.GetDonation", [[:]]), ("org.vigil.donation1.GetPreview", [[:]]),
        ("org.vigil.donation1.SetConsent", [["isAgreed": true, "text": 1], ["isAgreed": true], ["isAgreed": false]]),
        ("org.vigil.donation1.GetErrorLog", [[:]]),
        ("org.vigil.donation1.ReleaseErrorLog", [["troubles": []], ["troubles": ["lostScans"]], ["troubles": ["x"]]]),
        ("org.vigil.donation1.GetSurvey", [[:]]),
        ("org.vigil.donation1.GetDonor", [[:]]),
        ("org.vigil.donation1.TakeTerms", [["document": "e30=", "approvals": ""], ["document": "*", "approvals": "*"]]),
        ("org.vigil.donation1.GetEnrolmentRequest", [[:]]),
        ("org.vigil.donation1.GetStep", [[:]]),
        ("org.vigil.donation1.SignEvidence", [["day": 1, "challenge": "AA=="], ["day": "x"]]),
        ("org.vigil.donation1.TakeToken", [["day": 1, "answer": "AA=="], ["day": 1, "refusal": "notYet"], ["day": 1]]),
        ("org.vigil.donation1.EndDonation", [["day": 1, "outcome": "taken"], ["day": 1], ["day": 1, "outcome": "x"]]),
        ("org.vigil.content1.TakeContent", [["document": "e30=", "approvals": ""], ["document": "*", "approvals": "*"]]),
        ("org.vigil.trust1.GetConfiguration", [[:]]),
        ("org.vigil.trust1.TakeConfiguration", [["document": "{}"], ["document": ""]]),
        ("org.vigil.trust1.KeepConfiguration", [["version": 1], ["version": "x"]]),
        ("org.vigil.trust1.GetSigners", [[:], ["source": "nobody"]]),
        ("org.vigil.trust1.TakeSuccession", [["document": "{}"], ["document": "{}", "source": "nobody"]]),
        ("org.vigil.device1.GetPreferences", [[:]]),
        (
            "org.vigil.device1.SetPreferences",
            [["preferences": ["introduced": true, "notifications": false, "language": "de"]]]
        ),
        ("org.vigil.device1.MeasureStrength", [["seconds": 10, "reference": -60], ["seconds": 1, "reference": 0]]),
        ("org.vigil.device1.GetMeasurement", [[:]]),
        ("org.vigil.device1.SetCorrection", [["correction": 3], ["correction": 99], [:]]),
        ("org.vigil.device1.Reset", [["ticket": wrongTicket]]),
        ("org.vigil.device1.Disable", [[:]]),
        ("org.vigil.device1.SetRole", [["role": "x"]]),
        ("org.vigil.exposure1.Watch", [[:]]),
    ]

    @Test func theSearchFindsWhatIsThere() {
        let secret: [UInt8] = (0..<16).map { UInt8(truncatingIfNeeded: $0 * 37 + 251) }
        var search = SecretSearch()
        search.add("canary", secret)
        search.add(address: "C0:FF:EE:12:34:56")
        #expect(search.count >= 22)
        for (form, bytes) in SecretSearch.forms(of: secret) {
            #expect(search.findings(in: [1, 2] + bytes + [3]).contains("canary as \(form)"))
            #expect(search.findings(in: [1, 2] + bytes.dropLast() + [0]).isEmpty)
        }
        // Against another encoder than its own, wherever in a text the secret begins.
        for offset in 0..<7 {
            let text = Data([UInt8](repeating: 7, count: offset) + secret + [9, 9]).base64EncodedString()
            #expect(search.findings(in: Array(text.utf8)).contains { $0.contains("base64 at \(offset % 3)") }, "\(offset)")
        }
        #expect(!search.findings(in: Array("at c0:ff:ee:12:34:56.".utf8)).isEmpty)
        #expect(search.findings(in: Array(repeating: 65, count: 4_096)).isEmpty)
    }

    /// Every file below `folder`, but those of `except`, which the test itself put there.
    private func look(
        _ secrets: SecretSearch, in folder: String, except: Set<String>
    ) throws -> (findings: [String], files: Int) {
        var findings: [String] = []
        var files = 0
        for case let name in try FileManager.default.subpathsOfDirectory(atPath: folder) where !except.contains(name) {
            var status = stat()
            guard lstat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            files += 1
            let bytes = try [UInt8](Data(contentsOf: URL(filePath: folder + "/" + name)))
            let exempt: Set<String> = name.hasSuffix("key/sealing.key") ? ["sealing key"] : []
            findings += secrets.findings(in: bytes, except: exempt).map { "\(name): \($0)" }
        }
        return (findings, files)
    }

    private func noteAddresses(_ air: AirProcess, _ scene: CanaryScene) throws {
        let control = try StreamClient(air.control)
        var rest = control.ask(#"{"op":"list"}"#)[...]
        var count = 0
        while let range = rest.firstRange(of: "\"addr\":\"") {
            rest = rest[range.upperBound...]
            scene.add(address: String(rest.prefix { $0 != "\"" }))
            count += 1
        }
        #expect(count == 2)
    }

    @Test func nothingTellsWhoIsThere() throws {
        try Midnight.keepAway()
        let air = try AirProcess()
        let core = try CoreProcess("a", on: air)
        let other = try CoreProcess("b", on: air)
        let scene = try CanaryScene(folder: air.folder)
        let own = try scene.makeVault(data: core.folder + "/data", name: "own")
        _ = try scene.makeVault(data: other.folder + "/data", name: "peer")
        for folder in ["ctl", "sync"] {
            try FileManager.default.createDirectory(
                atPath: core.folder + "/" + folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Data((0..<999).map { UInt8(truncatingIfNeeded: $0 * 7) }).write(
                to: URL(filePath: core.folder + "/\(folder)/noise.zip"))
        }
        try scene.meetSomebody(data: core.folder + "/data", file: core.folder + "/ctl/keys.zip")
        let callers = #"""
            {"callers": [
              {"name": "sync", "grants": ["org.vigil.exposure1.ProvideDiagnosisKeys", "org.vigil.exposure1.GetStatus"], "spool": "\#(core.folder)/sync"},
              {"name": "diagnosis", "grants": ["org.vigil.release1.*"]}
            ]}
            """#
        try Data(callers.utf8).write(to: URL(filePath: core.folder + "/callers.json"))
        core.arguments = [
            "--verify", "1-v1=\(scene.publicKeyFile)", "--config-key", "1-v1=\(scene.publicKeyFile)", "--callers",
            core.folder + "/callers.json",
        ]
        for board in [core, other] {
            try board.setTime()
            try board.start()
        }
        #expect(core.waits { core.number("storedIdentifiers") >= 1 }, "\(core.state)")
        try noteAddresses(air, scene)
        let limits = try Data(contentsOf: URL(filePath: "/proc/\(core.process)/limits"))
        let limit = String(decoding: limits, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("Max core file size")
        }
        #expect(limit?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])

        var records: [[UInt8]] = []
        func socket(_ name: String) throws -> RecordedSocket { try RecordedSocket(core.folder + "/\(name).sock") }
        // Watching from the beginning, to be told of everything that follows.
        let watcher = try RecordedSocket(core.folder + "/ctl.sock", timeout: 1)
        watcher.call("org.vigil.exposure1.Watch", more: true, replies: 1)
        let console = try socket("ctl")
        try askEverything(console, rules: scene.rules())
        let pages = try socket("ctl")
        for method in ["GetAudit", "ExportMyData", "GetEvidence"] { pages.call("org.vigil.device1.\(method)", more: true) }
        pages.call("org.vigil.exposure1.GetExposureWindows", more: true)

        // What was found is there to be told of.
        let status = console.call("org.vigil.exposure1.GetStatus")
        #expect(status?["parameters"]?["status"]?["matchCount"]?.int == 1)
        let pair = console.call("org.vigil.device1.GiveConsent", ["purpose": "pair"])
        let ticket = try #require(pair?["parameters"]?["ticket"])
        #expect(console.call("org.vigil.device1.WritePairingFile", ["file": "pair", "ticket": ticket])?["error"] == nil)
        console.call("org.vigil.device1.Enable")

        // The other callers; garbage; what is not theirs.
        let sync = try socket("sync")
        sync.call("org.vigil.exposure1.ProvideDiagnosisKeys", ["files": ["noise.zip"]], more: true)
        #expect(sync.call("org.vigil.device1.ExportMyData")?["error"] != nil)
        let garbage = try socket("ctl")
        garbage.send(Array("not JSON \u{1B}[2J".utf8) + [0])
        _ = garbage.receive()
        let consent = console.call("org.vigil.device1.GiveConsent", ["purpose": "releaseKeys"])
        let release = try #require(consent?["parameters"]?["ticket"])
        #expect(console.call("org.vigil.release1.TakeDiagnosisKeys", ["ticket": release])?["error"] != nil)
        let diagnosis = try socket("diagnosis")
        let answer = diagnosis.call("org.vigil.release1.TakeDiagnosisKeys", ["ticket": release])
        let again = diagnosis.call("org.vigil.release1.TakeDiagnosisKeys", ["ticket": release])
        #expect(again?["parameters"]?["cause"]?.string == "spent")
        // What is on air stays until it is due; switched off and on again, the board begins a fresh key.
        for method in ["Disable", "Enable"] { #expect(console.call("org.vigil.device1.\(method)")?["error"] == nil) }
        var events = 0
        while watcher.receive() != nil { events += 1 }
        #expect(events >= 5)
        try noteAddresses(air, scene)

        // Own keys are in the answer, and nowhere else; the one in use now is in none.
        for key in own {
            let text = Data(key.secret.withBytes { Array($0) }).base64EncodedString()
            #expect(answer?["parameters"]?["keys"]?.array?.contains { $0["keyData"]?.string == text } == true)
        }
        #expect(answer?["parameters"]?["keys"]?.array?.count == own.count)
        for board in [core, other] { #expect(board.end() == 0) }
        let fresh = try scene.addWhatIsNew(data: core.folder + "/data", known: own)
        #expect(!fresh.isEmpty)
        #expect(scene.secrets.findings(in: diagnosis.record, except: ["own's TEK"]) == [])
        #expect(scene.secrets.findings(in: diagnosis.record).contains { $0.hasPrefix("own's TEK as base64") })
        records += [watcher, console, pages, sync, garbage].map(\.record)
        for record in records {
            #expect(!record.isEmpty)
            #expect(scene.secrets.findings(in: record) == [])
        }
        let (findings, files) = try look(scene.secrets, in: core.folder, except: ["ctl/keys.zip", "callers.json"])
        #expect(findings == [])
        #expect(files >= 12)
        #expect(core.log.contains("scan finished"))
        try reset(core, scene)
    }

    /// Each method of each interface that the core serves, so that a new one without a call here is a failure.
    private func askEverything(_ console: RecordedSocket, rules: JSON) throws {
        var methods: Set<String> = []
        for (name, text) in InterfaceTexts.core {
            methods.formUnion(try InterfaceDescription(parsing: text).methods.map { "\(name).\($0.name)" })
        }
        #expect(Set(Self.calls.map(\.method)) == methods)
        for (method, parameters) in Self.calls {
            if method == "org.vigil.risk1.GetRisk" { judge(console, rules) }
            for parameters in parameters {
                #expect(console.call(method, parameters) != nil, "\(method)")
            }
            if method == "org.vigil.exposure1.ProvideDiagnosisKeys" {
                let status = console.call("org.vigil.exposure1.GetStatus")
                #expect(
                    status?["parameters"]?["status"]?["matchCount"]?.int == 1, "the file was not matched: \(status as Any)")
            }
        }
    }

    /// With rules there is a verdict to tell of, and something it is made of.
    private func judge(_ console: RecordedSocket, _ rules: JSON) {
        #expect(console.call("org.vigil.risk1.TakeConfiguration", rules)?["error"] == nil)
        var days = 0
        for _ in 0..<2_400 where days == 0 {
            days = console.call("org.vigil.risk1.GetRisk")?["parameters"]?["risk"]?["days"]?.array?.count ?? 0
            // The core judges between two identifiers, when nothing else is to be done; asking is all a console can do.
            usleep(50_000)
        }
        #expect(days == 1)
        let reply = console.call("org.vigil.risk1.Explain")
        #expect(reply?["parameters"]?["contributions"]?.array?.isEmpty == false, "\(reply as Any)")
    }

    /// Once more, to be reset.
    private func reset(_ core: CoreProcess, _ scene: CanaryScene) throws {
        try core.start()
        #expect(core.waits { core.field("controller") != nil })
        let console = try RecordedSocket(core.folder + "/ctl.sock")
        let ticket = try #require(
            console.call("org.vigil.device1.GiveConsent", ["purpose": "reset"])?["parameters"]?["ticket"])
        #expect(console.call("org.vigil.device1.Reset", ["ticket": ticket])?["error"] == nil)
        _ = core.end(0)
        #expect(scene.secrets.findings(in: console.record) == [])
        let (findings, _) = try look(scene.secrets, in: core.folder, except: ["ctl/keys.zip", "callers.json"])
        #expect(findings == [])
    }
}
