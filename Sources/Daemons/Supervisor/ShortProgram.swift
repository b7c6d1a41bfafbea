// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program of the system's that the supervisor has run for a moment, without a shell and without waiting for it. It gets the words as
/// they are configured and nothing of anybody else's.
final class ShortProgram {
    enum End: Equatable { case well, badly(String) }

    static let timeout = Duration.seconds(20)
    /// How often it is looked after.
    static let pause = Duration.milliseconds(50)

    private var process: pid_t = 0
    private let until: Duration
    private let name: String

    /// Throws when it cannot be started.
    init(_ words: [String], at now: Duration) throws {
        name = words.first ?? ""
        until = now + Self.timeout
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The supervisor takes its signals from a descriptor; its children take theirs as usual.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in 0..<2 { posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0) }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [
            strdup("PATH=/usr/sbin:/usr/bin:/sbin:/bin"), strdup("LANG=C.UTF-8"), nil,
        ]
        defer { for value in environment { free(value) } }
        let result = posix_spawnp(&process, name, &actions, &attributes, &arguments, &environment)
        guard result == 0 else {
            throw SupervisorFailure("\(name) cannot be started: \(String(cString: strerror(result)))")
        }
    }

    deinit {
        guard process > 0 else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// How it ended; `nil` while it runs. Ends it when it takes too long.
    func end(at now: Duration) -> End? {
        var status: Int32 = 0
        guard waitpid(process, &status, WNOHANG) == 0 else {
            process = 0
            guard status & 0x7F == 0 else { return .badly("\(name) was ended by signal \(status & 0x7F)") }
            let code = status >> 8 & 0xFF
            return code == 0 ? .well : .badly("\(name) ended with status \(code)")
        }
        guard now >= until else { return nil }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        process = 0
        return .badly("\(name) took longer than \(Self.timeout.components.seconds) s and was ended")
    }
}
