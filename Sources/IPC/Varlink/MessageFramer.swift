// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Splits a stream of bytes into messages, each of which is JSON followed by a NUL, no matter how the bytes are divided on
/// arrival.
///
/// Holds at most one message of maximum length with its NUL; the caller keeps further bytes until there is ``room``. Every
/// byte is searched for the NUL one time, and overwritten with zeros when its message has been taken.
public struct MessageFramer: Sendable {
    /// The length of the longest message in bytes, without its NUL. systemd accepts 16 MiB; messages here are far shorter,
    /// and the memory for a board's connections must stay small.
    public static let maximumMessageByteCount = 65_536

    private var storage: [UInt8] = []
    private var start = 0
    private var scanned = 0
    private var end = 0

    /// Creates a framer without bytes, which uses no memory until it receives some.
    public init() {}

    /// The number of received bytes of messages that have not been taken, including NULs; 0 to ``maximumMessageByteCount``
    /// plus one.
    public var pendingByteCount: Int { end - start }

    /// The number of bytes that can be received now; 0 when the framer is full, until a message is taken.
    public var room: Int { Self.maximumMessageByteCount + 1 - pendingByteCount }

    /// Accepts as many of the bytes as there is ``room`` for, and returns how many. Cannot fail.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(bytes.count, room)
        guard count > 0 else { return 0 }
        makeRoom(for: count)
        storage.withUnsafeMutableBytes { storage in
            UnsafeMutableRawBufferPointer(rebasing: storage[end...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        end += count
        return count
    }

    /// Returns the next message, parsed; `nil` if it has not arrived completely. Throws `messageTooLong` above
    /// ``maximumMessageByteCount``, and `json` if the message is not JSON. After an error the stream cannot be read any
    /// further.
    public mutating func next() throws(VarlinkError) -> JSON? {
        guard let length = scan() else {
            guard pendingByteCount <= Self.maximumMessageByteCount else {
                throw VarlinkError(.messageTooLong, "at most \(Self.maximumMessageByteCount) bytes")
            }
            return nil
        }
        let parsed: Result<JSON, JSONError>
        do throws(JSONError) {
            parsed = .success(try JSON(parsing: storage[start..<(start + length)]))
        } catch {
            parsed = .failure(error)
        }
        wipe(start..<(start + length))
        start += length + 1
        scanned = start
        if start == end { (start, scanned, end) = (0, 0, 0) }
        do throws(JSONError) { return try parsed.get() } catch { throw VarlinkError(error) }
    }

    /// Returns whether the beginning of a message has arrived, but not its end. Searches bytes that ``next()`` would
    /// search.
    public mutating func hasUnfinishedMessage() -> Bool { pendingByteCount > 0 && scan() == nil }

    /// Whether nothing is left of what was received; for tests.
    var isWiped: Bool { storage.allSatisfy { $0 == 0 } }

    /// Overwrites all received bytes with zeros and discards them; the framer is then like a new one. Cannot fail.
    public mutating func removeAll() {
        wipe(0..<storage.count)
        self = Self()
    }

    /// Length of the first message, if its NUL is there.
    private mutating func scan() -> Int? {
        let found = storage.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[scanned..<end]).firstIndex(of: 0)
        }
        guard let found else {
            scanned = end
            return nil
        }
        // A found NUL stays unscanned, so that it is found again.
        scanned += found
        return scanned - start
    }

    private mutating func makeRoom(for count: Int) {
        guard end + count > storage.count else { return }
        let needed = pendingByteCount + count
        if needed <= storage.count {
            // What is moved down leaves a copy behind.
            storage.withUnsafeMutableBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: bytes[..<(end - start)]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
            wipe((end - start)..<end)
        } else {
            var size = max(1024, storage.count)
            while size < needed { size *= 2 }
            var larger = [UInt8](repeating: 0, count: min(size, Self.maximumMessageByteCount + 1))
            larger.replaceSubrange(0..<pendingByteCount, with: storage[start..<end])
            wipe(start..<end)
            storage = larger
        }
        scanned -= start
        end -= start
        start = 0
    }

    private mutating func wipe(_ range: Range<Int>) {
        storage.withUnsafeMutableBytes { bytes in
            for index in range { bytes[index] = 0 }
        }
    }
}
