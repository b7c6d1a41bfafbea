// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SandboxC
import TestKit

/// The real executables, where the test bundle is built.
enum Programs {
    static let folder: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
            URL(filePath: $0).deletingLastPathComponent().path
        }
        // Swift Testing may run inside a helper of the toolchain; the tree's own build folder is the other place to look.
        if let own, FileManager.default.isExecutableFile(atPath: own + "/vigil-jail") { return own }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return root.path + "/.build/debug"
    }()

    static func start(_ spawn: () -> Int32) throws {
        let error = spawn()
        guard error == 0 else {
            throw SceneProblem(description: "cannot start: \(String(cString: strerror(error)))")
        }
    }

    /// What a program says on its output.
    static func output(_ words: [String]) throws -> String {
        let pipe = try Pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe.write, 1)
        let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        var process: pid_t = 0
        try start { startProgram(&process, words[0], &actions, values) }
        pipe.closeWrite()
        defer { waitpid(process, nil, 0) }
        return try pipe.readAll(within: 20).joined(separator: "\n")
    }
}

struct SceneProblem: Error, CustomStringConvertible {
    let description: String
}

/// Runs `body` as a user without a capability: in a thread of user and group 65534 when this is root, otherwise as it is. To the kernel
/// credentials are a thread's own, so the rest of the test process keeps its.
func withoutPrivilege(_ body: @escaping () throws -> Void) throws {
    guard getuid() == 0 else { return try body() }
    final class Work {
        let body: () throws -> Void
        var problem: (any Error)?
        init(_ body: @escaping () throws -> Void) { self.body = body }
    }
    let work = Work {
        guard sandbox_thread_become_nobody() == 0 else { throw SceneProblem(description: "cannot become nobody") }
        try body()
    }
    var thread = pthread_t()
    let status = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            let work = Unmanaged<Work>.fromOpaque(argument).takeUnretainedValue()
            do { try work.body() } catch { work.problem = error }
            return nil
        }, Unmanaged.passUnretained(work).toOpaque())
    guard status == 0 else { throw SceneProblem(description: "no thread") }
    pthread_join(thread, nil)
    if let problem = work.problem { throw problem }
}
