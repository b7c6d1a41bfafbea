// SPDX-License-Identifier: Apache-2.0

package import Cryptography
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
    /// Whether it is not known any more if places of new visits are to be hidden, since both places where that was written were damaged: then none is written down in the clear until the
    /// wearer says so.
    package var isChoiceLost = false
    /// Whether the older half of the file may have what is gone or hidden by now: a visit that was deleted, a place, or the times of a visit that is over.
    package var hasTrace = false
    /// Whether earlier records could not be read and are lost, and the wearer has not acknowledged that yet.
    package var wasLost = false

    /// Creates empty records, of which nothing was lost. Cannot fail.
    package init() {}

    /// How many visits that are to be hidden can still be read on the disk; 0 if all are hidden, or none is to be.
    package var unhiddenCount: Int {
        guard hiding?.isOn == true else { return 0 }
        let count = diary.visits.count(where: \.place.isInTheClear)
        return count == 0 && hasTrace ? 1 : count
    }
}

/// The plugin's records, which are on disk before a change is reported. May be used on any thread; a caller waits for at
/// most one write of another.
///
/// The store must be sealed, because its content tells where the wearer has been. The file's size reveals how much is
/// stored only beyond ``slotBytes``, or ``hidingSlotBytes`` where places can be hidden.
///
/// Whether places are hidden, and by which key, stands in a second file (``choiceName``) too, with the same content in both of its halves: if the records are damaged and begun anew, it holds still.
package final class VenueStore: Sendable {
    /// The most bytes of the store: those of the diary, and those of the rules and of the JSON around it.
    package static let storeBytes = VisitDiary.maximumBytes + (16 << 10)
    /// The number of bytes of a slot of the store's file: enough for about forty visits.
    package static let slotBytes = 16 << 10
    /// The number of bytes of a slot where places can be hidden: 128 KiB, our choice, enough for three hidden visits of an hour on each of fourteen days, and half as many again.
    package static let hidingSlotBytes = 128 << 10
    /// The name of the file with the wearer's choice.
    package static let choiceName = "hiding"
    /// The number of bytes of a slot of that file: a block; the choice has some 500 bytes.
    package static let choiceSlotBytes = 4 << 10

    private struct State {
        var records: VenueRecords
        let store: KeyValueStore
        let choice: KeyValueStore
    }

    /// The stores go nowhere else.
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
        static let choiceLost = "choiceLost"
        static let trace = "trace"
        /// Of earlier releases, which wrote it to have the file written twice.
        static let turn = "turn"
        /// In the file of the choice: that the wearer never made one.
        static let none = "none"
        /// Likewise: that both halves have it.
        static let twice = "twice"
    }

    /// Opens the records in a folder, sealed with the plugin's own key. Blocks.
    /// - Parameters:
    ///   - folder: The absolute path of an existing folder that nothing else uses.
    ///   - seal: 32 bytes.
    ///   - hides: Whether places can be hidden: then the file has room for them from the beginning.
    /// - Throws: `StorageError` if a file cannot be read, or cannot be written anew; not for a damaged one.
    package static func open(folder: String, seal: SecretBytes, hides: Bool = false) throws(StorageError) -> VenueStore {
        VenueStore(
            try KeyValueStore(
                folder: folder, limit: storeBytes, seal: seal, slotBytes: hides ? hidingSlotBytes : slotBytes,
                hasPatches: true),
            choice: try KeyValueStore(
                folder: folder, name: choiceName, limit: choiceSlotBytes, seal: seal, slotBytes: choiceSlotBytes))
    }

    /// Reads the records from `store`, and the wearer's choice from `choice`, both sealed with the plugin's own key. Cannot fail: records that
    /// cannot be read are replaced by empty ones.
    package init(_ store: KeyValueStore, choice: KeyValueStore) {
        var records = VenueRecords()
        let diary = store.values[Name.diary].map { json in try? VisitDiary(json) }
        let places = store.values[Name.places].map { json in try? PlaceBook(json) }
        // A store that was set aside as a whole counts its own damage; the count that was seen is in the new one.
        let damage = Int64(store.damageCount)
        let copy = store.values[Name.hiding].map(VisitHiding.init)
        let isAnew = store.values[Name.damage]?.int ?? 0 != damage
        wasDamaged = diary == .some(nil) || places == .some(nil) || copy == .some(nil) || isAnew
        records.diary = (diary ?? nil) ?? VisitDiary()
        records.places = (places ?? nil) ?? PlaceBook()
        records.downloads = wasDamaged ? VenueDownloads() : VenueDownloads(store.values[Name.downloads] ?? .empty)
        let kept = choice.values[Name.hiding].flatMap(VisitHiding.init)
        // It is written there first, so it goes before the copy; without it, and without the copy, nobody knows.
        let isKnown = kept != nil || choice.values[Name.none]?.bool == true
        records.hiding = isKnown ? kept : copy ?? nil
        records.isChoiceLost =
            !isKnown && (store.values[Name.choiceLost]?.bool == true || copy == .some(nil) || copy == nil && isAnew)
        records.hasTrace = store.values[Name.trace]?.bool == true
        // What is compared anew is found anew, and counts once.
        if records.downloads.hours.isEmpty { records.diary.forgetSettledMatches() }
        // Those that cannot be read come again with the next configuration.
        records.rules = store.values[Name.rules].flatMap(ReportRules.init)
        records.withdrawnVersions = Set(
            (store.values[Name.versions]?.array ?? []).prefix(VenueRecords.maximumVersions).compactMap {
                $0.int.flatMap { UInt32(exactly: $0) }
            })
        records.wasLost = wasDamaged || store.values[Name.lost]?.bool == true
        // If these cannot be written they are again at the next start.
        if wasDamaged {
            try? store.update { values in
                values[Name.damage] = .int(damage)
                Self.write(records, into: &values)
            }
        }
        try? Self.keep(records, in: choice)
        box = Mutex(Box(state: State(records: records, store: store, choice: choice)))
    }

    /// A copy of the records as they are on the disk; may be read on any thread.
    package var records: VenueRecords { box.withLock { $0.state.records } }

    /// The number of bytes that were written to the file of the records since it was opened.
    package var writtenByteCount: Int { box.withLock { $0.state.store.writtenByteCount } }

    /// Changes the records. Blocks until the change is on the disk; nothing is written if the records stay equal. Others wait meanwhile, so `change` must be
    /// brief: what needs arithmetic is for ``changeSlowly(_:)``.
    /// - Throws: The error of `change`, or `StorageError` if the disk cannot be written; the records then stay as
    ///   they were.
    package func change<Result: Sendable>(_ change: (inout VenueRecords) throws -> Result) throws -> Result {
        let outcome: Swift.Result<Result, any Error> = box.withLock { box in
            do {
                var records = box.state.records
                let result = try change(&records)
                try Self.put(records, into: &box.state)
                return .success(result)
            } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// How often ``changeSlowly(_:)`` begins anew before others have to wait.
    private static let attempts = 4

    /// Changes the records as ``change(_:)`` does, and lets others read and change them while `change` is on its way, which may take seconds; for a worker thread. If others have changed
    /// them meanwhile it is called again with what is there then, so it must do nothing else; the fifth time others wait.
    /// - Throws: The same.
    package func changeSlowly<Result: Sendable>(_ change: (inout VenueRecords) throws -> Result) throws -> Result {
        for _ in 0..<Self.attempts {
            let before = records
            var after = before
            let result = try change(&after)
            let wanted = after
            let isDone = try self.change { records in
                guard records == before else { return false }
                records = wanted
                return true
            }
            if isDone { return result }
        }
        return try self.change(change)
    }

    /// Writes the records once more if the older half of the file may have in the clear what is hidden by now; blocks. After a cut it is done at the next start.
    /// - Throws: `StorageError` if the disk cannot be written; then the file has what it had.
    package func clearTrace() throws { try change { $0.hasTrace = false } }

    private static func put(_ records: VenueRecords, into state: inout State) throws(StorageError) {
        guard records != state.records else { return }
        var records = records
        // A visit that was deleted or forgotten stays in the older half until that is written over, too.
        let kept = Set(records.diary.visits.map(\.number))
        let isLess = !records.hasTrace && state.records.diary.visits.contains { !kept.contains($0.number) }
        if isLess { records.hasTrace = true }
        let isChoice = records.hiding != state.records.hiding || records.isChoiceLost != state.records.isChoiceLost
        // The choice goes first: a cut in between must not lose it.
        if isChoice { try keep(records, in: state.choice) }
        // How far warnings were looked at changes each two hours, with nothing else: that is a block, and not all of the file.
        var others = records
        others.downloads = state.records.downloads
        do { try state.store.update(briefly: others == state.records) { write(records, into: &$0) } } catch {
            if isChoice { try? keep(state.records, in: state.choice) }
            throw error
        }
        state.records = records
        guard isLess else { return }
        records.hasTrace = false
        // After a cut, or if the disk refuses it, the next look for warnings does it.
        if (try? state.store.update { write(records, into: &$0) }) != nil { state.records = records }
    }

    /// Both halves of that file get the choice, so that one that is damaged loses nothing, and no former key stays.
    private static func keep(_ records: VenueRecords, in choice: KeyValueStore) throws(StorageError) {
        // Until the wearer has said what is meant, that it is not known is to be found at each start.
        guard !records.isChoiceLost else { return }
        try choice.update { values in
            let before = values
            values[Name.hiding] = records.hiding?.json
            values[Name.none] = records.hiding == nil ? true : nil
            if values != before { values[Name.twice] = nil }
        }
        // After a cut in between the next start does it.
        if choice.values[Name.twice] == nil { try choice.update { $0[Name.twice] = true } }
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
        values[Name.choiceLost] = records.isChoiceLost ? true : nil
        values[Name.trace] = records.hasTrace ? true : nil
        values[Name.turn] = nil
    }
}
