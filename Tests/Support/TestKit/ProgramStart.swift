// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// Starts a program as `posix_spawnp` does, and returns what that returns. The program begins with no signal blocked or
/// ignored.
///
/// Tests run on threads that block almost every signal, and a program inherits what the thread that starts it blocks. A mosquitto or
/// a Python script that was started so never hears SIGTERM, and whoever stops it waits until its patience is over.
/// And a shell makes what it runs in the background ignore SIGINT, and so does all that this starts.
public func startProgram(
    _ process: UnsafeMutablePointer<pid_t>, _ path: String, _ actions: UnsafePointer<posix_spawn_file_actions_t>?,
    _ words: [UnsafeMutablePointer<CChar>?], _ environment: [UnsafeMutablePointer<CChar>?]? = nil
) -> Int32 {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    guard let environment else { return posix_spawnp(process, path, actions, &attributes, words, environ) }
    return posix_spawnp(process, path, actions, &attributes, words, environment)
}
