// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CrowdNotifier
import Cryptography
import Dispatch
import FaultServer
import FoundationEssentials
import Glibc
import HTTPClient
import JSON
import KeyArchive
import KeyExport
import KeyIntake
import PresenceTracing
import RandomValues
import Testing
import Trust
import VenuePlan

@testable import VenuePlugin

/// What health authorities publish about venues, signed as they do, behind a real HTTP server.
final class WarningServers {
    let key: P256.SigningKey
    private let folder: String
    private let server: FaultServer

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/vigil-warnings-\(Unique.name())"
        for part in ["content", "headers", "spool"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
        }
        try Data("Tue, 01 Sep 2020 10:00:00 GMT".utf8).write(to: URL(filePath: folder + "/DATE"))
        key = try P256.SigningKey.generate()
        server = try FaultServer(files: folder)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var base: String { "http://127.0.0.1:\(server.ports.plain)/file" }

    /// Paths that were asked for, in order.
    var requests: [String] {
        let data = (try? Data(contentsOf: URL(filePath: folder + "/REQUESTS"))) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The headers of the last request, by their names in lower case.
    func lastHeaders() throws -> [String: String] {
        let json = try JSON(parsing: [UInt8](try Data(contentsOf: URL(filePath: folder + "/SENT"))), maximumDepth: 4)
        return Dictionary(
            (json.object?.members ?? []).map { ($0.name, $0.value.string ?? "") }, uniquingKeysWith: { $1 })
    }

    func forgetRequests() throws { try FileManager.default.removeItem(atPath: folder + "/REQUESTS") }

    /// The faults of the next answers, as fault-server.py reads them.
    func setFaults(_ json: String) throws { try Data(json.utf8).write(to: URL(filePath: folder + "/FAULTS")) }

    func put(_ path: String, _ bytes: [UInt8], headers: [String] = []) throws {
        let name = Self.name(path)
        try Data(bytes).write(to: URL(filePath: "\(folder)/content/\(name)"))
        try Data(headers.joined(separator: "\n").utf8).write(to: URL(filePath: "\(folder)/headers/\(name)"))
    }

    private static func name(_ path: String) -> String {
        let codes: [Character: String] = ["/": "%2F", "?": "%3F", "=": "%3D"]
        return path.reduce(into: "") { $0 += codes[$1] ?? String($1) }
    }

    /// Has `act` done during `run`: after `path` was asked for, and before the answer.
    func interrupt(_ path: String, _ act: @escaping @Sendable () -> Void, during run: () throws -> Void) throws {
        let file = "\(folder)/content/\(Self.name(path))"
        let content = [UInt8](try Data(contentsOf: URL(filePath: file)))
        try FileManager.default.removeItem(atPath: file)
        try #require(mkfifo(file, 0o600) == 0)
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            // Opens when the server reads it.
            let pipe = open(file, O_WRONLY | O_CLOEXEC)
            act()
            _ = content.withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
            close(pipe)
            isDone.signal()
        }
        let outcome = Result { try run() }
        // If it was not asked for, it is now.
        let reader = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        isDone.wait()
        close(reader)
        try FileManager.default.removeItem(atPath: file)
        try Data(content).write(to: URL(filePath: file))
        try outcome.get()
    }

