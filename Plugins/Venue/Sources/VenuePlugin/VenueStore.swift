// SPDX-License-Identifier: Apache-2.0

import JSON
package import PluginKit
import Synchronization
package import VenuePlan

/// The diary, on disk before anybody is told of a change. The loop and the worker may both use it; neither waits for more than one write.
///
/// The store must be sealed: whoever reads it knows where somebody has been.
package final class DiaryStore: Sendable {
    /// Bytes of the store: the diary, and what JSON adds around it.
    package static let storeBytes = VisitDiary.maximumBytes + 1_024

    private struct State {
        var diary: VisitDiary
        let store: KeyValueStore
    }

    /// The store goes nowhere else.
    private struct Box: @unchecked Sendable { var state: State }

    private let box: Mutex<Box>

    /// Whether there was a diary that could not be read: it was begun anew, and the wearer has to be told that visits are lost.
    package let wasDamaged: Bool

    private static let name = "visits"

    /// Takes over `store`, which the plugin kit opened with the plugin's own seal.
    package init(_ store: KeyValueStore) {
        let kept = store.values[Self.name]
        let known = kept.flatMap { try? VisitDiary($0) }
        // A store that was set aside as a whole counts its own damage; one that was read holds something else than a diary.
        wasDamaged = kept != nil && known == nil
        box = Mutex(Box(state: State(diary: known ?? VisitDiary(), store: store)))
    }

    package var diary: VisitDiary { box.withLock { $0.state.diary } }

    /// Changes the diary. When it returns, the change is on the disk; when it throws, nothing has changed.
    package func change<Result: Sendable>(_ change: (inout VisitDiary) throws -> Result) throws -> Result {
        let outcome: Swift.Result<Result, any Error> = box.withLock { box in
            do {
                var diary = box.state.diary
                let result = try change(&diary)
                if diary != box.state.diary {
                    let json = diary.json
                    try box.state.store.update { $0[Self.name] = json }
                    box.state.diary = diary
                }
                return .success(result)
            } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
