// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import GAEN
import Glibc
import Matching
import Vault

/// Makes a board remember what it never heard, so that two weeks need not pass before what it does with them can be tried.
struct PlantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plant",
        abstract: "Puts recorded sightings into a board's store, as if it had heard them.",
        discussion: """
            For laboratories only: it never ships on a board. The core must not be running: a store has one owner. Sightings with the \
            same previous_scan are of one scan.
            """)

    @Option(help: "Recorded sightings (CSV: time,previous_scan,rssi,rpi,aem).")
    var sightings: String

    @Option(help: "The board's folder for keys and sightings; made if it is not there.")
    var data: String

    @Option(help: "The folder of the key that seals them; DATA/key if not given.")
    var keys: String?

    /// The first number that `vigil` gives to the revisions of a profile; nothing is corrected.
    @Option(help: "Revision of the board's profile under which the levels were taken.")
    var profileRevision: UInt16 = 1

    func run() throws {
        let keys = keys ?? "\(data)/key"
        for folder in [data, keys] where mkdir(folder, 0o700) != 0 && errno != EEXIST {
            throw InputError(file: folder, "cannot be made: \(String(cString: strerror(errno)))")
        }
        let scans = Self.scans(try SightingsFile.read(path: sightings), profileRevision: profileRevision)
        let vault = try Vault(PosixStorage(folder: data), provider: FileKeyProvider(PosixStorage(folder: keys)))
        for scan in scans { try vault.append(scan) }
        for finding in vault.findings { Terminal.error("vigil-lab: \(finding)\n") }
        print("\(scans.count) scans on \(Set(scans.map { $0.start / 86_400 }).count) days")
    }

    /// What a board would have kept of them, in order of time.
    private static func scans(_ sightings: [Sighting], profileRevision: UInt16) -> [ScanRecord] {
        let bySeries = Dictionary(grouping: sightings) { $0.previousScan == 0 ? $0.time : $0.previousScan }
        return bySeries.values.flatMap { series in
            var records: [ScanRecord] = []
            var rest = series.sorted { $0.time < $1.time }
            while let start = rest.first?.time {
                // An offset has one byte.
                let scan = rest.prefix { $0.time - start <= 255 }
                rest.removeFirst(scan.count)
                let senders = Dictionary(grouping: scan) {
                    AdvertisingPayload(identifier: $0.identifier, metadata: $0.metadata)
                }
                let heard = senders.compactMap { payload, packets -> ScanRecord.Heard? in
                    let levels = packets.prefix(ScanRecord.Readings.maximumCount).map(\.rssi)
                    guard let first = packets.first, let readings = ScanRecord.Readings(levels) else { return nil }
                    return ScanRecord.Heard(payload: payload, offset: UInt8(first.time - start), readings: readings)
                }
                records.append(
                    ScanRecord(
                        start: start, previousScan: series[0].previousScan, profileRevision: profileRevision, heard: heard))
            }
            return records
        }.sorted { $0.start < $1.start }
    }
}
