// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A rolling proximity identifier (RPI): the 16 bytes a device is heard as for some ten minutes.
///
/// Not secret on the air, but a record of who was met: it is never printed.
public struct RollingProximityIdentifier: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let block: Block

    @inlinable public init(_ block: Block) { self.block = block }

    /// `nil` when `bytes` does not have 16 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let block = Block(bytes) else { return nil }
        self.block = block
    }

    public var bytes: [UInt8] { block.bytes }
    public var description: String { "RPI" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Associated encrypted metadata (AEM): four bytes that only the key's owner and its matchers can read.
public struct AssociatedEncryptedMetadata: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public static let byteCount = 4
    /// The four bytes as they lie in memory, read as a native integer.
    public let word: UInt32

    @inlinable public init(word: UInt32) { self.word = word }

    /// `nil` when `bytes` does not have four bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var word: UInt32 = 0
        withUnsafeMutableBytes(of: &word) { $0.copyBytes(from: bytes) }
        self.word = word
    }

    public var bytes: [UInt8] { withUnsafeBytes(of: word) { Array($0) } }
    public var description: String { "AEM" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
