// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Sandbox

/// What the kernel is asked to keep. That it keeps it is shown on a kernel that can: `Tools/test-vm.sh`, scenario `quota`.
@Suite struct DiskQuotaTests {
    @Test func oneLimitForAllFoldersOfAFileSystem() {
        let state = FolderQuota(byteCount: 65_536), spool = FolderQuota(byteCount: 1_048_576, entryCount: 10)
        #expect(DiskQuota(for: [state]).byteCount == 65_536 + DiskQuota.slack)
        #expect(DiskQuota(for: [state]).fileCount == 10_001)
        #expect(DiskQuota(for: [state, spool]).byteCount == 65_536 + 1_048_576 + 2 * DiskQuota.slack)
        #expect(DiskQuota(for: [state, spool]).fileCount == 10_012)
    }

    /// 0 is no limit to the kernel, and it counts by KiB.
    @Test(arguments: [0, 1, 1023, 1024, 1 << 40, UInt64(Int64.max), .max]) func isNeverNoLimit(_ count: UInt64) {
        for folders in [
            [], [FolderQuota(byteCount: count)], [FolderQuota](repeating: FolderQuota(byteCount: count), count: 64),
        ] {
            let quota = DiskQuota(for: folders)
            #expect(quota.byteCount >= 1024 && quota.byteCount % 1024 == 0 && quota.byteCount < 1 << 63)
            #expect(quota.fileCount > (folders.isEmpty ? 0 : 10_000))
        }
        let most = DiskQuota(for: [FolderQuota](repeating: FolderQuota(byteCount: count, entryCount: .max), count: 64))
        #expect(most.fileCount == 1 << 62)
    }

    @Test func aShareOfTheProcessorIsOneThatTheKernelTakes() {
        for (weight, one, two) in [
            (Int.min, "10", "1"), (0, "10", "1"), (1, "10", "1"), (100, "1024", "100"), (10_000, "102400", "10000"),
            (.max, "102400", "10000"),
        ] {
            #expect(ControlGroups.processorLimit(weight, .one) == one)
            #expect(ControlGroups.processorLimit(weight, .two) == two)
            #expect(ControlGroups.processorLimit(weight, nil) == two)
        }
    }

    @Test func whereNothingKeepsItThatIsSaid() {
        let quota = DiskQuota(for: [FolderQuota(byteCount: 65_536)])
        // Nothing of the kernel's own memory has quotas, and the call comes to nothing before it could.
        let part = quota.keep(for: 61_998, on: "/proc")
        #expect(part.primitive == .diskQuota && part.state == .missing && part.level == nil)
        #expect(part.reason.contains("/proc") || part.reason.contains("CAP_SYS_ADMIN"), "\(part.reason)")
        #expect(quota.keep(for: 61_998, on: "/nowhere").state == .missing)
        #expect(quota.keep(for: 61_998, on: "/proc/self/exe").state == .missing)
    }

    @Test(arguments: [
        ("Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t0000000000080000\n", true),
        ("CapEff:\t000001ffffffffff\n", true), ("CapEff:\t000001fffff7ffff\n", false),
        ("CapEff:\t0000000000000000\n", false),
        ("CapPrm:\t0000000000080000\n", false), ("CapEff:\tzzz\n", false), ("CapEff:\n", false),
        ("CapEff:\t-80000\n", false), ("CapEff:\tfffffffffffffffffffffffffffffffff\n", false), ("", false),
    ])
    func knowsWhetherItMayLook(status: String, answer: Bool) { #expect(HiddenFiles.mayLook(status: status) == answer) }
}
