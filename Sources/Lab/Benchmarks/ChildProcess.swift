// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc

/// Runs a real executable and reads the operating system's account of it.
enum ChildProcess {
    struct Account {
        let status: Int32
        let peakMiB: Double
        let processorSeconds: Double
    }

    /// The path of another program beside this one.
    static func siblingPath(_ name: String) throws -> String { try ProgramFolder.path() + "/" + name }

    /// Runs `path` with its output thrown away and waits for it.
    static func run(_ path: String, _ arguments: [String]) throws -> Account {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var values: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, path, &actions, nil, &values, environ) == 0 else {
            throw InputError(file: path, "cannot be started")
        }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0 {
            guard errno == EINTR else { throw InputError(file: path, "cannot be waited for") }
        }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return Account(
            status: status, peakMiB: Double(usage.ru_maxrss) / 1_024,
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    /// What `path` prints before it ends; `nil` when it cannot be started or fails. What it says about that is thrown away.
    static func output(_ path: String, _ arguments: [String]) -> String? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var values: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        let started = posix_spawn(&process, path, &actions, nil, &values, environ) == 0
        close(ends[1])
        guard started else { return nil }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(ends[0], &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            text += buffer.prefix(count)
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        return status == 0 ? String(decoding: text, as: UTF8.self) : nil
    }
}
