// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// One run of the unzip program: its process and the pipe it writes to. Killed and waited for with this value, whatever happens.
final class UnzipChild {
    enum Role: String {
        case read
        case write
    }

    /// How it ended.
    enum End: Equatable {
        case status(Int32)
        case signal(Int32)
        /// Somebody else waited for it.
        case unknown
    }

    /// What it writes; reading never waits.
    private(set) var output: Int32
    private var child: vigil_child
    private(set) var end: End?

    /// Starts the program with `input` as its input, which stays the caller's.
    init(_ program: UnzipProgram, _ role: Role, input: Int32, limits: IntakeLimits) throws(IntakeFailure) {
        var pipe: [Int32] = [-1, -1]
        let made = vigil_result_pipe(&pipe, 256 << 10)
        guard made == 0 else { throw IntakeFailure(.programNotStarted, SystemCall.text(-made)) }
        var child = vigil_child(process: -1, descriptor: -1)
        let result = Self.spawn(program, role, input: input, output: pipe[1], limits, &child)
        close(pipe[1])
        guard result == 0, child.process > 1 else {
            close(pipe[0])
            let code: IntakeFailure.Code =
                [-ENOENT, -EACCES, -ENOEXEC].contains(result) ? .programMissing : .programNotStarted
            throw IntakeFailure(code, "\(program.path): \(SystemCall.text(-result))")
        }
        // Only now: what is made whole is ended when it goes, and there is nothing to end before.
        output = pipe[0]
        self.child = child
    }

    deinit {
        if output >= 0 { close(output) }
        if end == nil {
            kill()
            wait()
        }
        if child.descriptor >= 0 { close(child.descriptor) }
    }

    private static func spawn(
        _ program: UnzipProgram, _ role: Role, input: Int32, output: Int32, _ limits: IntakeLimits,
        _ child: inout vigil_child
    ) -> Int32 {
        let words = [UnzipProgram.name, role.rawValue] + (program.mayBeUnconfined ? ["--unconfined"] : [])
        let arguments = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var values = arguments.map { UnsafePointer<CChar>($0) } + [nil]
        return program.path.withCString { path in
            values.withUnsafeMutableBufferPointer { values in
                var request = vigil_spawn_request(
                    program: path, arguments: values.baseAddress, input: input, output: output,
                    address_space: limits.childMemoryBytes, cpu_seconds: limits.childSeconds)
                return vigil_spawn(&request, &child)
            }
        }
    }

    /// Readable once it has ended; `nil` when the kernel has no such descriptor.
    var endDescriptor: Int32? { child.descriptor >= 0 ? child.descriptor : nil }

    func kill() {
        // Not waited for yet, so the number is still its own.
        if end == nil { vigil_child_kill(&child) }
    }

    /// Closes the pipe: a program that still writes ends.
    func closeOutput() {
        if output >= 0 { close(output) }
        output = -1
    }

    /// Whether it has ended; never waits.
    func hasEnded() -> Bool { end != nil || wait(WNOHANG) }

    /// Waits until it has ended.
    func wait() { _ = end != nil || wait(0) }

    private func wait(_ options: Int32) -> Bool {
        while true {
            var status: Int32 = 0
            let result = waitpid(child.process, &status, options)
            if result == 0 { return false }
            if result < 0, errno == EINTR { continue }
            let signal = status & 0x7f
            end = result < 0 ? .unknown : signal == 0 ? .status(status >> 8 & 0xff) : .signal(signal)
            return true
        }
    }
}
