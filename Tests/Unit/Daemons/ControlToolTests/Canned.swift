// SPDX-License-Identifier: Apache-2.0

import JSON

/// Answers as a core gives them, for every method.
enum Canned {
    static let status = """
        {"enabled":true,"state":"active","sentence":"This device sends and listens.","role":"person","timeState":"authenticated",\
        "matchCount":2,"matchedFileCount":12,"lastMatched":1795240000,"matching":false,\
        "limit":{"perDay":6,"used":6,"nextPermitted":1795305600}}
        """
    static let radio = """
        {"radio":{"onAir":true,"scanning":true,"controller":"Virtual, Bluetooth 5.2","transport":"h4:unix:/run/air",\
        "timeSlices":false,"secondsToRotation":312,"worstRotationLateness":14,"rotationCount":1234,"scanCount":5678,\
        "quietScanCount":9,"reportCount":100000,"exposureNotificationCount":4321,"lastScanSenderCount":3,"lostScanCount":0,\
        "rssiHistogram":[0,0,0,5,9,20,30,40,50,60,70,80,60,40,20,9,5,3,1,0],\
        "ladder":{"reset-controller":2,"prove-alive":40,"dig-a-hole":1,"reopen-transport":0},\
        "lastTrouble":"the controller does not answer"}}
        """
    static func hour(_ start: Int64, onAir: Int = 3_600) -> String {
        """
        {"start":\(start),"scanCount":15,"quietScanCount":1,"reportCount":200,"exposureNotificationCount":30,\
        "storedSenderCount":12,"rotationCount":4,"secondsOnAir":\(onAir),"troubleCount":0}
        """
    }
    static let time = """
        {"time":{"state":"plausible","sentence":"The time was set by hand.","now":1795257000000,"uncertainty":60}}
        """
    static let audit = """
        {"entries":[{"sequence":1,"time":1795250000,"kind":"enabled","actor":"ctl","details":{"presence":"console"}},\
        {"sequence":2,"kind":"lookedAtTheMoon","actor":"ctl","details":{}}],"intact":true,"droppedCount":0}
        """
    static let storage = """
        {"storage":{"dayCount":14,"writtenByteCount":1234567,"findings":["scan log of day 20700: two records unreadable, left out"]}}
        """
    static let windows = """
        {"windows":[{"day":20778,"reportType":"confirmedTest","infectiousness":"high","calibrationConfidence":"high",\
        "scanInstances":[{"typicalAttenuation":55,"minAttenuation":48,"secondsSinceLastScan":240},\
        {"typicalAttenuation":61,"minAttenuation":52,"secondsSinceLastScan":300}]}]}
        """
    static let daily = """
        {"dailySummaries":[{"day":20778,"total":{"maximumScore":540,"scoreSum":900,"weightedDurationSum":1200},\
        "confirmedTest":{"maximumScore":540,"scoreSum":900,"weightedDurationSum":1200}}]}
        """
    static let summary = """
        {"summary":{"daysSinceLastExposure":1,"matchedKeyCount":2,"maximumRiskScore":256,"summationRiskScore":512,\
        "attenuationDurationsInMinutes":[10,5,0]}}
        """
    static let information = """
        {"information":[{"day":20778,"durationMinutes":15,"attenuationValue":55,"transmissionRiskLevel":4,"totalRiskScore":256,\
        "attenuationDurationsInMinutes":[10,5,0]}]}
        """
    static let mapping = """
        {"mapping":{"daysSinceOnsetToInfectiousness":[\(([String](repeating: "\"none\"", count: 12) + [String](repeating: "\"high\"", count: 6) + [String](repeating: "\"standard\"", count: 11)).joined(separator: ","))],\
        "infectiousnessWhenDaysSinceOnsetMissing":"standard","reportTypeWhenMissing":"confirmedTest"},"changeableFrom":1795305600}
        """
    static let data = """
        {"sections":[{"topic":"ownKeys","explanation":"The secrets your identifiers were made of, one a day.","values":{"count":"14"}}]}
        """
    static let donation = """
        {"isOffered":true,"issuer":"issuer-1.example","server":"donation-1.example","lastKeyDay":20785,"consent":{"since":1795080000,"text":1},\
        "begins":1795166400,"next":1795260600,"preparedDays":6,\
        "history":[{"day":20776,"outcome":"lapsed"},{"day":20777,"outcome":"taken"}]}
        """
    static let donated = """
        {"isIncreased":true,"truth":0.99966,"count":2,"windows":[\
        {"day":20775,"reportType":"confirmedTest","infectiousness":"high","confidence":3,\
        "scans":[{"typical":50,"least":40,"minutes":4},{"typical":60,"least":50,"minutes":5}]},\
        {"day":20776,"reportType":"selfReport","infectiousness":"standard","confidence":0,"scans":[{"typical":70,"least":70,"minutes":0}]}]}
        """
    static let keys = """
        {"keys":[{"keyData":"dcc0w2rddKTepl+bWlvnSA==","rollingStartIntervalNumber":2991888,"rollingPeriod":144},\
        {"keyData":"AAECAwQFBgcICQoLDA0ODw==","rollingStartIntervalNumber":2992032,"rollingPeriod":60}]}
        """

