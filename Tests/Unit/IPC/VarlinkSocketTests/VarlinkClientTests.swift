// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import TestKit
import Testing
import Varlink
import VarlinkSocket

struct VarlinkClientTests {
    @Test func `It calls, streams, breaks off and tells errors`() throws {
        try serving(try Site()) { path in
            do {
                let client = try VarlinkClient(path: path, timeout: .seconds(20))
                #expect(try client.call("org.example.site1.Echo", ["word": "a"]) == ["word": "a"])
                struct Words: Codable, Equatable { var word: String }
                let words = try client.call("org.example.site1.Echo", Words(word: "é"), as: Words.self)
                #expect(words == Words(word: "é"))
                try client.callOneway("org.example.site1.Echo", ["word": "b"])
                #expect(try client.call("org.varlink.service.GetInfo")["product"] == "P")
                do {
                    _ = try client.call("org.example.site1.Echo", ["word": "wrong"])
                    Issue.record("no error")
                } catch let error as VarlinkSocketError {
                    #expect(error.code == .errorReply)
                    #expect(error.reply == Reply(error: "org.example.site1.Wrong", parameters: ["reason": "it is"]))
                    #expect(error.description.contains("org.example.site1.Wrong"))
                }
                var count = 0
                try client.callMore("org.example.site1.List", ["count": 50]) { _ in
                    count += 1
                    return true
                }
                #expect(count == 50)
                try client.callMore("org.example.site1.List", ["count": 50]) { _ in false }
                #expect(throws: VarlinkSocketError.self) { try client.call("org.varlink.service.GetInfo") }
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test func `Replies that nobody read answer no other call`() throws {
        struct Stop: Error {}
        try serving(try Site()) { path in
            do {
                let client = try VarlinkClient(path: path, timeout: .seconds(20))
                #expect(throws: Stop.self) {
                    try client.callMore("org.example.site1.List", ["count": 50]) { _ in throw Stop() }
                }
                #expect(failure { _ = try client.call("org.example.site1.Echo", ["word": "a"]) }?.code == .closed)
                // After the last reply there is nothing left to read.
                let other = try VarlinkClient(path: path, timeout: .seconds(20))
                var count = 0
                #expect(throws: Stop.self) {
                    try other.callMore("org.example.site1.List", ["count": 5]) { _ in
                        count += 1
                        if count == 5 { throw Stop() }
                        return true
                    }
                }
                #expect(try other.call("org.example.site1.Echo", ["word": "b"]) == ["word": "b"])
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    private func failure(_ body: () throws -> Void) -> VarlinkSocketError? {
        do {
            try body()
            return nil
        } catch {
            return error as? VarlinkSocketError
        }
    }

    @Test func `Each way of not getting through has its own advice`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        let missing = try #require(failure { _ = try VarlinkClient(path: path) })
        #expect(missing.code == .notThere)
        #expect(missing.description.contains("Start the service"))
        #expect(failure { _ = try VarlinkClient(path: String(repeating: "a", count: 108)) }?.code == .pathNotUsable)
        #expect(failure { _ = try VarlinkClient(path: "") }?.code == .pathNotUsable)

        // A socket file whose process is gone.
        let listener = try VarlinkListener(path: path)
        let copy = folder.path + "/file"
        #expect(link(path, copy) == 0)
        // Nobody accepts, nobody answers.
        let silent = try VarlinkClient(path: path, timeout: .milliseconds(50))
        let late = try #require(failure { _ = try silent.call("org.varlink.service.GetInfo") })
        #expect(late.code == .timedOut)
        withExtendedLifetime(listener) {}
    }

    @Test func `A listener that is gone is told apart from one that is silent`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        do {
            let listener = try VarlinkListener(path: path)
            #expect(link(path, folder.path + "/file") == 0)
            withExtendedLifetime(listener) {}
        }
        let gone = try #require(failure { _ = try VarlinkClient(path: folder.path + "/file") })
        #expect(gone.code == .nobodyListens)
        #expect(gone.description.contains("Start the service again"))
    }

    @Test func `A service that turns callers away is told apart`() throws {
        try serving(try Site(allowedUsers: [])) { path in
            do {
                let client = try VarlinkClient(path: path, timeout: .seconds(20))
                _ = try client.call("org.varlink.service.GetInfo")
                Issue.record("it was let in")
            } catch {
                #expect((error as? VarlinkSocketError)?.code == .notAllowed)
            }
        }
    }

    @Test func `Only a connected socket is used, and another one stays as it was`() throws {
        let folder = try TemporaryFolder()
        let listening = try VarlinkListener(path: folder.path + "/socket")
        var packets: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &packets) == 0)
        let wrong = [
            dup(listening.descriptor), socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0),
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), open("/dev/null", O_RDONLY),
        ]
        for descriptor in wrong + packets {
            #expect(failure { _ = try VarlinkClient(adopting: descriptor) }?.code == .notASocket)
            #expect(fcntl(descriptor, F_GETFD) == 0)
            close(descriptor)
        }
        for descriptor: Int32 in [-1, 0, 2] {
            #expect(failure { _ = try VarlinkClient(adopting: descriptor) }?.code == .notASocket)
        }
        #expect(fcntl(2, F_GETFD) >= 0)
    }

    @Test func `What a service sends is shown without its tricks`() throws {
        let tricks = "\u{1B}[2J\u{202E}\r\nforged" + String(repeating: "x", count: 5_000)
        let answers: [[UInt8]] = [
            Array(JSON.object(["error": "org.example.site1.Wrong", "parameters": ["reason": .string(tricks)]]).bytes),
            Array(
                JSON.object(["error": "org.varlink.service.PermissionDenied", "parameters": ["reason": .string(tricks)]])
                    .bytes),
        ]
        for answer in answers {
            var pair: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            defer { close(pair[1]) }
            let client = try VarlinkClient(adopting: pair[0], timeout: .seconds(60))
            let bytes = answer + [0]
            #expect(send(pair[1], bytes, bytes.count, 0) == bytes.count)
            let failure = try #require(failure { _ = try client.call("org.example.site1.Echo") })
            #expect(failure.code == .errorReply)
            #expect(failure.reply?.parameters["reason"] == .string(tricks))
            let shown = failure.description
            #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
            #expect(shown.unicodeScalars.count < 2_100)
        }
    }

    @Test func `What is not Varlink is told`() throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { close(pair[1]) }
        let client = try VarlinkClient(adopting: pair[0], timeout: .seconds(5))
        let answer: [UInt8] = Array(#"{"continues":true}"#.utf8) + [0]
        #expect(send(pair[1], answer, answer.count, 0) == answer.count)
        let failure = failure { _ = try client.call("org.varlink.service.GetInfo") }
        #expect(failure?.code == .notVarlink)
        #expect(failure?.cause?.code == .continuesWithoutMore)
    }
}

