// SPDX-License-Identifier: Apache-2.0

import AppConfig
import BLS12381
import CivilTime
import CrowdNotifier
import Cryptography
import ExposureRisk
import HTTPFields
import KeyArchive
import KeyExport
import PresenceTracing
import SyncKillTrial
import Trust
import VenueNotices
import VirtualAir

/// What the three health authorities publish in each act of a story, and when the acts are.
struct VenueStage {
    /// 4 March 2021, 09:05 UTC: five minutes after an interval began.
    static let arrival: Int64 = 1_614_848_700
    /// Seconds between two lives of one act: more than between two runs of the plugin.
    static let pause: Int64 = 7_300
    /// When a visit that ends by hand does.
    static let departure = arrival + 7_200
    /// Of the visit whose times are changed.
    static let changed = (arrival: arrival - 86_400, departure: arrival - 82_800)
    private static let day = 86_400 as Int64
    private static let name = KeyName(id: "262", version: "v1")

    /// The acts: the wearer checks in, changes what is there, is warned, is warned again and warns others, and hears that this is out.
    enum Act: Int, CaseIterable {
        case arriving = 1, leaving, warned, warning, published

        /// When its first life begins, Unix seconds.
        var begin: Int64 {
            switch self {
            case .arriving: arrival
            case .leaving: departure
            case .warned: arrival + day
            case .warning: arrival + day + 8 * 3_600
            case .published: arrival + 2 * day
            }
        }
    }

    let signer: P256.SigningKey
    /// By act, what servers have and with which headers, by path.
    private(set) var content: [Act: [String: [UInt8]]] = [:]
    private(set) var headers: [Act: [String: [String]]] = [:]
    /// SwissCovid's tag of the list with the warning.
    static let tag = (Act.warned.begin - 60) * 1_000
    private static let emptyTag = (Act.arriving.begin - 60) * 1_000
    private static let hours = "/version/v2/twp/country/DE/hour"
    private static let question = String(repeating: "T", count: 50)

    /// What the health authority's keys of hidden visits are made with.
    private let master: Scalar

    init(signer: P256.SigningKey) throws {
        self.signer = signer
        var random = SplitMix64(seed: 64)
        master = .random(using: &random)
        for act in Act.allCases {
            content[act] = [:]
            headers[act] = [:]
            try publishPackages(act)
            try publishTraceKeys(act)
            try publishVenues(act)
        }
    }

    private mutating func put(_ act: Act, _ path: String, _ bytes: [UInt8], headers lines: [String] = []) {
        content[act]?[path] = bytes
        headers[act]?[path] = lines
    }

    // MARK: Corona-Warn-App

