// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import CommandFiles
import Cryptography
import GAEN
import Glibc
import KeyExport
import Matching
import VirtualAir

/// What the demonstration is made of: a published day of keys, and what one board heard in two weeks.
struct ScenarioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario",
        abstract: "Writes keys.csv and sightings.csv: many strangers' keys, and two people who were really met.")

    @Argument(help: "Folder to write to.")
    var folder: String

    @Option(help: "Number of keys.")
    var keys = 100_000

    @Option(help: "Sightings of other people.")
    var strangers = 20_000

    @Option(help: "The present, Unix seconds; the system's clock when not given.")
    var now: Int64?

    @Option(help: "Seed; the same gives the same files.")
    var seed: UInt64 = 2_020

    private struct Encounter {
        let title: String
        let daysAgo: Int64
        /// Seconds after UTC midnight.
        let start: Int64
        let minutes: Int64
        let metres: Double
    }

    private static let encounters = [
        Encounter(title: "dinner", daysAgo: 2, start: 18 * 3_600, minutes: 50, metres: 1.2),
        Encounter(title: "bus ride", daysAgo: 5, start: 7 * 3_600 + 1_500, minutes: 17, metres: 3.5),
    ]

    func validate() throws {
        guard keys >= Self.encounters.count, keys <= 5_000_000, (0...1_000_000).contains(strangers) else {
            throw ValidationError("--keys takes 2 to 5,000,000, --strangers up to 1,000,000")
        }
    }

    func run() throws {
        let today = (now ?? Int64(time(nil))) / 86_400
        var generator = SplitMix64(seed: seed)
        var published = (0..<keys).map { _ in
            ExportedKey(key(day: today - .random(in: 1...13, using: &generator), using: &generator))
        }
        var sightings = (0..<strangers).map { _ in
            let time =
                (today - .random(in: 0...13, using: &generator)) * 86_400 + .random(in: 0..<86_400, using: &generator)
            return Sighting(
                identifier: RollingProximityIdentifier(Block(low: generator.next(), high: generator.next())),
                metadata: AssociatedEncryptedMetadata(word: UInt32(truncatingIfNeeded: generator.next())),
                time: UInt32(time), previousScan: UInt32(time - 240), rssi: .random(in: -95 ... -50, using: &generator))
        }
        for (index, encounter) in Self.encounters.enumerated() {
            let key = key(day: today - encounter.daysAgo, using: &generator)
            published[index] = ExportedKey(key)
            sightings += try heard(encounter, key, today, using: &generator)
            print(
                "planted: \(encounter.title), \(UTCDay.text(day: UInt32(today - encounter.daysAgo))), "
                    + "\(encounter.minutes) minutes at \(encounter.metres) m")
        }
        try Files.write(Array(KeysFile.text(published).utf8), to: folder + "/keys.csv")
        try Files.write(
            Array(SightingsFile.text(sightings.sorted { $0.time < $1.time }).utf8), to: folder + "/sightings.csv")
    }

    private func key(day: Int64, using generator: inout SplitMix64) -> DiagnosisKey {
        DiagnosisKey(
            data: Block(low: generator.next(), high: generator.next()), rollingStart: ENIN(UInt32(day) * ENIN.perDay),
            transmissionRiskLevel: .random(in: 1...8, using: &generator), reportType: .confirmedTest,
            daysSinceOnset: .random(in: -2...8, using: &generator))!
    }

    /// A scan of four seconds every four minutes or so, three packets each, through the model of NIST's measurements.
    private func heard(
        _ encounter: Encounter, _ key: DiagnosisKey, _ today: Int64, using generator: inout SplitMix64
    ) throws -> [Sighting] {
        let own = try IdentifierKeys(SecretBytes(copying: key.data.bytes))
        let air = PathLoss()
        let power: Int8 = -10
        let start = (today - encounter.daysAgo) * 86_400 + encounter.start
        var sightings: [Sighting] = []
        var scan = start + .random(in: 0..<240, using: &generator)
        var previous = scan - 250
        while scan < start + encounter.minutes * 60 {
            let identifier = own.identifier(for: ENIN(unixSeconds: scan)!)
            let metadata = own.encrypt(.version11(transmitPower: power, confidence: .high), with: identifier)
            for packet in 0..<Int64(3) {
                sightings.append(
                    Sighting(
                        identifier: identifier, metadata: metadata, time: UInt32(scan + packet),
                        previousScan: UInt32(previous), rssi: air.rssi(metres: encounter.metres, using: &generator)))
            }
            previous = scan + 4
            scan += .random(in: 211...300, using: &generator)
        }
        return sightings
    }
}
