// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A rolling proximity identifier (RPI): the 16 bytes that a device sends for about ten minutes.
///
/// It is no secret while it is sent, but a stored one tells who was met: it is never printed.
public struct RollingProximityIdentifier: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The 16 bytes in the order they are sent.
    public let block: Block

    /// Creates an identifier from 16 bytes; any values are allowed. Cannot fail.
    @inlinable public init(_ block: Block) { self.block = block }

    /// Creates an identifier from `bytes`; returns `nil` when there are not 16.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let block = Block(bytes) else { return nil }
        self.block = block
    }

    /// The 16 bytes in the order they are sent. They must not appear in logs.
    public var bytes: [UInt8] { block.bytes }
    /// A text for logs and debuggers: "RPI", and nothing of the identifier.
    public var description: String { "RPI" }
    /// Empty, so that `dump` and test failures show nothing of the identifier.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The associated encrypted metadata (AEM) of a beacon: four bytes that can be read only with the sender's key,
/// which others have once it is published.
public struct AssociatedEncryptedMetadata: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Length of the metadata in bytes (Bluetooth Specification 1.2, "Associated Encrypted Metadata").
    public static let byteCount = 4
    /// The four bytes as they lie in memory, read as a native integer.
    public let word: UInt32

    /// Creates metadata from four bytes, laid out as in ``word``; any values are allowed. Cannot fail.
    @inlinable public init(word: UInt32) { self.word = word }

    /// Creates metadata from `bytes`; returns `nil` when there are not four.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var word: UInt32 = 0
        withUnsafeMutableBytes(of: &word) { $0.copyBytes(from: bytes) }
        self.word = word
    }

    /// The four bytes in the order they are sent.
    public var bytes: [UInt8] { withUnsafeBytes(of: word) { Array($0) } }
    /// A text for logs and debuggers: "AEM", and nothing of the bytes.
    public var description: String { "AEM" }
    /// Empty, so that `dump` and test failures show nothing of the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
