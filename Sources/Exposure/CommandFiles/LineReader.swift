// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A problem with a file that a person gave to a command: where it is, what is wrong, and what would be right.
public struct InputError: Error, CustomStringConvertible, Equatable {
    /// The path as the person gave it, or the option with which it was given.
    public let file: String
    /// The number of the line, from 1; 0 when the problem is about the whole file.
    public let line: Int
    /// The end of a sentence about the file: what is wrong, and what would be right.
    public let message: String

    /// Creates a problem of `file` at a line, from 1; 0 stands for the whole file. Cannot fail.
    public init(file: String, line: Int = 0, _ message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// A line for the person at the terminal, with file, line and message; it may quote the file's content.
    public var description: String { line == 0 ? "\(file): \(message)" : "\(file), line \(line): \(message)" }

    /// The reason the system gave for the last failed call.
    static func system(_ file: String, _ action: String) -> InputError {
        InputError(file: file, "cannot \(action): \(String(cString: strerror(errno)))")
    }
}

/// Reads a text file line by line with memory for one line. Not thread-safe; one owner.
struct LineReader: ~Copyable {
    // A line of the formats here has under 100 characters.
    static let maximumLineBytes = 4_096
    private static let bufferBytes = 64 << 10

    let path: String
    private let descriptor: Int32
    private let chunk: UnsafeMutableRawBufferPointer
    private var buffer: [UInt8] = []
    private var position = 0
    private var reachedEnd = false
    private(set) var line = 0

    // In two steps: Swift 6.2.3 cannot compile an initializer that fails before it has given every property its value.
    init(path: String) throws(InputError) {
        self.init(path: path, descriptor: try Self.opened(path))
    }

    private static func opened(_ path: String) throws(InputError) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputError.system(path, "open it") }
        return descriptor
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
        chunk = .allocate(byteCount: Self.bufferBytes, alignment: 16)
        buffer.reserveCapacity(2 * Self.bufferBytes)
    }

    deinit {
        close(descriptor)
        chunk.deallocate()
    }

    /// The next line without its end (LF or CRLF), or `nil` at the end of the file.
    mutating func next() throws(InputError) -> ArraySlice<UInt8>? {
        while true {
            if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return try take(buffer[position..<end])
            }
            guard buffer.count - position <= Self.maximumLineBytes else {
                throw InputError(file: path, line: line + 1, "longer than \(Self.maximumLineBytes) bytes")
            }
            if reachedEnd {
                guard position < buffer.count else { return nil }
                defer { position = buffer.count }
                return try take(buffer[position...])
            }
            try fill()
        }
    }

    private mutating func take(_ text: ArraySlice<UInt8>) throws(InputError) -> ArraySlice<UInt8> {
        line += 1
        guard text.count <= Self.maximumLineBytes else {
            throw InputError(file: path, line: line, "longer than \(Self.maximumLineBytes) bytes")
        }
        return text.last == UInt8(ascii: "\r") ? text.dropLast() : text
    }

    private mutating func fill() throws(InputError) {
        buffer.removeFirst(position)
        position = 0
        var count: Int
        repeat { count = read(descriptor, chunk.baseAddress, chunk.count) } while count < 0 && errno == EINTR
        guard count >= 0 else { throw InputError.system(path, "read it") }
        buffer.append(contentsOf: chunk[..<count])
        reachedEnd = count == 0
    }
}
