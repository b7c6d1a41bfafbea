// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import HCITransport

struct AdapterTests {
    /// Number 65,000 is nobody's adapter, so this disturbs none.
    @Test func `Without such an adapter it says which part is missing`() throws {
        let failure = try #require(openingFails(.userChannel(index: 65_000)))
        // What the kernel of this machine can really do decides which of the honest answers it must be.
        let probe = socket(31, Int32(SOCK_RAW.rawValue), 1)
        let error = errno
        if probe >= 0 { close(probe) }
        switch (probe >= 0, error) {
        case (true, _): #expect(failure.code == .notThere || failure.code == .noPermission)
        case (false, EPERM), (false, EACCES): #expect(failure.code == .noPermission)
        default:
            #expect(failure.code == .noKernelBluetooth)
            #expect(!failure.isWorthRetrying)
        }
    }

    @Test(arguments: [
        (EAFNOSUPPORT, TransportFailure.Code.noKernelBluetooth, "bluetooth"), (ENODEV, .notThere, "/sys/class/bluetooth"),
        (EPERM, .noPermission, "CAP_NET_ADMIN"), (EBUSY, .busy, "systemctl disable --now bluetooth"),
        (EUSERS, .busy, "vigil"),
        (ERFKILL, .blockedByRfkill, "rfkill unblock bluetooth"), (ETIMEDOUT, .system, "again"),
    ])
    func `Every answer of the kernel has its code and its advice`(error: Int32, code: TransportFailure.Code, advice: String)
    {
        let failure = TransportFailure.opening(.userChannel(index: 0), error)
        #expect(failure.code == code)
        #expect(failure.systemError == error)
        #expect(failure.description.contains(advice))
        #expect(failure.description.hasPrefix("hci:0: "))
    }

    /// What a user channel answers once its adapter is gone.
    @Test(arguments: [EPIPE, EBADFD, ENETDOWN, EIO, ENODEV]) func `An adapter that vanished is lost`(error: Int32) {
        #expect(TransportFailure.broken(.userChannel(index: 0), error).code == .lost)
        #expect(TransportFailure.broken(.userChannel(index: 0), error).isWorthRetrying)
    }

    @Test func `Failures are equal by code`() {
        #expect(TransportFailure.opening(.userChannel(index: 0), EBUSY) == .opening(.userChannel(index: 7), EUSERS))
        #expect(TransportFailure.opening(.userChannel(index: 0), EBUSY) != .opening(.userChannel(index: 0), EPERM))
    }
}

struct RadioSwitchTests {
    private func folder(_ switches: [(name: String, type: String, soft: String, hard: String)]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for entry in switches {
            try folder.write(entry.type + "\n", to: "\(entry.name)/type")
            try folder.write(entry.soft + "\n", to: "\(entry.name)/soft")
            try folder.write(entry.hard + "\n", to: "\(entry.name)/hard")
        }
        return folder
    }

    @Test(arguments: [("0", "0"), ("1", "0"), ("0", "1"), ("1", "1")]) func `Says which switch is off`(
        soft: String, hard: String
    ) throws {
        let folder = try folder([("rfkill0", "wlan", "1", "1"), ("rfkill1", "bluetooth", soft, hard)])
        let state = RadioSwitch(folder: folder.path)
        #expect(state.isSoftBlocked == (soft == "1") && state.isHardBlocked == (hard == "1"))
        let (why, advice) = state.sentence
        #expect(why.contains("hardware") == state.isHardBlocked)
        // Software is of no use against a switch alone.
        #expect(advice.contains("rfkill unblock bluetooth") == (state.isSoftBlocked || !state.isHardBlocked))
    }

    @Test func `Two switches count together; others, half a switch and no folder count nothing`() throws {
        let two = try folder([("rfkill0", "bluetooth", "1", "0"), ("rfkill7", "bluetooth", "0", "1")])
        #expect(RadioSwitch(folder: two.path) == RadioSwitch(soft: true, hard: true))
        let others = try folder([
            ("rfkill0", "wlan", "1", "1"), ("rfkill1", "nfc", "1", "1"), ("rfkill2", "bluetooth", "2", ""),
        ])
        try others.write("bluetooth\n", to: "rfkill3/type")
        try others.write("bluetooth\n", to: "stray")
        #expect(RadioSwitch(folder: others.path) == RadioSwitch(soft: false, hard: false))
        #expect(RadioSwitch(folder: "\(others.path)/none") == RadioSwitch(soft: false, hard: false))
    }
}
