// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Cuts a stream of bytes into messages, each JSON followed by one NUL, however the bytes arrive.
///
/// Holds at most one longest message with its NUL; who has more bytes keeps them until ``room`` says otherwise. Every byte is
/// looked at once for the NUL, and is overwritten with zeros once its message is taken.
public struct MessageFramer: Sendable {
    /// Longest message in bytes, without its NUL. systemd takes 16 MiB; whatever travels here fits in far less, and memory for the connections of a
    /// board must stay small.
    public static let maximumMessageByteCount = 65_536

    private var storage: [UInt8] = []
    private var start = 0
    private var scanned = 0
    private var end = 0

    /// A framer that received nothing yet; takes no memory until something is.
    public init() {}

    /// The number of bytes of messages that were received and not taken yet, their NULs included; 0 to ``maximumMessageByteCount`` and one.
    public var pendingByteCount: Int { end - start }

    /// The number of bytes that can be received now, 0 or more; 0 when it is full, until a message is taken.
    public var room: Int { Self.maximumMessageByteCount + 1 - pendingByteCount }

    /// Takes as many of the bytes as there is ``room`` for, and says how many. Cannot fail.
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

    /// The next message, parsed; `nil` when it has not arrived as a whole. Throws `messageTooLong`, or `json` with the rule that was broken. After an
    /// error the stream cannot be read on.
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

    /// Whether a message has begun whose end has not arrived. Looks at bytes that ``next()`` would look at.
    public mutating func hasUnfinishedMessage() -> Bool { pendingByteCount > 0 && scan() == nil }

    /// Whether nothing is left of what was received; for tests.
    var isWiped: Bool { storage.allSatisfy { $0 == 0 } }

    /// Overwrites everything received with zeros and forgets it; the framer is as new. Cannot fail.
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
