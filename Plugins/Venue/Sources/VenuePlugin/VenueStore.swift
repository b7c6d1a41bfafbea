// SPDX-License-Identifier: Apache-2.0

import JSON
package import PluginKit
import Synchronization
package import VenuePlan

/// What the plugin keeps: a wearer's diary, or a host's places.
package struct VenueRecords: Sendable, Equatable {
    package var diary = VisitDiary()
    package var places = PlaceBook()
    package var downloads = VenueDownloads()
    /// Whether records from before could not be read and are lost, and nobody has acknowledged it.
    package var wasLost = false

    package init() {}
}

/// The records, on disk before anybody is told of a change. The loop and the worker may both use it; neither waits for more than one write.
///
/// The store must be sealed, for whoever reads it knows where somebody has been. Its size tells how much is kept only beyond ``slotBytes``.
package final class VenueStore: Sendable {
    /// Bytes of the store: the diary, and what JSON adds around it.
    package static let storeBytes = VisitDiary.maximumBytes + 1_024
    /// Bytes of a slot of the store's file: some forty visits.
    package static let slotBytes = 16 << 10

    private struct State {
        var records: VenueRecords
        let store: KeyValueStore
    }

    /// The store goes nowhere else.
    private struct Box: @unchecked Sendable { var state: State }

    private let box: Mutex<Box>

    /// Whether there were records that could not be read: they were begun anew, and ``VenueRecords/wasLost`` says so until it is acknowledged.
    package let wasDamaged: Bool

    private enum Name {
        static let diary = "visits"
        static let places = "places"
        static let downloads = "downloads"
        static let damage = "damage"
        static let lost = "lost"
    }

    /// Takes over `store`, which the plugin kit opened with the plugin's own seal.
    package init(_ store: KeyValueStore) {
        var records = VenueRecords()
        let diary = store.values[Name.diary].map { json in try? VisitDiary(json) }
        let places = store.values[Name.places].map { json in try? PlaceBook(json) }
        // A store that was set aside as a whole counts its own damage; the count that was seen is in the new one.
        let damage = Int64(store.damageCount)
        wasDamaged =
            diary == .some(nil) || places == .some(nil) || store.values[Name.damage]?.int ?? 0 != damage
        records.diary = (diary ?? nil) ?? VisitDiary()
        records.places = (places ?? nil) ?? PlaceBook()
        records.downloads = wasDamaged ? VenueDownloads() : VenueDownloads(store.values[Name.downloads] ?? .empty)
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

    package var records: VenueRecords { box.withLock { $0.state.records } }

    /// Changes the records. When it returns, the change is on the disk; when it throws, nothing has changed. Throws what `change` throws, and
    /// `StorageError`.
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

    private static func write(_ records: VenueRecords, into values: inout JSON.Object) {
        values[Name.diary] = records.diary.json
        values[Name.places] = records.places.json
        values[Name.downloads] = records.downloads.json
        values[Name.lost] = records.wasLost ? true : nil
    }
}
