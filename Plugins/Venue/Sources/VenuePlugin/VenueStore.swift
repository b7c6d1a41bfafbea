// SPDX-License-Identifier: Apache-2.0

import JSON
package import PluginKit
import Synchronization
package import VenuePlan

/// The records that the plugin stores: a wearer's diary, or a host's places.
package struct VenueRecords: Sendable, Equatable {
    /// The wearer's visits and notices; empty on a device that stands for a place.
    package var diary = VisitDiary()
    /// The host's places and codes; empty on a person's device.
    package var places = PlaceBook()
    /// The progress of comparing warnings with the visits, which is stored together with them.
    package var downloads = VenueDownloads()
    /// The rules for reports of visits in the authority's configuration that was verified last; `nil` before the first, and
    /// on a device that stands for a place.
    package var rules: ReportRules?
    /// The versions of the Corona-Warn-App's codes that the authority's configuration has withdrawn, as it was verified last; at
    /// most ``maximumVersions``.
    package var withdrawnVersions: Set<UInt32> = []
    /// The most withdrawn versions that are kept: 64, our choice.
    package static let maximumVersions = 64
    /// Whether the places of new visits are hidden, and by which key; `nil` if the wearer never chose it.
    package var hiding: VisitHiding?
    /// Whether earlier records could not be read and are lost, and the wearer has not acknowledged that yet.
    package var wasLost = false

    /// Creates empty records, of which nothing was lost. Cannot fail.
    package init() {}
}

/// The plugin's records, which are on disk before a change is reported. May be used on any thread; a caller waits for at
/// most one write of another.
///
/// The store must be sealed, because its content tells where the wearer has been. The file's size reveals how much is
/// stored only beyond ``slotBytes``.
package final class VenueStore: Sendable {
    /// The most bytes of the store: those of the diary, and those of the rules and of the JSON around it.
    package static let storeBytes = VisitDiary.maximumBytes + (16 << 10)
    /// The number of bytes of a slot of the store's file: enough for about forty visits.
    package static let slotBytes = 16 << 10

    private struct State {
        var records: VenueRecords
        let store: KeyValueStore
    }

    /// The store goes nowhere else.
    private struct Box: @unchecked Sendable { var state: State }

    private let box: Mutex<Box>

    /// Whether stored records could not be read: then empty ones replaced them, and ``VenueRecords/wasLost`` is `true`
    /// until it is acknowledged.
    package let wasDamaged: Bool

    private enum Name {
        static let diary = "visits"
        static let places = "places"
        static let downloads = "downloads"
        static let rules = "rules"
        static let versions = "withdrawnVersions"
        static let damage = "damage"
        static let lost = "lost"
        static let hiding = "hiding"
        static let turn = "turn"
    }

    /// Reads the records from `store`, which the plugin kit opened with the plugin's own seal. Cannot fail: records that
    /// cannot be read are replaced by empty ones.
    package init(_ store: KeyValueStore) {
        var records = VenueRecords()
        let diary = store.values[Name.diary].map { json in try? VisitDiary(json) }
        let places = store.values[Name.places].map { json in try? PlaceBook(json) }
        // A store that was set aside as a whole counts its own damage; the count that was seen is in the new one.
        let damage = Int64(store.damageCount)
        let hiding = store.values[Name.hiding].map(VisitHiding.init)
        wasDamaged =
            diary == .some(nil) || places == .some(nil) || hiding == .some(nil)
            || store.values[Name.damage]?.int ?? 0 != damage
        records.diary = (diary ?? nil) ?? VisitDiary()
        records.places = (places ?? nil) ?? PlaceBook()
        records.downloads = wasDamaged ? VenueDownloads() : VenueDownloads(store.values[Name.downloads] ?? .empty)
        records.hiding = hiding ?? nil
        // What is compared anew is found anew, and counts once.
        if records.downloads.hours.isEmpty { records.diary.forgetSettledMatches() }
        // Those that cannot be read come again with the next configuration.
        records.rules = store.values[Name.rules].flatMap(ReportRules.init)
        records.withdrawnVersions = Set(
            (store.values[Name.versions]?.array ?? []).prefix(VenueRecords.maximumVersions).compactMap {
                $0.int.flatMap { UInt32(exactly: $0) }
            })
        records.wasLost = wasDamaged || store.values[Name.lost]?.bool == true
        if wasDamaged {
            // If this cannot be written it is said again at the next start.
            try? store.update { values in
                values[Name.damage] = .int(damage)
                Self.write(records, into: &values)
            }
        }
        box = Mutex(Box(state: State(records: records, store: store)))
    }

    /// A copy of the records as they are on the disk; may be read on any thread.
    package var records: VenueRecords { box.withLock { $0.state.records } }

    /// Changes the records. Blocks until the change is on the disk; nothing is written if the records stay equal.
    /// - Throws: The error of `change`, or `StorageError` if the disk cannot be written; the records then stay as
    ///   they were.
    package func change<Result: Sendable>(_ change: (inout VenueRecords) throws -> Result) throws -> Result {
        let outcome: Swift.Result<Result, any Error> = box.withLock { box in
            do {
                var records = box.state.records
                let result = try change(&records)
                if records != box.state.records {
                    try box.state.store.update { Self.write(records, into: &$0) }
                    box.state.records = records
                }
                return .success(result)
            } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Writes the records once more. The file has room for what was there before the last change; now it has the present ones twice.
    /// - Throws: `StorageError` if the disk cannot be written; then the file has what it had.
    package func rewrite() throws {
        try box.withLock { box in
            // A change, or nothing would be written.
            try box.state.store.update { $0[Name.turn] = .bool($0[Name.turn]?.bool != true) }
        }
    }

    private static func write(_ records: VenueRecords, into values: inout JSON.Object) {
        values[Name.diary] = records.diary.json
        values[Name.places] = records.places.json
        values[Name.downloads] = records.downloads.json
        values[Name.rules] = records.rules?.json
        let versions = records.withdrawnVersions.sorted().map { JSON.int(Int64($0)) }
        values[Name.versions] = versions.isEmpty ? nil : .array(versions)
        values[Name.lost] = records.wasLost ? true : nil
        values[Name.hiding] = records.hiding?.json
    }
}
