// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// One direction of a connection: what was read and not yet taken by the other side. While something waits, nothing more is read, so that
/// the sender is slowed down and never more than one read is held.
struct Flow {
    /// Bytes read at once, and held at most.
    static let readSize = 32_768
    /// Reads in a row before the others get their turn.
    private static let readsInARow = 8

    private var held: [UInt8] = []
    private var start = 0
    /// The source has said all.
    private(set) var inputEnded = false
    /// The sink knows it.
    private(set) var isFinished = false

    var isBlocked: Bool { start < held.count }
    var heldCount: Int { held.count - start }
    var wantsInput: Bool { !inputEnded && !isBlocked }

    /// Puts bytes at the end of what waits.
    mutating func hold(_ bytes: some Collection<UInt8>) { held += bytes }

    struct Progress {
        /// Bytes that came in.
        var read = 0
        /// Whether anything moved at all.
        var isAny = false
        /// One of the sides is gone.
        var isBroken = false
    }

    /// Moves what can be moved without waiting.
    mutating func pump(from source: Int32, to sink: Int32, through buffer: UnsafeMutableRawBufferPointer) -> Progress {
        var progress = Progress()
        flush(to: sink, &progress)
        for _ in 0..<Self.readsInARow where wantsInput && !progress.isBroken {
            switch Socket.receive(source, buffer) {
            case .wait: return progress
            case .failed: progress.isBroken = true
            case .done(0):
                inputEnded = true
                flush(to: sink, &progress)
            case .done(let count):
                progress.read += count
                progress.isAny = true
                deliver(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: sink, &progress)
            }
        }
        return progress
    }

    /// Sends what waits, and the end behind it.
    mutating func flush(to sink: Int32, _ progress: inout Progress) {
        while isBlocked, !progress.isBroken {
            let outcome = held.withUnsafeBytes { Socket.send(sink, UnsafeRawBufferPointer(rebasing: $0[start...])) }
            switch outcome {
            case .wait: return
            case .failed: progress.isBroken = true
            case .done(let count):
                start += count
                progress.isAny = true
            }
        }
        if !isBlocked, !held.isEmpty {
            held = []
            start = 0
        }
        if inputEnded, !isFinished, !progress.isBroken {
            isFinished = true
            progress.isAny = true
            shutdown(sink, Int32(SHUT_WR))
        }
    }

    private mutating func deliver(_ bytes: UnsafeRawBufferPointer, to sink: Int32, _ progress: inout Progress) {
        var rest = bytes
        while !rest.isEmpty {
            switch Socket.send(sink, rest) {
            case .wait:
                held = Array(rest)
                start = 0
                return
            case .failed:
                progress.isBroken = true
                return
            case .done(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
