// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import HTTPFields
import KeyArchive
import KeyExport
import RandomValues
import SyncPlan
import Trust

/// Publishes real, signed packages for the fault server, as the Corona-Warn-App's distribution does.
final class Publisher {
    let folder: String
    let key: P256.SigningKey
    let now = Int64(time(nil))
    private(set) var published = 0
    static let name = KeyName(id: "262", version: "v1")

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/vigil-publisher-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder + "/content", withIntermediateDirectories: true)
        key = try P256.SigningKey.generate()
        try setDate(now)
        try put(CWAPath.appConfiguration, try signed([], with: key))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var trust: TrustStore {
        get throws { try TrustStore(keys: [TrustedKey(name: Self.name, role: .export, key: key.verificationKey)]) }
    }

    func setDate(_ time: Int64) throws {
        try Data((HTTPDate.text(unixSeconds: time) ?? "").utf8).write(to: URL(filePath: folder + "/DATE"))
    }

    /// The faults of the next answers, as fault-server.py reads them.
    func setFaults(_ json: String) throws { try Data(json.utf8).write(to: URL(filePath: folder + "/FAULTS")) }

    var requests: [String] {
        let data = (try? Data(contentsOf: URL(filePath: folder + "/REQUESTS"))) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// `headers` are further header lines of the answer.
    func put(_ path: String, _ bytes: [UInt8], headers: [String] = []) throws {
        let codes: [Character: String] = ["/": "%2F", "?": "%3F", "=": "%3D", "&": "%26"]
        let name = path.dropFirst().reduce(into: "") { $0 += codes[$1] ?? String($1) }
        try Data(bytes).write(to: URL(filePath: folder + "/content/" + name))
        guard !headers.isEmpty else { return }
        try FileManager.default.createDirectory(atPath: folder + "/headers", withIntermediateDirectories: true)
        try Data(headers.joined(separator: "\n").utf8).write(to: URL(filePath: folder + "/headers/" + name))
    }

    /// From now on the server answers for this path with the status, whatever it has there; `nil` ends that.
    func answer(_ path: String, status: Int?) throws {
        let codes: [Character: String] = ["/": "%2F", "?": "%3F", "=": "%3D", "&": "%26"]
        let name = path.dropFirst().reduce(into: "") { $0 += codes[$1] ?? String($1) }
        let file = URL(filePath: folder + "/statuses/" + name)
        guard let status else { return try FileManager.default.removeItem(at: file) }
        try FileManager.default.createDirectory(atPath: folder + "/statuses", withIntermediateDirectories: true)
        try Data("\(status)".utf8).write(to: file)
    }

    /// A document signed as configurations are.
    func signed(_ bin: [UInt8], with key: P256.SigningKey) throws -> [UInt8] {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        return try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [key]))
    }

    private var generator = SeededGenerator(seed: 1)

    /// A package of a few random keys of that time.
    func package(_ start: Int64, _ end: Int64, keys count: Int, with key: P256.SigningKey) throws -> [UInt8] {
        published += count
        let keys = (0..<count).compactMap { _ in
            DiagnosisKey(
                data: Block(low: generator.next(), high: generator.next()),
                rollingStart: ENIN(UInt32(start / 86_400 * 144)), rollingPeriod: 144, transmissionRiskLevel: 3,
                reportType: .confirmedTest, daysSinceOnset: 1, variantOfConcern: nil
            ).map { ExportedKey($0) }
        }
        let encoder = ExportEncoder(
            startTimestamp: UInt64(start), endTimestamp: UInt64(end), region: "EUR",
            signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        let bin = encoder.exportBin(keys)
        return try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [key]))
    }

    /// The last days as a whole, and the hours of today; `strangers` are signed by somebody else.
    func publish(days: Int64 = 3, strangers: Set<Int64> = []) throws {
        let today = now / 86_400
        let stranger = try P256.SigningKey.generate()
        var listed: [String] = []
        for day in (today - days)..<today {
            let date = CivilDate(day: day)
            listed.append("\"\(date.isoText)\"")
            let signer = strangers.contains(day - today) ? stranger : key
            try put(
                CWAPath.day("EUR", date), try package(day * 86_400, (day + 1) * 86_400, keys: 20, with: signer))
        }
        try put(CWAPath.days("EUR"), Array("[\(listed.joined(separator: ","))]".utf8))
        let date = CivilDate(day: today)
        let hours = 0..<Int((now - today * 86_400) / 3_600)
        for hour in hours {
            let start = today * 86_400 + Int64(hour) * 3_600
            try put(CWAPath.hour("EUR", date, hour), try package(start, start + 3_600, keys: hour % 3, with: key))
        }
        try put(CWAPath.hours("EUR", date), Array("[\(hours.map(String.init).joined(separator: ","))]".utf8))
    }
}
