// SPDX-License-Identifier: Apache-2.0

import JSON

/// The list of all successions of an authority, in the order in which they were made, as one published object. A
/// device that was away applies them one after the other. JSON: `{"format": "vigil-successions-1", "successions":
/// [FILE, …]}`, each file as text.
///
/// The list is not signed. A publisher that leaves out a succession or changes the order can stop a device from
/// following the changes, as by publishing nothing.
public struct SuccessionList: Sendable, Hashable {
    /// The maximum size of a published list in bytes, inclusive; 256 KiB. The number is this project's own.
    public static let maximumByteCount = 256 << 10
    /// The maximum number of files in a list, inclusive. The number is this project's own.
    public static let maximumCount = 128

    /// The files as text, oldest first. In a list that was read, each has at most
    /// ``Succession/maximumDeviceByteCount`` bytes; the files themselves are not read.
    public let files: [String]

    /// Creates a list of any files; ``bytes()`` checks whether they can be published together.
    public init(files: [String]) { self.files = files }

    /// Returns the object to be published, which ends with a line feed. Throws `malformedDocument` when there are
    /// more than ``maximumCount`` files or ``maximumByteCount`` bytes; the size of each file is not checked.
    public func bytes() throws(TrustError) -> [UInt8] {
        guard files.count <= Self.maximumCount else {
            throw TrustError(.malformedDocument, "more than \(Self.maximumCount) successions")
        }
        let written: JSON = ["format": .string(Self.format), "successions": .array(files.map { .string($0) })]
        let bytes = written.bytes
        guard bytes.count < Self.maximumByteCount else {
            throw TrustError(.malformedDocument, "a list larger than \(Self.maximumByteCount) bytes")
        }
        return bytes + [UInt8(ascii: "\n")]
    }

    /// Reads a list. Throws `malformedDocument` when it has another form or exceeds a limit. Of the files only the
    /// size is checked.
    public init(parsing bytes: [UInt8]) throws(TrustError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw TrustError(.malformedDocument, "a list larger than \(Self.maximumByteCount) bytes")
        }
        guard let json = try? JSON(parsing: bytes, maximumDepth: 4), json["format"]?.string == Self.format,
            let list = json["successions"]?.array
        else { throw TrustError(.malformedDocument, "no list of the format \(Self.format)") }
        guard list.count <= Self.maximumCount else {
            throw TrustError(.malformedDocument, "more than \(Self.maximumCount) successions")
        }
        let files = list.compactMap(\.string)
        guard files.count == list.count, files.allSatisfy({ $0.utf8.count <= Succession.maximumDeviceByteCount }) else {
            throw TrustError(
                .malformedDocument, "a succession that is no text of at most \(Succession.maximumDeviceByteCount) bytes")
        }
        self.files = files
    }

    private static let format = "vigil-successions-1"
}