    private mutating func publishPackages(_ act: Act) throws {
        put(act, "/version/v2/app_config_android", try signed(Self.configuration()))
        guard act.rawValue >= Act.warned.rawValue else {
            return put(act, Self.hours, Array(#"{"oldest":null,"latest":null}"#.utf8))
        }
        let first = Act.warned.begin / 3_600 - 3
        let last = (act == .warned ? Act.warned : .warning).begin / 3_600 - 1
        put(act, Self.hours, Array(#"{"oldest":\#(first),"latest":\#(last)}"#.utf8))
        for hour in first...last { put(act, "\(Self.hours)/\(hour)", []) }
        let interval = Self.arrival / 600 * 600
        // Level 3 has the weight 0.6: ten minutes in the hall are six, and low; found twice they are more than ten, and are not.
        try publish(act, first, [(.hall, interval + 600, 10, 3), (.cafe, interval + 600 - Self.day, 30, 8)])
        // Somebody was at a place where the wearer was not, too.
        try publish(act, first + 2, [(.pub, interval, 30, 8), (.cafe, interval + 600 - Self.day, 10, 8)])
        // Five minutes in common: three, so that all of the day is nine.
        if act != .warned { try publish(act, last, [(.door, interval, 10, 3)]) }
    }

    private mutating func publish(
        _ act: Act, _ hour: Int64, _ warnings: [(place: VenuePlace, start: Int64, minutes: Int64, level: Int64)]
    ) throws {
        let reports = try warnings.map { warning in
            guard
                let record = CheckInRecord(
                    start: warning.start / 600, period: warning.minutes / 10, level: warning.level)
            else { throw TrialFailure("a warning of the stage is none") }
            return try ProtectedReport(
                record, location: warning.place.location().id, initializationVector: (0..<16).map { UInt8(7 + 13 * $0) })
        }
        put(
            act, "\(Self.hours)/\(hour)",
            try signed(TraceWarningPackage.encoded(hour: UInt32(hour), region: "DE", reports: reports)))
    }

    private func signed(_ bin: [UInt8]) throws -> [UInt8] {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        return try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [signer]))
    }

    /// The rules for visits as they were published last, as far as they judge.
    private static func configuration() -> [UInt8] {
        var configuration = ProtobufWriter()
        let published = PresenceRiskParameters.published
        configuration.message(13) { presence in
            presence.message(1) { risk in
                for (level, value) in published.transmissionRiskValueMapping.sorted(by: { $0.key < $1.key }) {
                    risk.message(1) { entry in
                        entry.number(1, UInt64(level))
                        entry.double(2, value)
                    }
                }
                for (field, mapping) in [(2, published.perCheckIn), (3, published.perDay)] {
                    for level in mapping {
                        risk.message(field) { entry in
                            entry.message(1) { range in
                                range.double(1, level.normalizedTimeRange.min)
                                range.double(3, level.normalizedTimeRange.max)
                                if level.normalizedTimeRange.minExclusive { range.number(2, 1) }
                                if level.normalizedTimeRange.maxExclusive { range.number(4, 1) }
                            }
                            entry.number(2, level.riskLevel == .increased ? 2 : 1)
                        }
                    }
                }
                risk.number(4, 10)
            }
        }
        return configuration.bytes
    }

    // MARK: SwissCovid

    private mutating func publishTraceKeys(_ act: Act) throws {
        let start = VisitHours.start(Self.arrival)
        let nonce = [UInt8](repeating: 4, count: 24)
        let keys = try VenuePlace.clinic.venue().keys
        let identity = keys.identity(start: start)
        let key = TraceKey(
            identity: identity, secretKey: try IdentityKey(identity: identity, secret: master).bytes,
            day: UTCDay(containing: start).start,
            encryptedData: try AssociatedData(message: "Stay at home", start: start, end: start + 3_600).sealed(
                notificationKey: keys.notificationKey, nonce: nonce), nonce: nonce)
        let isOut = act.rawValue >= Act.warned.rawValue
        let tag = isOut ? Self.tag : Self.emptyTag
        for since in [0, Self.emptyTag - Self.day * 1_000, Self.emptyTag, Self.tag] {
            let body = TraceKeyList.encoded(isOut && since < Self.tag ? [key] : [])
            guard
                let token = try ContentToken.text(
                    body: body, issued: act.begin, expires: act.begin + Self.day,
                    protected: [(TraceKeyList.nextTagClaim, "\(tag)"), (TraceKeyList.sinceClaim, "\(since)")],
                    sign: { try signer.sign($0) })
            else { throw TrialFailure("a list cannot be signed") }
            put(
                act, "/v3/traceKeys?lastKeyBundleTag=\(since)", body,
                headers: ["Signature: \(String(decoding: token, as: UTF8.self))", "x-key-bundle-tag: \(tag)"])
        }
    }

    // MARK: NHS

    private mutating func publishVenues(_ act: Act) throws {
        let isOut = act.rawValue >= Act.warned.rawValue
        let day = UTCDay(containing: Self.arrival).start
        let venue = RiskyVenue(id: "ABC", from: day, until: day + Self.day, advice: .bookATest)
        let list = RiskyVenueList.encoded(isOut ? [venue] : [])
        // Servers sign it anew each day.
        guard let text = HTTPDate.text(unixSeconds: act.begin) else { throw TrialFailure("a list cannot be dated") }
        let date = text.dropLast(3) + "UTC"
        let signature = try signer.sign(SHA256.digest(of: NHSSignature.content(date: String(date), body: list)))
        put(
            act, "/distribution/risky-venues", list,
            headers: [
                "\(NHSSignature.signatureHeader): \(NHSSignature.header(keyID: "262", signature: signature))",
                "\(NHSSignature.dateHeader): \(date)",
            ])
        // The operators think until the next run.
        let answer = isOut ? "pending" : "no"
        put(
            act, "/circuit-breaker/venue/request",
            Array(#"{"approvalToken":"\#(Self.question)","approval":"\#(answer)"}"#.utf8))
        put(act, "/circuit-breaker/venue/resolution/\(Self.question)", Array(#"{"approval":"yes"}"#.utf8))
    }

    // MARK: The plugin

    /// The plugin's settings for servers at this port.
    func settings(port: UInt16) throws -> String {
        let key = try signer.verificationKey.pem().replacing("\n", with: "\\n")
        let systems = ["coronaWarnApp", "swissCovid", "nhs"]
        let signers = systems.flatMap { system in
            ["export", "config"].map { #"{"system":"\#(system)","name":"262-v1","key":"\#(key)","role":"\#($0)"}"# }
        }
        let servers = systems.map { #""\#($0)Server":"http://127.0.0.1:\#(port)""# }
        return """
            {"systems": ["coronaWarnApp", "swissCovid", "nhs"], "plainHTTP": true, "nhsUnsignedAnswers": true,
             \(servers.joined(separator: ", ")), "swissCovidKey": "\(Base64.string(try MasterPublicKey(secret: master).bytes))",
             "posterKeys": [{"id": "262", "key": "\(key)"}], "signers": [\(signers.joined(separator: ", "))]}
            """
    }
}
