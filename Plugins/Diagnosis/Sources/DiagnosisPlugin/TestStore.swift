// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import DiagnosisPlan
import Glibc
import JSON
package import PluginKit
import Synchronization

/// The registry of tests, which is on disk before a change has an effect. May be used on any thread; a caller waits for at
/// most one write of another.
package final class TestStore: Sendable {
    /// The most bytes of the store: twice the registry's limit, which leaves room for the seed and for JSON inside JSON.
    package static let storeBytes = 2 * TestRegistry.maximumBytes

    /// The number of bytes of a slot of the store's file: enough for eight tests and one waiting warning. The file grows if
    /// they need more, and never shrinks.
    package static let slotBytes = 12 << 10

    private struct State {
        var registry: TestRegistry
        let store: KeyValueStore
    }

    /// The store goes nowhere else.
    private struct Box: @unchecked Sendable { var state: State }

    private let box: Mutex<Box>
    /// The seed of the slot schedule: 32 secret bytes, the same for as long as the store exists.
    package let seed: SecretBytes

    /// Creates the registry from `store`. If the stored registry cannot be read, an empty one replaces it, and `wasDamaged`
    /// is `true`: warnings that were not sent by then are lost, and the wearer has to enter the codes again.
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

    /// A copy of the registry as it is on the disk; may be read on any thread.
    package var registry: TestRegistry { box.withLock { $0.state.registry } }

    /// The number of times that the file was written since the store was opened.
    package var writeCount: Int { box.withLock { $0.state.store.writeCount } }

    /// The number of bytes written since the store was opened.
    package var writtenByteCount: Int { box.withLock { $0.state.store.writtenByteCount } }

    /// Writes the registry unchanged, where a change might have been: anyone who watches the disk cannot tell the two
    /// apart.
    /// - Parameter isOfStep: As for ``change(isLater:isOfStep:_:)``.
    /// - Throws: `StorageError` if the disk cannot be written.
    package func rewrite(isOfStep: Bool = false) throws { try change(isOfStep: isOfStep) { _ in } }

    /// Changes the registry, and writes it to disk whether it has changed or not. Blocks until it is on the disk.
    ///
    /// - Parameters:
    ///   - isLater: Whether writing may be left to the next change, which must follow at once.
    ///   - isOfStep: Whether the change belongs to a step of a slot. A step writes one block; what follows a slot, and what
    ///     the wearer does, writes a whole slot of the file. A step whose change does not fit into a block writes a whole
    ///     slot, too.
    /// - Throws: The error of `change`, or `StorageError` if the disk cannot be written; the registry then stays as it was.
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
