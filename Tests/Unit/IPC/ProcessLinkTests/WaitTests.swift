// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
import Testing

@Suite struct `Waiting for one descriptor` {
    private func pair() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        return ends
    }

    @Test func `It ends when something can be read, and when the other end is gone`() throws {
        let ends = try pair()
        defer { close(ends[0]) }
        #expect(write(ends[1], [1], 1) == 1)
        #expect(SystemCall.waitToRead(ends[0], for: .seconds(60)))
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 1)
        close(ends[1])
        #expect(SystemCall.waitToRead(ends[0], for: .seconds(60)))
    }

    @Test func `Without anything it is over when the time has passed, not before`() throws {
        let ends = try pair()
        defer { for end in ends { close(end) } }
        let began = SystemCall.monotonicTime()
        #expect(!SystemCall.waitToRead(ends[0], for: .microseconds(2_300)))
        #expect(SystemCall.monotonicTime() - began >= .microseconds(2_300))
        #expect(!SystemCall.waitToRead(ends[0], for: .zero))
        #expect(SystemCall.wait(ends[1], Int16(POLLOUT), for: .zero))
    }
}
