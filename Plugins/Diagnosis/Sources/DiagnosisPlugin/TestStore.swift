// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import DiagnosisPlan
import Glibc
import JSON
package import PluginKit
import Synchronization

/// The registry of tests, on disk before anybody acts on a change. The loop and the worker both use it; neither waits for more than one write.
package final class TestStore: Sendable {
    /// The most bytes of the store: twice the registry's limit, for the seed and what JSON in JSON adds.
    package static let storeBytes = 2 * TestRegistry.maximumBytes

    /// Bytes of a slot of the store's file, which is of constant size: eight tests and one warning that waits. With more it grows, for ever.
    package static let slotBytes = 12 << 10

    private struct State {
        var registry: TestRegistry
        let store: KeyValueStore
    }

    /// The store goes nowhere else.
    private struct Box: @unchecked Sendable { var state: State }

    private let box: Mutex<Box>
    /// What the slots are drawn from: 32 secret bytes, the same for as long as the store exists.
    package let seed: SecretBytes

    /// Takes over `store`. A registry that cannot be read is begun anew, and `wasDamaged` says so: what was not sent by then is lost, and the
    /// wearer has the codes.
    /// - Throws: `StorageError` if a new seed cannot be stored.
    package init(_ store: KeyValueStore, using random: inout some RandomNumberGenerator) throws {
        let kept: JSON? = store.value("tests")
        let known = kept.flatMap { try? TestRegistry(bytes: $0.bytes) }
        wasDamaged = kept != nil && known == nil
        if let text: String = store.value("seed"), let bytes = Base64.bytes(text), bytes.count == Self.seedBytes {
            seed = SecretBytes(copying: bytes)
        } else {
            seed = SecretBytes(count: Self.seedBytes, from: &random)
            try store.set(seed.withBytes { Base64.string(Array($0)) }, for: "seed")
        }
        box = Mutex(Box(state: State(registry: known ?? TestRegistry(), store: store)))
    }

    let wasDamaged: Bool

    /// Since when there are rehearsals here, Unix seconds: from the first one on always the same.
    func rehearsalOrigin() throws -> Int64 {
        let now = Int64(time(nil))
        let origin: Result<Int64, any Error> = box.withLock { box in
            Result {
                if let kept: Int64 = box.state.store.value("rehearsalSince"), kept <= now { return kept }
                try box.state.store.set(now, for: "rehearsalSince")
                return now
            }
        }
        return try origin.get()
    }

    private static let seedBytes = 32

    /// A copy of the registry as it is on the disk; may be asked on any thread.
    package var registry: TestRegistry { box.withLock { $0.state.registry } }

    /// How often the file was written.
    package var writeCount: Int { box.withLock { $0.state.store.writeCount } }

    /// Bytes that were written since the store was opened.
    package var writtenByteCount: Int { box.withLock { $0.state.store.writtenByteCount } }

    /// Writes the registry as it is, where a change might have been: whoever watches the disk cannot tell which it was.
    package func rewrite(isOfStep: Bool = false) throws { try change(isOfStep: isOfStep) { _ in } }

    /// Changes the registry. When it returns, it is on the disk, whether anything has changed or not; when it throws, nothing has changed.
    ///
    /// - Parameters:
    ///   - isLater: Whether the disk may have it with the next change that follows at once.
    ///   - isOfStep: Whether it belongs to a step of a slot: those write one block each, what follows a slot and what the wearer does a whole slot of the
    ///     file. A step changes a few fields; one that changes more than a block holds writes as much as the others do.
    package func change<Result: Sendable>(
        isLater: Bool = false, isOfStep: Bool = false, _ change: (inout TestRegistry) throws -> Result
    ) throws -> Result {
        let outcome: Swift.Result<Result, any Error> = box.withLock { box in
            do {
                var registry = box.state.registry
                let result = try change(&registry)
                if !isLater {
                    try box.state.store.set(try JSON(parsing: registry.bytes()), for: "tests", briefly: isOfStep)
                }
                box.state.registry = registry
                return .success(result)
            } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
