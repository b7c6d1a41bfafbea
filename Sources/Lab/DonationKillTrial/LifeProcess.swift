// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process that plays a life, as the judge sees it: it is asked, and at some time it is dead. Used by one thread.
final class LifeProcess {
    private let number: pid_t
    private var lines: LifeLines
    private var isOver = false

    /// Starts `program` with `arguments`. Throws ``KilledDonationsFailure`` if it cannot be started.
    init(_ program: String, _ arguments: [String]) throws(KilledDonationsFailure) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw KilledDonationsFailure("no socket: \(String(cString: strerror(errno)))")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...1 { posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor) }
        var words: [UnsafeMutablePointer<CChar>?] = (["vigil-lab"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, program, &actions, nil, &words, environ)
        close(ends[1])
        guard status == 0 else {
            close(ends[0])
            throw KilledDonationsFailure("\(program) cannot be started: \(String(cString: strerror(status)))")
        }
        number = process
        lines = LifeLines(input: ends[0], output: ends[0])
    }

    deinit {
        kill()
        close(lines.input)
    }

    /// The words of its answer; `nil` if it is dead. Throws ``KilledDonationsFailure`` if it says nothing for a minute.
    func ask(_ words: [String]) throws(KilledDonationsFailure) -> [String]? {
        lines.say(words)
        return try lines.next()
    }

    /// Asks, and kills it after so many microseconds, wherever it is then. An answer that was given before counts.
    func ask(_ words: [String], killingAfter microseconds: UInt32) throws(KilledDonationsFailure) -> [String]? {
        lines.say(words)
        // The moment of the cut, and no wait for anything.
        usleep(microseconds)
        kill()
        return try lines.next()
    }

    /// Has it die at its step `number` from now, after it or before.
    func aim(_ number: Int, isAfter: Bool) throws(KilledDonationsFailure) {
        _ = try ask(["aim", "\(number)", isAfter ? "after" : "before"])
    }

    /// Kills it and waits until it is gone. Without effect on one that is.
    func kill() {
        guard !isOver else { return }
        isOver = true
        Glibc.kill(number, SIGKILL)
        while waitpid(number, nil, 0) < 0, errno == EINTR {}
    }
}
