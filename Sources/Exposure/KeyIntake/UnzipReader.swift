// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeyExport
import KeyStream
import SystemCalls

/// One file on its way through the unzip program, a slice at a time, without ever waiting.
final class UnzipReader {
    enum Step: Equatable {
        /// Bytes came; there may be more.
        case moved
        /// There is nothing to read now; wait for ``descriptor``.
        case waiting
        /// All of it came, and the program has ended well.
        case finished
    }

    private let child: UnzipChild
    private let name: String?
    private let mayBeUnconfined: Bool
    private let buffer: UnsafeMutableRawBufferPointer
    private var decoder = KeyStreamDecoder()
    private var isAtEnd = false
    private(set) var confinement: Confinement?

    /// Starts the program on the open file `input`; `name` is what failures call it.
    convenience init(input: Int32, name: String?, _ program: UnzipProgram, limits: IntakeLimits) throws(IntakeFailure) {
        do throws(IntakeFailure) {
            self.init(try UnzipChild(program, .read, input: input, limits: limits), program, limits: limits, name: name)
        } catch {
            throw IntakeFailure(error.code, file: name, error.detail)
        }
    }

    /// Reads what a program says that was started already.
    init(_ child: UnzipChild, _ program: UnzipProgram, limits: IntakeLimits, name: String? = nil) {
        self.child = child
        self.name = name
        mayBeUnconfined = program.mayBeUnconfined
        let size = min(max(limits.sliceByteCount, 4_096), KeyStreamFrame.maximumContentBytes)
        buffer = .allocate(byteCount: size, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Readable when there is something to do; `nil` when only the kernel without pidfd knows.
    var descriptor: Int32? { isAtEnd ? child.endDescriptor : child.output }

    /// Takes what came, a slice at most. Throws ``IntakeFailure`` or what `body` throws; then ``abandon()`` it.
    func step(_ body: (KeyStreamEvent) throws -> Void) throws -> Step {
        if isAtEnd { return try checkEnd() }
        let count = read(child.output, buffer.baseAddress, buffer.count)
        if count < 0 {
            let error = errno
            if error == EAGAIN || error == EINTR { return .waiting }
            throw IntakeFailure(.programDied, file: name, SystemCall.text(error))
        }
        if count == 0 {
            child.closeOutput()
            isAtEnd = true
            return try checkEnd()
        }
        do {
            try decoder.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { event in
                if case .hello(let level) = event {
                    confinement = level
                    guard level != .none || mayBeUnconfined else { throw IntakeFailure(.notConfined, file: name) }
                }
                try body(event)
            }
        } catch let error as KeyStreamError {
            throw IntakeFailure(error, file: name)
        }
        return .moved
    }

    /// Ends the program without waiting for its end.
    func abandon() {
        child.kill()
        child.closeOutput()
        isAtEnd = true
    }

    /// Whether the abandoned program is gone; waits only on kernels that cannot tell.
    func isGone() -> Bool {
        if child.endDescriptor == nil { child.wait() }
        return child.hasEnded()
    }

    private func checkEnd() throws(IntakeFailure) -> Step {
        // Its end of the pipe is closed, so its end is near.
        if child.endDescriptor == nil { child.wait() }
        guard child.hasEnded() else { return .waiting }
        if case .signal(let number) = child.end {
            throw number == SIGSYS
                ? IntakeFailure(.confinementViolated, file: name)
                : IntakeFailure(.programDied, file: name, "killed by signal \(number)")
        }
        do throws(KeyStreamError) { try decoder.checkEnd() } catch { throw IntakeFailure(error, file: name) }
        guard child.end == .status(0) || child.end == .unknown else {
            throw IntakeFailure(.programMisbehaved, file: name, "it ended with an error after a whole file")
        }
        return .finished
    }
}
