// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeyExport
import KeyStream
import SystemCalls

/// Packs export.bin and export.sig into the zip archive that is published, through the confined unzip program.
public enum ConfinedArchive {
    /// Returns the archive's bytes; equal input results in equal bytes. Blocks the calling thread until the program
    /// has ended. The program gets three times the size of `exportBin` in addition to ``IntakeLimits/childMemoryBytes``
    /// of `limits`.
    ///
    /// - Throws: ``KeyExportError`` when the program refuses the input, for example `entryTooLarge` when export.bin
    ///   is above ``ExportLimits/maximumExportBytes``; ``IntakeFailure`` when the program is at fault, `stalled` when
    ///   it takes nothing for ``IntakeLimits/stallTime`` although it is sent something, or is then silent for
    ///   ``IntakeLimits/fileTime``.
    public static func archive(
        exportBin: [UInt8], exportSig: [UInt8], program: UnzipProgram, limits: IntakeLimits = .standard
    ) throws -> [UInt8] {
        var limits = limits
        // The program holds both what it packs and what it packed.
        limits.childMemoryBytes += 3 * UInt64(exportBin.count)
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw IntakeFailure(.programNotStarted, SystemCall.text(errno))
        }
        var input = pair[0]
        defer { if input >= 0 { close(input) } }
        let child: UnzipChild
        do throws(IntakeFailure) {
            child = try UnzipChild(program, .write, input: pair[1], limits: limits)
        } catch {
            close(pair[1])
            throw error
        }
        close(pair[1])
        let (seconds, attoseconds) = limits.stallTime.components
        var patience = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        setsockopt(input, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        // It takes everything before it answers, but for a greeting the pipe holds.
        let isTaken =
            send(KeyStreamFrame.hello(.none), to: input)
            && send(KeyStreamFrame.opening(contentByteCount: UInt64(exportBin.count), companion: exportSig), to: input)
            && sendContent(exportBin, to: input) && send(KeyStreamFrame.end, to: input)
        let isStalled = !isTaken && errno == EAGAIN
        close(input)
        input = -1
        guard !isStalled else { throw IntakeFailure(.stalled) }
        let zip = try collect(child, program, limits)
        guard isTaken else { throw IntakeFailure(.programDied) }
        return zip
    }

    private static func sendContent(_ bytes: [UInt8], to socket: Int32) -> Bool {
        let most = KeyStreamFrame.maximumContentBytes
        return stride(from: 0, to: bytes.count, by: most).allSatisfy { start in
            let end = min(start + most, bytes.count)
            return send(KeyStreamFrame.head(.content, byteCount: end - start) + bytes[start..<end], to: socket)
        }
    }

    private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var total = 0
            while total < bytes.count {
                let count = Glibc.send(socket, bytes.baseAddress! + total, bytes.count - total, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                total += count
            }
            return true
        }
    }

    private static func collect(_ child: UnzipChild, _ program: UnzipProgram, _ limits: IntakeLimits) throws -> [UInt8] {
        let reader = UnzipReader(child, program, limits: limits)
        var zip: [UInt8] = []
        while true {
            let step = try reader.step { event in
                switch event {
                case .content(let bytes): zip += bytes
                case .failure(let error): throw error
                case .hello, .opening, .end: break
                }
            }
            if step == .finished { return zip }
            guard step == .waiting, let descriptor = reader.descriptor else { continue }
            guard SystemCall.waitToRead(descriptor, for: limits.fileTime) else { throw IntakeFailure(.stalled) }
        }
    }
}