struct VarlinkListenerTests {
    private func code(_ body: () throws -> Void) -> VarlinkSocketError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? VarlinkSocketError)?.code
        }
    }

    @Test func `A socket has its mode, and goes with its listener`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        var status = stat()
        for mode: mode_t in [0o600, 0o660, 0o666] {
            let listener = try VarlinkListener(path: path, mode: mode)
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
            #expect(fcntl(listener.descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(listener.descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
        #expect(stat(path, &status) != 0)
    }

    @Test func `A live socket is left alone, a dead one replaced, anything else refused`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        do {
            let first = try VarlinkListener(path: path)
            #expect(code { _ = try VarlinkListener(path: path) } == .pathInUse)
            #expect(link(path, folder.path + "/file") == 0)
            withExtendedLifetime(first) {}
        }
        #expect(rename(folder.path + "/file", path) == 0)
        let second = try VarlinkListener(path: path)
        // Somebody else's file in its place is not taken along.
        unlink(path)
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        close(file)
        withExtendedLifetime(second) {}
        #expect(code { _ = try VarlinkListener(path: path) } == .pathNotUsable)
        #expect(code { _ = try VarlinkListener(path: "/nonexistent/socket") } == .pathNotUsable)
        #expect(code { _ = try VarlinkListener(path: String(repeating: "a", count: 108)) } == .pathNotUsable)
    }

    /// As a plugin that ends leaves the listener that the supervisor holds for the next one. Before Linux 6.16 no socket can refuse passed descriptors, and
    /// closing one took another way, which ended it for everybody.
    @Test(arguments: [false, true]) func `A listener that was taken over goes on without who took it over`(
        isOldKernel: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        let own = try VarlinkListener(path: path)
        for _ in 0..<3 {
            let adopted = try VarlinkListener(adopting: dup(own.descriptor))
            var takesRights: Int32 = 1
            // SO_PASSRIGHTS; where there is none the kernel is old by itself.
            if isOldKernel { setsockopt(own.descriptor, SOL_SOCKET, 83, &takesRights, socklen_t(MemoryLayout<Int32>.size)) }
            withExtendedLifetime(adopted) {}
        }
        let client = try VarlinkClient(path: path, timeout: .seconds(20))
        let accepted = accept(own.descriptor, nil, nil)
        #expect(accepted >= 0)
        close(accepted)
        withExtendedLifetime(client) {}
    }

    @Test func `Only listening sockets are adopted`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        let own = try VarlinkListener(path: path)
        let adopted = try VarlinkListener(adopting: dup(own.descriptor))
        #expect(adopted.descriptor != own.descriptor)
        let plain = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(plain) }
        #expect(code { _ = try VarlinkListener(adopting: plain) } == .notASocket)
        #expect(code { _ = try VarlinkListener(adopting: 0) } == .notASocket)
        #expect(code { _ = try VarlinkListener(adopting: -1) } == .notASocket)
    }
}