    func signed(_ bin: [UInt8], with other: P256.SigningKey? = nil) throws -> [UInt8] {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "",
            signatureInfos: [ExportEncoder.signatureInfo(for: .init(id: "262", version: "v1"))])
        return try KeyArchiveWriter.archive(
            exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [other ?? key]))
    }

    static let hours = "version/v2/twp/country/DE/hour"

    /// The rules for visits as last published, as far as they judge; visits of fewer than `shortest` minutes are not published.
    /// `withdrawn` are the tags of packages that count no more, `versions` those of codes, `plain` the feature by which packages are read that everybody can;
    /// `number` is the one that tells an older configuration, and `other` the key that signs it.
    func publishConfiguration(
        shortest: Double? = nil, withdrawn: [String] = [], versions: [UInt64] = [], plain: UInt64? = nil,
        isForIOS: Bool = false, number: Int64? = nil, with other: P256.SigningKey? = nil
    ) throws {
        var configuration = ProtobufWriter()
        let values = [
            ("unencrypted-checkins-enabled", plain), (ConfigurationNumber.label, number.map { UInt64($0) }),
        ]
        configuration.message(3) { features in
            for (label, value) in values {
                guard let value else { continue }
                features.message(1) { feature in
                    feature.text(1, label)
                    feature.number(2, value)
                }
            }
        }
        configuration.message(5) { download in
            for tag in withdrawn { download.message(isForIOS ? 3 : 5) { $0.text(1, tag) } }
        }
        configuration.message(isForIOS ? 12 : 13) { presence in
            presence.message(1) { risk in
                for (level, value) in PresenceRiskParameters.published.transmissionRiskValueMapping.sorted(by: {
                    $0.key < $1.key
                }) {
                    risk.message(1) { entry in
                        entry.number(1, UInt64(level))
                        entry.double(2, value)
                    }
                }
                for field in [2, 3] {
                    for (low, high, level) in [(0.0, 10.0, UInt64(1)), (10, 999_999, 2)] {
                        risk.message(field) { entry in
                            entry.message(1) { range in
                                range.double(1, low)
                                range.double(3, high)
                                if level == 1 { range.number(4, 1) }
                            }
                            entry.number(2, level)
                        }
                    }
                }
                risk.number(4, 10)
            }
            for version in versions { presence.number(4, version) }
            guard let shortest else { return }
            presence.message(2) { submission in
                submission.message(1) { filter in
                    filter.message(1) { range in
                        range.double(3, shortest)
                        range.number(4, 1)
                    }
                }
            }
        }
        try put("version/v2/app_config_\(isForIOS ? "ios" : "android")", try signed(configuration.bytes, with: other))
    }

    func publish(_ listed: ClosedRange<Int64>) throws {
        try put(Self.hours, Array(#"{"oldest":\#(listed.lowerBound),"latest":\#(listed.upperBound)}"#.utf8))
        for hour in listed { try put("\(Self.hours)/\(hour)", []) }
    }

    /// A package with reports about a place; `records` are start (Unix seconds), minutes and level.
    func publish(
        _ hour: Int64, _ location: LocationID, _ records: [(Int64, Int64, Int64)], with other: P256.SigningKey? = nil,
        tag: String? = nil
    ) throws {
        let reports = try records.map { start, minutes, level in
            guard let record = CheckInRecord(start: start / 600, period: minutes / 10, level: level) else {
                throw PresenceTracingError(.implausibleRecord)
            }
            return try ProtectedReport(
                record, location: location, initializationVector: (0..<16).map { UInt8(7 + 13 * $0) })
        }
        let bin = TraceWarningPackage.encoded(hour: UInt32(hour), region: "DE", reports: reports)
        try put("\(Self.hours)/\(hour)", try signed(bin, with: other), headers: tag.map { ["ETag: \($0)"] } ?? [])
    }

    /// A list of SwissCovid's that answers the question with the tag `asked`. Its signature says `since` and `tag`, or does not where they are `nil`, as SwissCovid's own servers; `header`
    /// is what the web server says of the tag without being asked to prove it.
    func putTraceKeys(
        _ asked: Int64, _ body: [UInt8], since: Int64?, tag: Int64?, header: Int64? = nil, signed: Int64,
        by signer: P256.SigningKey? = nil
    ) throws {
        let claims = [(TraceKeyList.sinceClaim, since), (TraceKeyList.nextTagClaim, tag)]
        let token = try #require(
            try ContentToken.text(
                body: body, issued: signed, expires: signed + 14 * 86_400,
                protected: claims.compactMap { name, value in value.map { (name, "\($0)") } },
                sign: { try (signer ?? key).sign($0) }))
        let headers = ["Signature: \(String(decoding: token, as: UTF8.self))"]
        try put(
            "v3/traceKeys?lastKeyBundleTag=\(asked)", body,
            headers: headers + ((header ?? tag).map { ["x-key-bundle-tag: \($0)"] } ?? []))
    }

    func settings(_ systems: [VenueSystem]) throws -> VenueSettings {
        var settings = VenueSettings()
        settings.systems = systems.map(\.rawValue)
        settings.plainHTTP = true
        let text = try key.verificationKey.pem()
        settings.signers = systems.flatMap { system in
            ["export", "config"].map { role in
                VenueSettings.Signer(system: system.rawValue, name: "262-v1", key: text, role: role)
            }
        }
        settings.posterKeys = [.init(id: "262", key: text)]
        for system in systems {
            switch system {
            case .coronaWarnApp: settings.coronaWarnAppServer = base
            case .swissCovid: settings.swissCovidServer = base
            case .nhs:
                settings.nhsServer = base
                settings.nhsUnsignedAnswers = true
            }
        }
        return settings
    }

    func fetcher(_ store: VenueStore, _ systems: [VenueSystem]) throws -> WarningFetcher {
        WarningFetcher(
            store: store, settings: try settings(systems), unzip: try .besideThisProgram(), spool: folder + "/spool",
            configuration: HTTPConfiguration(allowsPlainHTTP: true), cancellation: HTTPCancellation())
    }
}
