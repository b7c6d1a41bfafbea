// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import Matching

/// The reader and writer of recorded sightings as a text table: `time,previous_scan,rssi,rpi,aem`
/// (docs/file-formats.md).
public enum SightingsFile {
    /// The maximum number of sightings that are read, inclusive; 14 busy days have 50,000 to 80,000. The number is
    /// this project's own.
    public static let maximumCount = 4_000_000

    /// Reads sightings in the order of the file. Times are in Unix seconds, 1 to 2³² - 1; that of the previous scan
    /// may also be 0, which is the default. RSSI is -127 to 126 dBm. Blocks. Throws ``InputError`` when the file
    /// cannot be read or has more than ``maximumCount`` sightings, or with the number of the first line that is
    /// wrong.
    public static func read(path: String) throws(InputError) -> [Sighting] {
        var table = try CSVTable(path: path, required: ["time", "rssi", "rpi", "aem"], optional: ["previous_scan"])
        var sightings: [Sighting] = []
        while let row = try table.next() {
            guard let time = try row.number(0, "time", in: 1...Int(UInt32.max)) else {
                throw row.refusal("time is missing")
            }
            guard let rssi = try row.number(1, "rssi", in: -127...126) else { throw row.refusal("rssi is missing") }
            guard let identifier = row.text(2).flatMap({ Hex.bytes(utf8: $0) }).flatMap(RollingProximityIdentifier.init)
            else { throw row.refusal("rpi must be 32 hexadecimal digits") }
            guard let metadata = row.text(3).flatMap({ Hex.bytes(utf8: $0) }).flatMap(AssociatedEncryptedMetadata.init)
            else { throw row.refusal("aem must be 8 hexadecimal digits") }
            let previous = try row.number(4, "previous_scan", in: 0...Int(UInt32.max)) ?? 0
            sightings.append(
                Sighting(
                    identifier: identifier, metadata: metadata, time: UInt32(time), previousScan: UInt32(previous),
                    rssi: Int8(rssi)))
            guard sightings.count <= maximumCount else { throw row.refusal("more than \(maximumCount) sightings") }
        }
        return sightings
    }

    /// Returns the table, each line with a line feed, for the lab and for tests. It has identifiers, and so reveals
    /// who was met. Cannot fail.
    public static func text(_ sightings: [Sighting]) -> String {
        var text = "time,previous_scan,rssi,rpi,aem\n"
        for sighting in sightings {
            let rpi = Hex.string(sighting.identifier.bytes)
            let aem = Hex.string(sighting.metadata.bytes)
            text += "\(sighting.time),\(sighting.previousScan),\(sighting.rssi),\(rpi),\(aem)\n"
        }
        return text
    }
}