    /// What a core that is well answers.
    static func answer(_ method: String, _ parameters: JSON) -> TestCore.Answer {
        switch method {
        case "org.vigil.exposure1.GetStatus": .reply(json(#"{"status":\#(status)}"#))
        case "org.vigil.exposure1.Watch":
            .replies(["current", "matchesChanged"].map { json(#"{"event":"\#($0)","status":\#(status)}"#) })
        case "org.vigil.exposure1.GetExposureWindows": .reply(json(windows))
        case "org.vigil.exposure1.GetDailySummaries": .reply(json(daily))
        case "org.vigil.exposure1.GetExposureSummary": .reply(json(summary))
        case "org.vigil.exposure1.GetExposureInformation": .reply(json(information))
        case "org.vigil.exposure1.GetDiagnosisKeysDataMapping": .reply(json(mapping))
        case "org.vigil.exposure1.ProvideDiagnosisKeys": provided(parameters)
        case "org.vigil.device1.GiveConsent": .reply(json(#"{"ticket":"ABCD-EFGH","expires":1795257900}"#))
        case "org.vigil.device1.GetRadio": .reply(json(radio))
        case "org.vigil.device1.GetEvidence":
            .replies([
                json(#"{"hours":[\#(hour(1_795_222_800)),\#(hour(1_795_226_400, onAir: 1_800))]}"#),
                json(#"{"hours":[\#(hour(1_795_248_000))]}"#),
            ])
        case "org.vigil.device1.GetPreferences":
            .reply(["preferences": ["introduced": false, "notifications": true]])
        case "org.vigil.device1.GetTime", "org.vigil.device1.SetTime": .reply(json(time))
        case "org.vigil.device1.GetAudit": .reply(json(audit))
        case "org.vigil.device1.GetStorage": .reply(json(storage))
        case "org.vigil.device1.StartRecording", "org.vigil.device1.MeasureNeighbours",
            "org.vigil.device1.SetCorrection":
            .reply([:])
        case "org.vigil.device1.GetRecording", "org.vigil.device1.StopRecording":
            .reply(
                json(
                    #"{"recording":{"running":false,"secondsLeft":0,"recordCount":7,"byteCount":99,"leftOutCount":1,"problem":"disk\u001b full"}}"#
                ))
        case "org.vigil.device1.ExportMyData": .reply(json(data))
        case "org.vigil.device1.ReadPairingFile": .reply(json(#"{"paired":{"name":"My phone"}}"#))
        case "org.vigil.device1.GetPaired": .reply(json(#"{"paired":[{"name":"My phone"}]}"#))
        case "org.vigil.technician1.GetProcesses":
            .replies([
                json(processes(#""name":"core","state":"running""#)),
                json(processes(#""name":"bad\u001b[2J","state":"quarantined","reason":"it failed""#)),
            ])
        case "org.vigil.technician1.GetLog":
            .replies([
                json(#"{"lines":[\#(logLine(7, "info"))],"droppedCount":6}"#),
                json(#"{"lines":[\#(logLine(8, "error"))],"droppedCount":6}"#),
            ])
        case "org.vigil.technician1.GetNetwork": .reply(["networks": []])
        case "org.vigil.risk1.GetConfiguration": .reply(["version": 3])
        case "org.vigil.trust1.GetConfiguration":
            .reply([
                "version": 7, "trial": 9, "secondsLeft": 600, "takenBack": 8, "reason": "it\u{1b}[2J did not hold",
                "refused": 6,
                "refusedReason": "The configuration 7 holds\n.",
            ])
        case "org.vigil.trust1.TakeConfiguration": .reply(["onTrial": .bool(parameters["document"]?.string == "new")])
        case "org.vigil.release1.TakeDiagnosisKeys": .reply(json(keys))
        case "org.vigil.access1.GetRoles": .reply(["roles": ["wearer", "technician"]])
        case "org.vigil.access1.GetTokens":
            .reply(["tokens": [["name": "metrics", "role": "technicianReadOnly", "made": 1_795_257_900]]])
        case "org.vigil.access1.MakeSecret": .reply(["secret": "7H2K-9QWE-RT11-ZZZZ"])
        case "org.vigil.content1.GetContent": .reply(["version": 3, "content": #"{"version":3,"languages":{"en":{}}}"#])
        case "org.vigil.content1.TakeContent": .reply(["version": 3, "changed": true])
        case "org.vigil.donation1.GetDonation": .reply(json(donation))
        case "org.vigil.donation1.GetPreview": .reply(json(donated))
        case "org.vigil.donation1.GetErrorLog":
            .reply([
                "lines": [["trouble": "lostScans", "day": 20_776], ["trouble": "diskNearlyFull", "day": 20_777]],
                "released": [],
            ])
        case "org.vigil.donation1.GetDonor":
            .reply(["name": "AQABAgMEBQYHCAkKCwwNDg8=", "publicHalf": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+A/x=="])
        default: .reply(.empty)
        }
    }

    private static func processes(_ fields: String) -> String {
        #"{"version":"1","safeMode":true,"problems":["grants.json: x"],"processes":[{\#(fields),"sinceSeconds":61,"restarts":2,"confinement":[]}]}"#
    }

    private static func logLine(_ number: Int, _ level: String) -> String {
        #"{"number":\#(number),"time":1795257000123,"process":"sync","level":"\#(level)","text":"line \#(number)"}"#
    }

    private static func provided(_ parameters: JSON) -> TestCore.Answer {
        let files = parameters["files"]?.array ?? []
        let list = files.map { ["name": $0, "outcome": "matched", "keyCount": 1_000] as JSON }
        return .replies([
            ["progressByteCount": 65_536, "progressFileCount": 0],
            ["result": ["files": .array(list), "newMatchCount": 1, "changedMatchCount": 0, "refusedKeyCount": 3]],
        ])
    }
}
