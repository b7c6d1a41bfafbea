// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import DiagnosisPlan
import Glibc
import JSON
package import PluginKit
import Synchronization

/// The book of tests, on disk before anybody acts on a change. The loop and the worker both use it; neither waits for more than one write.
package final class BookKeeper: Sendable {
    /// Bytes of the store: the book, the seed, and what JSON adds.
    package static let storeBytes = 2 * TestBook.maximumBytes

    private struct State {
        var book: TestBook
        let store: KeyValueStore
    }

    /// The store goes nowhere else.
    private struct Box: @unchecked Sendable { var state: State }

    private let box: Mutex<Box>
    /// For the slots: secret, and for ever the same.
    package let seed: SecretBytes

    /// Takes over `store`. A book that cannot be read is begun anew, and `wasDamaged` says so: what was not sent by then is lost, and the
    /// wearer has the codes.
    package init(_ store: KeyValueStore, using random: inout some RandomNumberGenerator) throws {
        let kept: JSON? = store.value("book")
        let known = kept.flatMap { try? TestBook(bytes: $0.bytes) }
        wasDamaged = kept != nil && known == nil
        if let text: String = store.value("seed"), let bytes = Base64.bytes(text), bytes.count == Self.seedBytes {
            seed = SecretBytes(copying: bytes)
        } else {
            seed = SecretBytes(count: Self.seedBytes, from: &random)
            try store.set(seed.withBytes { Base64.string(Array($0)) }, for: "seed")
        }
        box = Mutex(Box(state: State(book: known ?? TestBook(), store: store)))
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

    package var book: TestBook { box.withLock { $0.state.book } }

    /// Changes the book. When it returns, the change is on the disk; when it throws, nothing has changed.
    package func change<Result: Sendable>(_ change: (inout TestBook) throws -> Result) throws -> Result {
        let outcome: Swift.Result<Result, any Error> = box.withLock { box in
            do {
                var book = box.state.book
                let result = try change(&book)
                if book != box.state.book {
                    try box.state.store.set(try JSON(parsing: book.bytes()), for: "book")
                    box.state.book = book
                }
                return .success(result)
            } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
