// SPDX-License-Identifier: Apache-2.0

import JSON

/// All successions of an authority in the order they were made, as one object that is published: a device that was away takes them one after the
/// other. JSON: `{"format": "vigil-successions-1", "successions": [FILE, …]}`, each file as text.
///
/// The list is not signed. Whoever leaves one out or changes the order can keep a device from following, as by publishing nothing.
public struct SuccessionList: Sendable, Hashable {
    /// Most bytes of a published list, inclusive; 256 KiB. Our own bound.
    public static let maximumByteCount = 256 << 10
    /// Most files of a list, inclusive. Our own bound.
    public static let maximumCount = 128

    /// The files, the oldest first, as text. In a list that was read each has at most ``Succession/maximumDeviceByteCount`` bytes; none is read
    /// itself.
    public let files: [String]

    /// A list of any files; ``bytes()`` says whether they can be published together.
    public init(files: [String]) { self.files = files }

    /// The object that is published; ends with a line end. Throws `malformedDocument` when there are more than ``maximumCount`` files or
    /// ``maximumByteCount`` bytes; how large each file is is not checked.
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

    /// Reads a list; throws `malformedDocument` for one of another form or beyond the bounds. The files are not looked at, except how large they
    /// are.
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
