// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import GAEN
import Glibc
import KeyArchive
import KeyExport
import SyncPlan
import Trust
import Vault
import VirtualAir

/// Fourteen days in small: what was published, and a device that met one person of each package.
struct KillStage {
    static let name = KeyName(id: "262", version: "v1")
    /// Days before today that are published as a whole.
    private static let wholeDays: ClosedRange<Int64> = 2...14
    /// Hours of yesterday, which is not published as a whole yet.
    private static let hours: [Int64] = [9, 10, 22]

    /// The UTC day on which it plays.
    let today: Int64
    /// What is published, by path.
    private(set) var content: [String: [UInt8]] = [:]
    /// Paths of packages.
    private(set) var packagePaths: Set<String> = []
    /// Keys in them.
    private(set) var keyCount = 0
    private static let contentPath = "version/v1/content_bundle"
    private var people: [(data: Block, day: Int64)] = []
    private let signer: P256.SigningKey
    private var generator = SplitMix64(seed: 1)

    init(signer: P256.SigningKey, today: Int64) throws {
        self.signer = signer
        self.today = today
        let days = Self.wholeDays.map { today - $0 }.sorted()
        for day in days {
            let name = CWAPath.day("EUR", CivilDate(day: day))
            try publish(name, from: UTCDay(number: day).start, to: UTCDay(number: day + 1).start)
        }
        let yesterday = CivilDate(day: today - 1)
        for hour in Self.hours {
            let start = (today - 1) * UTCDay.seconds + hour * 3_600
            try publish(CWAPath.hour("EUR", yesterday, Int(hour)), from: start, to: start + 3_600)
        }
        put(CWAPath.days("EUR"), "[\(days.map { "\"\(CivilDate(day: $0).isoText)\"" }.joined(separator: ","))]")
        put(CWAPath.hours("EUR", yesterday), "[\(Self.hours.map(String.init).joined(separator: ","))]")
        content[CWAPath.appConfiguration] = try signed([])
        content[CWAPath.vigilConfiguration] = try signed(
            Array(#"{"vigilConfig": 1, "version": 3, "wakeWindowSeconds": 600}"#.utf8))
        content["/\(Self.contentPath)"] = try signed(
            Array(#"{"version":5,"languages":{"en":{"texts":{"home.title":"Today"}}}}"#.utf8))
        // Another authority, with a list: two files alone and two that are one batch.
        var list: [String] = []
        for (day, size) in [(today - 3, 1), (today - 2, 2), (today - 1, 1)] {
            for number in 1...size {
                let (start, end) = (UTCDay(number: day).start + 40_000, UTCDay(number: day).start + 50_000)
                list.append("exposures/\(start)-\(end)-0000\(number).zip")
                try publish("/exposures/\(start)-\(end)-0000\(number).zip", from: start, to: end, part: (number, size))
            }
        }
        put("/exposures/index.txt", list.map { $0 + "\n" }.joined())
    }

    /// One more package in the list, with the keys of another one signed anew: what must not be in an index, for a check of the judge.
    mutating func publishAgain() throws {
        guard let person = people.last else { return }
        let (start, end) = (person.day * UTCDay.seconds + 60_000, person.day * UTCDay.seconds + 70_000)
        let path = "/exposures/\(start)-\(end)-00001.zip"
        content[path] = try archive([person.data], day: person.day, from: start, to: end, part: (1, 1))
        content["/exposures/index.txt", default: []] += Array("\(path.dropFirst())\n".utf8)
    }

    // MARK: Packages

    private mutating func put(_ path: String, _ text: String) { content[path] = Array(text.utf8) }

    /// A package of one person who was met, and two who were not.
    private mutating func publish(_ path: String, from start: Int64, to end: Int64, part: (Int, Int) = (1, 1)) throws {
        let day = UTCDay(containing: start).number
        let keys = (0..<3).map { _ in Block(low: generator.next(), high: generator.next()) }
        people.append((keys[1], day))
        keyCount += keys.count
        packagePaths.insert(path)
        content[path] = try archive(keys, day: day, from: start, to: end, part: part)
    }

    private func archive(_ keys: [Block], day: Int64, from start: Int64, to end: Int64, part: (Int, Int)) throws -> [UInt8]
    {
        let exported = keys.compactMap { data in
            DiagnosisKey(
                data: data, rollingStart: ENIN(UInt32(day * 144)), transmissionRiskLevel: 3, reportType: .confirmedTest,
                daysSinceOnset: 1
            ).map { ExportedKey($0) }
        }
        let encoder = ExportEncoder(
            startTimestamp: UInt64(start), endTimestamp: UInt64(end), region: "EUR", batchNumber: Int32(part.0),
            batchSize: Int32(part.1), signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        let bin = encoder.exportBin(exported)
        return try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [signer]))
    }

    private func signed(_ bin: [UInt8]) throws -> [UInt8] {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        return try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [signer]))
    }

    // MARK: What was heard

    /// Adds to the vault what the device heard of these people: three scans for each, a quarter of an hour for everybody.
    func plant(data: String, keys: String) throws {
        let vault = try Vault(PosixStorage(folder: data), provider: FileKeyProvider(PosixStorage(folder: keys)))
        for (day, here) in Dictionary(grouping: people, by: \.day).sorted(by: { $0.key < $1.key }) {
            for number in UInt32(0)..<3 {
                let time = UInt32(UTCDay(number: day).start) + 36_000 + 240 * number
                let heard = try here.map { person in
                    let keys = try IdentifierKeys(SecretBytes(copying: person.data.bytes))
                    let identifier = keys.identifier(for: ENIN(time / 600))
                    return ScanRecord.Heard(
                        payload: AdvertisingPayload(
                            identifier: identifier,
                            metadata: keys.encrypt(.version11(transmitPower: -10, confidence: .high), with: identifier)),
                        offset: 1, readings: ScanRecord.Readings(Int8(-60)))
                }
                try vault.append(ScanRecord(start: time, previousScan: time - 240, profileRevision: 0, heard: heard))
            }
        }
    }

    /// The plugin's settings for this stage on a server at `port`.
    func settings(port: UInt16) throws -> String {
        let key = try signer.verificationKey.pem().replacing("\n", with: "\\n")
        return """
            {"sources": [
              {"name": "region", "kind": "cwa", "base": "http://127.0.0.1:\(port)", "config": "version/v2/app_config_android",
               "vigilConfig": "version/v1/vigil_config", "content": "\(Self.contentPath)"},
              {"name": "list", "kind": "index", "base": "http://127.0.0.1:\(port)", "index": "exposures/index.txt"}],
             "configKeys": [{"name": "262-v1", "key": "\(key)"}], "plainHTTP": true}
            """
    }
}
