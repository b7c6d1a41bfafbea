// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// Runs a program to its end, however long that takes, and returns its exit status (-1 for a signal) and what it wrote to standard output, as UTF-8.
/// Standard error is the test's own. Throws `SystemError` when it cannot be started.
public func runProgram(_ path: String, _ words: [String]) throws -> (status: Int32, output: String) {
    let folder = try TemporaryFolder()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, folder.file("output"), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let values: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) } + [nil]
    defer { for value in values { free(value) } }
    var process: pid_t = 0
    let number = startProgram(&process, path, &actions, values)
    guard number == 0 else { throw SystemError(number: number) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { throw SystemError(number: errno) } }
    return (status & 0x7F == 0 ? status >> 8 & 0xFF : -1, folder.read("output"))
}
