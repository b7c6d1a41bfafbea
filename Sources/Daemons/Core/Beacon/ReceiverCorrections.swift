// SPDX-License-Identifier: Apache-2.0

import JSON
import Radio

/// Corrections of this board's receiver that were set on the board, each under a revision of its own: what is stored stays raw, and each
/// scan says under which revision it was heard.
///
/// Revisions of profiles' files lie below ``firstRevision``; those given here from there on.
struct ReceiverCorrections: Codable, Equatable {
    struct Entry: Codable, Equatable {
        var revision: UInt16
        /// Decibels.
        var correction: Int
    }

    static let setting = "corrections"
    static let firstRevision: UInt16 = 0x8000
    static let range = -30...30
    /// The next one takes the place of the oldest, whose scans then get the profile's value: only if somebody sets as many within 14 days, for which
    /// scans are kept.
    private static let most = 64

    private(set) var entries: [Entry] = []
    /// Whether the last of ``entries`` holds; the profile's does otherwise.
    private(set) var isSet = false

    init() {}

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), let value = try? json.decode(Self.self),
            value.entries.allSatisfy({ Self.range.contains($0.correction) })
        else { return nil }
        self = value
    }

    func bytes() throws -> [UInt8] { try JSON(encoding: self).bytes }

    /// `nil` goes back to the profile's.
    mutating func set(_ correction: Int?) {
        guard let correction else {
            isSet = false
            return
        }
        isSet = true
        guard entries.last?.correction != correction else { return }
        let last = entries.last?.revision ?? .max
        entries.append(Entry(revision: last == .max ? Self.firstRevision : last + 1, correction: correction))
        entries = entries.suffix(Self.most)
    }

    /// Under which scans are heard now.
    func revision(_ profile: BoardProfile) -> UInt16 {
        isSet ? entries.last?.revision ?? profile.revision : profile.revision
    }

    /// What holds now.
    func correction(_ profile: BoardProfile) -> Int {
        isSet
            ? entries.last?.correction ?? Int(profile.calibration.rssiCorrection) : Int(profile.calibration.rssiCorrection)
    }

    /// What to add to what was heard under a revision. A profile's revision always gives the profile's present value.
    func correction(of revision: UInt16, _ profile: BoardProfile) -> Int {
        entries.last { $0.revision == revision }?.correction ?? Int(profile.calibration.rssiCorrection)
    }
}
