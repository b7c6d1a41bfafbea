// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Supervisor

/// What a plugin has left behind goes, whatever it called it.
@Suite final class EmptyingTests {
    private let folder: String
    private var state: String { folder + "/state" }

    init() throws {
        var path = Array("/tmp/vigil-emptying.XXXXXX".utf8CString)
        try #require(mkdtemp(&path) != nil)
        folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        mkdir(state, 0o700)
    }

    deinit {
        try? Folders.empty(folder)
        rmdir(folder)
    }

    private func put(_ path: String) throws { try Folders.replace(path, with: [1], mode: 0o600) }

    /// Each of these was once brought up under a name that the plugin had taken already.
    @Test(arguments: [1, 40])
    func namesThatThePluginChoseKeepNothing(count: Int) throws {
        for number in 1...count {
            mkdir("\(state)/.forgotten-\(number)", 0o700)
            for inner in 1..<count {
                mkdir("\(state)/.forgotten-\(number)/\(inner)", 0o700)
                try put("\(state)/.forgotten-\(number)/\(inner)/x")
            }
            try put("\(state)/.forgotten-\(number)/x")
        }
        try Folders.empty(state)
        #expect(Folders.names(state).isEmpty && access(state, F_OK) == 0)
    }

    /// A name is bytes: what is no text is a name as well.
    @Test func namesThatAreNoTextGo() throws {
        let top = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(top) }
        let odd: [CChar] = [-1, -2, 0]
        close(openat(top, odd, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        mkdirat(top, [-1, 0], 0o700)
        let inner = openat(top, [-1, 0], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        mkdirat(inner, odd, 0o700)
        close(openat(inner, [120, -61, 0], O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        close(inner)
        try Folders.empty(state)
        #expect(Folders.names(state).isEmpty)
    }

    @Test func manyAndDeepAndClosedFoldersGo() throws {
        for number in 0..<6_000 { mkdir("\(state)/\(number)", 0o700) }
        var inner = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let name = String(repeating: "d", count: 200)
        for _ in 0..<2_000 {
            mkdirat(inner, name, 0o700)
            close(openat(inner, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            let next = openat(inner, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            close(inner)
            inner = next
        }
        close(inner)
        mkdir("\(state)/closed", 0o700)
        try put("\(state)/closed/x")
        chmod("\(state)/closed", 0)
        try Folders.empty(state)
        #expect(Folders.names(state).isEmpty)
    }
}
