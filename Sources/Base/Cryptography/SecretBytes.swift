// SPDX-License-Identifier: Apache-2.0

import CConstantTime
import CMbedTLS

/// Key bytes that are wiped when the last reference goes, compared in constant time, and cannot be printed or encoded.
///
/// There is deliberately no property that returns the bytes: access is scoped by ``withBytes(_:)``. Neither `Codable` nor
/// `Hashable` is offered; `print`, string interpolation, `dump` and `Mirror` show the length only.
///
/// Immutable after creation, so it may be shared between threads.
public final class SecretBytes: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    // Written only before init returns and wiped in deinit, so sharing the address is safe.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// Makes `count` bytes (0 or more), zero at first, and lets `fill` write them. Throws only what `fill` throws; the bytes are wiped then.
    public init<Failure: Error>(
        count: Int, fillingWith fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        storage = .allocate(byteCount: count, alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        // A throwing fill still runs deinit: every stored property is set.
        try fill(storage)
    }

    /// A copy of `bytes`, any number of them. The caller's own copy stays the caller's to wipe. Cannot fail.
    public convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { buffer in buffer.copyBytes(from: bytes) }
    }

    /// Draws `count` bytes, 0 or more, from `generator`, which must be cryptographically secure. Cannot fail.
    public convenience init(count: Int, from generator: inout some RandomNumberGenerator) {
        self.init(count: count) { buffer in
            for index in buffer.indices { buffer[index] = .random(in: 0...255, using: &generator) }
        }
    }

    deinit {
        mbedtls_platform_zeroize(storage.baseAddress, storage.count)
        storage.deallocate()
    }

    /// Length in bytes, 0 or more; not secret.
    public var count: Int { storage.count }

    /// Gives `body` the bytes for the time of the call, and throws only what `body` throws. The pointer must not escape it.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(readOnly)
    }

    @usableFromInline var readOnly: UnsafeRawBufferPointer { UnsafeRawBufferPointer(storage) }

    /// A text for logs: the length only, never the bytes.
    public var description: String { "SecretBytes(\(count) bytes)" }
    /// The same as ``description``: debuggers see the length only.
    public var debugDescription: String { description }
    /// A mirror without children, so that `dump` shows nothing of the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes: Equatable {
    /// Compares in time that depends on the length only.
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        return vct_equal(left.storage.baseAddress, right.storage.baseAddress, left.count) == 1
    }
}
