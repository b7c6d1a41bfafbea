// SPDX-License-Identifier: Apache-2.0

import CConstantTime
import CMbedTLS

/// Secret bytes, such as a key, that are wiped when the last reference is released, compared in constant time, and cannot
/// be printed or encoded.
///
/// There is deliberately no property that returns the bytes: they can be read inside ``withBytes(_:)`` only. The type is
/// neither `Codable` nor `Hashable`; `print`, string interpolation, `dump` and `Mirror` show at most the length.
///
/// Immutable after creation, so it may be shared between threads.
public final class SecretBytes: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    // Written only before init returns and wiped in deinit, so sharing the address is safe.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// Allocates `count` zero bytes (0 or more) and lets `fill` write them. Throws only what `fill` throws; the bytes are
    /// wiped in that case.
    public init<Failure: Error>(
        count: Int, fillingWith fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        storage = .allocate(byteCount: count, alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        // A throwing fill still runs deinit: every stored property is set.
        try fill(storage)
    }

    /// Copies `bytes`, which may be empty. The caller still has to wipe the original. Cannot fail.
    public convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { buffer in buffer.copyBytes(from: bytes) }
    }

    /// Draws `count` random bytes (0 or more) from `generator`, which must be cryptographically secure. Cannot fail.
    public convenience init(count: Int, from generator: inout some RandomNumberGenerator) {
        self.init(count: count) { buffer in
            for index in buffer.indices { buffer[index] = .random(in: 0...255, using: &generator) }
        }
    }

    deinit {
        mbedtls_platform_zeroize(storage.baseAddress, storage.count)
        storage.deallocate()
    }

    /// The length in bytes, 0 or more; it is not secret.
    public var count: Int { storage.count }

    /// Calls `body` with the bytes. The pointer is valid during the call only. Throws only what `body` throws.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(readOnly)
    }

    @usableFromInline var readOnly: UnsafeRawBufferPointer { UnsafeRawBufferPointer(storage) }

    /// A text for logs with the length, never the bytes.
    public var description: String { "SecretBytes(\(count) bytes)" }
    /// The same as ``description``, so that debuggers show the length only.
    public var debugDescription: String { description }
    /// A mirror without children, so that `dump` shows nothing of the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes: Equatable {
    /// Returns whether both have the same bytes, in a time that depends on the length only.
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        return vct_equal(left.storage.baseAddress, right.storage.baseAddress, left.count) == 1
    }
}
