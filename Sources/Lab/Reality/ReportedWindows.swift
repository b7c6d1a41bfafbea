// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
import FoundationEssentials
import JSON

/// What a phone reported: scans of a window as three numbers, without time or sender.
public struct ReportedWindow: Sendable, Hashable {
    /// A scan: the smallest and the mean attenuation in dB, and the seconds that it stands for.
    public struct Scan: Sendable, Hashable {
        public let minimum: Int
        public let typical: Int
        public let seconds: Int

        /// Creates a scan of these numbers, which are not checked; attenuations in dB.
        public init(minimum: Int, typical: Int, seconds: Int) {
            self.minimum = minimum
            self.typical = typical
            self.seconds = seconds
        }
    }

    /// The scans in time order.
    public let scans: [Scan]

    /// Creates a window of these scans, in time order.
    public init(scans: [Scan]) { self.scans = scans }

    /// Reads the windows of each receiver from the files of `folder`, named `AA-checkBB.json`. BB is the receiver, and
    /// all its files are states of one growing list, of which the longest counts (spec reality, section 3).
    ///
    /// Throws `InputError` if the folder cannot be read, holds no such file, or one is not of the published form.
    public static func reported(in folder: String) throws(InputError) -> [Int: [ReportedWindow]] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw InputError(file: folder, "is not a readable folder")
        }
        var found: [Int: [ReportedWindow]] = [:]
        for name in names.sorted() where name.utf8.count == 15 && name.hasSuffix(".json") {
            let parts = name.split(separator: ".")[0].split(separator: "-")
            guard parts.count == 2, parts[1].hasPrefix("check"), let receiver = Int(parts[1].dropFirst(5)) else { continue }
            let windows = try read("\(folder)/\(name)")
            if windows.count > found[receiver]?.count ?? -1 { found[receiver] = windows }
        }
        guard !found.isEmpty else { throw InputError(file: folder, "has no file like 01-check02.json") }
        return found
    }

    private static func read(_ path: String) throws(InputError) -> [ReportedWindow] {
        let bytes = try Files.read(path, limit: 16 << 20)
        guard let json = try? JSON(parsing: bytes, maximumDepth: 8), let members = json.object?.members,
            members.count == 1, let windows = members.first?.value.array
        else { throw InputError(file: path, "is not one object with one list of windows") }
        var read: [ReportedWindow] = []
        for window in windows {
            guard let scans = window["scanInstances"]?.array else { throw InputError(file: path, "a window has no scans") }
            read.append(
                ReportedWindow(
                    scans: try scans.map { scan throws(InputError) in
                        guard let minimum = scan["minAttenuationDb"]?.int, let typical = scan["typicalAttenuationDb"]?.int,
                            let seconds = scan["secondsSinceLastScan"]?.int, (-200...200).contains(minimum),
                            (-200...200).contains(typical), (0...86_400).contains(seconds)
                        else { throw InputError(file: path, "a scan has no three numbers that can be") }
                        return Scan(minimum: Int(minimum), typical: Int(typical), seconds: Int(seconds))
                    }))
        }
        return read
    }
}
