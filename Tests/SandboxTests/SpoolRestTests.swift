// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Sandbox

/// What is hidden in the spools, found without looking into processes.
@Suite struct SpoolRestTests {
    @Test func nobodyHasMoreThanIsHiddenNorThanItsGroupHolds() {
        let rest = SpoolRest(used: 900, named: 200)
        #expect(rest.byteCount == 700)
        #expect(rest.most(shared: 500, named: 100) == 400)
        #expect(rest.most(shared: 5_000, named: 100) == 700)
        #expect(rest.most(shared: 100, named: 500) == 0)
        #expect(rest.most(shared: nil, named: 0) == 0)
        #expect(SpoolRest(used: 100, named: 200).byteCount == 0)
        #expect(rest.most(shared: .max, named: 0) == 700)
    }

    @Test(
        arguments: [
            ("anon 1\nfile 2\nshmem 4096\nshmem_thp 9\n", 4096), ("shmem 0", 0), ("anon 1\n", nil), ("shmem x\n", nil),
            ("shmem_thp 9\n", nil), ("shmem -1\n", nil), ("shmem 18446744073709551615\n", 1 << 62), ("", nil),
        ] as [(String, UInt64?)])
    func readsWhatAGroupShares(text: String, count: UInt64?) { #expect(ControlGroup.shared(statistics: text) == count) }

    @Test(.enabled(if: FolderTests.canMount))
    func findsWhatHasNoName() throws {
        let folder = "/tmp/vigil-rest-\(UInt64.random(in: 0 ... .max))"
        try #require(mkdir(folder, 0o700) == 0)
        defer { rmdir(folder) }
        #expect(SpoolRest(measuring: folder) == nil, "it is no file system of its own")
        try #require(mount("tmpfs", folder, "tmpfs", 0, "size=1m") == 0)
        defer { umount2(folder, Int32(MNT_DETACH)) }
        mkdir("\(folder)/one", 0o700)
        let page = [UInt8](repeating: 1, count: 65_536)
        func file(_ name: String) -> Int32 {
            let file = open("\(folder)/one/\(name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #expect(write(file, page, page.count) == page.count)
            return file
        }
        func hidden() -> UInt64? { SpoolRest(measuring: folder)?.byteCount }
        let named = file("named")
        defer { close(named) }
        #expect(hidden() == 0)
        // Neither a second name nor a hole makes room for what has none.
        #expect(link("\(folder)/one/named", "\(folder)/one/again") == 0)
        let hole = open("\(folder)/one/hole", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(hole) }
        #expect(ftruncate(hole, 500_000) == 0)
        let nameless = file("nameless")
        #expect(unlink("\(folder)/one/nameless") == 0)
        #expect(hidden() == 65_536)
        close(nameless)
        // A child that another test has just forked has a copy of everything until it becomes its program.
        for _ in 0..<6_000 {
            if !(hidden() != 0) { break }
            usleep(10_000)
        }
        #expect(hidden() == 0)
    }
}
