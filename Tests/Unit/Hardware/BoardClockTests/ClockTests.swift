// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing
import TimeTrust

@testable import BoardClock

struct BoardClockTests {
    @Test func `The boot clock runs and is the kernel's`() throws {
        let first = BoardClock.boot()
        usleep(20_000)
        let second = BoardClock.boot()
        #expect(second.nanoseconds - first.nanoseconds >= 20_000_000)
        var text = [UInt8](repeating: 0, count: 64)
        let file = try #require(fopen("/proc/uptime", "r"))
        defer { fclose(file) }
        let count = fread(&text, 1, text.count, file)
        let uptime = try #require(Double(String(decoding: text.prefix(count).prefix { $0 != 0x20 }, as: UTF8.self)))
        #expect(abs(uptime - Double(BoardClock.boot().nanoseconds) / 1e9) < 60)
    }

    @Test func `The boot has the kernel's identity`() throws {
        let folder = try TemporaryFolder()
        try folder.write("0123abcd-4567-89ef-fedc-ba9876543210\n", to: "boot_id")
        #expect(
            BoardClock.bootIdentity(file: "\(folder.path)/boot_id")
                == BootIdentity(high: 0x0123_abcd_4567_89ef, low: 0xfedc_ba98_7654_3210))
        #expect(BoardClock.bootIdentity() == BoardClock.bootIdentity())
        #expect(BoardClock.bootIdentity() != BoardClock.bootIdentity(file: "\(folder.path)/none"))
    }

    @Test(arguments: [
        "", "\n", "0123abcd-4567-89ef-fedc-ba987654321", "0123abcd-4567-89ef-fedc-ba98765432100",
        "0123abcd-4567-89ef-fedc-ba987654321g",
        "0123abcd04567089ef0fedc0ba9876543210", "+123abcd-4567-89ef-fedc-ba9876543210",
        "0123abcd-4567-89ef-fedc-ba9876543210\n\n",
    ])
    func `An unknown boot is no other process's boot, and the same for this one`(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "boot_id")
        let identity = BoardClock.bootIdentity(file: "\(folder.path)/boot_id")
        #expect(identity == BoardClock.bootIdentity(file: "\(folder.path)/none"))
        #expect(identity != BoardClock.bootIdentity())
        #expect(identity != BootIdentity(high: 0, low: 0))
    }
}

struct ClockChipTests {
    @Test func `Gives the chip's time, and none without a chip`() throws {
        let folder = try TemporaryFolder()
        #expect(try ClockChip.read(folder: folder.path) == nil)
        #expect(try ClockChip.read(folder: "\(folder.path)/rtc0") == nil)
        try folder.write("1795255200\n", to: "since_epoch")
        let expected = TrustedTime.PlausibleReading(.clockChip, UnixTime(seconds: 1_795_255_200), uncertainty: .seconds(1))
        #expect(try ClockChip.read(folder: folder.path) == expected)
    }

    @Test(arguments: [
        "", "\n", "1795255200", "-5\n", "1e9\n", "99999999999999999999\n", "1795255200 \n",
        String(repeating: "1", count: 99),
    ])
    func `A chip that is there and gives no time says so`(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "since_epoch")
        #expect(code { _ = try ClockChip.read(folder: folder.path) } == .clockChipUnreadable)
    }

    @Test func `This machine's own chip is read or absent`() throws {
        let reading = try ClockChip.read()
        #expect((reading != nil) == (access("/sys/class/rtc/rtc0/since_epoch", F_OK) == 0))
    }
}

struct KernelClockTests {
    private let time = UnixTime(seconds: 1_795_255_200)

    private func judge(_ status: Int32, _ state: Int32, _ error: Int64 = 12_345) -> TrustedTime.PlausibleReading? {
        KernelClock.judge(status: status, state: state, maximumErrorMicroseconds: error, time: time)
    }

    /// Status words as chrony, ntpd and systemd-timesyncd leave them: PLL, FLL, NANO, PPS.
    @Test(arguments: [0x0001, 0x2001, 0x0009, 0x2000, 0x2107] as [Int32]) func `A synchronised clock is the network's`(
        status: Int32
    ) {
        // TIME_OK, and a leap second announced or done.
        for state: Int32 in [0, 1, 2, 4] {
            #expect(judge(status, state) == .init(.network, time, uncertainty: .microseconds(12_345)))
        }
        // TIME_OOP: this second is shown twice.
        #expect(judge(status, 3) == .init(.network, time, uncertainty: .microseconds(1_012_345)))
    }

    @Test func `An unsynchronised clock is nobody's`() {
        #expect(judge(0x0040, 0) == nil)
        #expect(judge(0x2041, 5) == nil)
        #expect(judge(0x2001, 5) == nil)
        #expect(judge(0x1001, 0) == nil)
        #expect(judge(0x2001, 6) == nil && judge(0x2001, -1) == nil)
        #expect(judge(0x2001, 0, -1) == nil)
    }

    @Test func `This machine's kernel answers about its own clock`() throws {
        let before = BoardClock.system()
        guard let reading = try KernelClock.read() else { return }
        #expect(reading.source == .network)
        #expect(before <= reading.time && reading.time <= BoardClock.system())
    }
}
