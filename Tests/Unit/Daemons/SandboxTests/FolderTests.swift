// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import TestKit
import Testing

@testable import Sandbox

/// Quotas of folders, and control groups.
@Suite(.serialized)
final class FolderTests {
    static let isRoot = getuid() == 0
    static let canMount: Bool = {
        let place = "/tmp/vigil-mount-\(Unique.name())"
        guard mkdir(place, 0o700) == 0 else { return false }
        defer { rmdir(place) }
        return mount("tmpfs", place, "tmpfs", 0, "size=64k") == 0 && umount(place) == 0
    }()
    private let folder = "/tmp/vigil-folder-\(Unique.name())"

    init() { mkdir(folder, 0o755) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ name: String, _ count: Int) throws {
        try Data(repeating: 1, count: count).write(to: URL(filePath: folder + "/" + name))
    }

    @Test func measuresWhatIsThereAndNothingBehindLinks() throws {
        let quota = FolderQuota(byteCount: 100_000, entryCount: 10)
        try write("a", 40_000)
        mkdir(folder + "/deeper", 0o755)
        try write("deeper/b", 40_000)
        symlink("/usr", folder + "/link")
        let usage = try #require(quota.measure(folder))
        #expect(usage.entryCount == 4)
        #expect(usage.isComplete)
        #expect((80_000...100_000).contains(usage.byteCount), "\(usage.byteCount)")
        #expect(!quota.isExceeded(by: usage))
        try write("c", 40_000)
        #expect(quota.isExceeded(by: try #require(quota.measure(folder))))
        #expect(quota.measure(folder + "/link") == nil)
        #expect(quota.measure(folder + "/nothing") == nil)
    }

    @Test func stopsAtManyEntriesAndAtDepth() throws {
        let quota = FolderQuota(byteCount: 1 << 30, entryCount: 50)
        for index in 0..<200 { try write("\(index)", 0) }
        let usage = try #require(quota.measure(folder))
        #expect(usage.entryCount == 51)
        #expect(!usage.isComplete)
        #expect(quota.isExceeded(by: usage))
        for index in 0..<200 { unlink("\(folder)/\(index)") }
        var deep = folder
        for _ in 0..<40 {
            deep += "/d"
            mkdir(deep, 0o755)
        }
        #expect(try #require(quota.measure(folder)).isComplete == false)
    }

    @Test func holesCountInFull() throws {
        let quota = FolderQuota(byteCount: 100_000)
        try write("holes", 10)
        truncate(folder + "/holes", 200_000)
        let usage = try #require(quota.measure(folder))
        #expect(usage.byteCount >= 200_000)
        #expect(quota.isExceeded(by: usage))
    }

    @Test func trimmingTakesWhatCameLast() throws {
        let quota = FolderQuota(byteCount: 100_000)
        mkdir(folder + "/deeper", 0o755)
        try write("first", 40_000)
        try write("deeper/second", 40_000)
        #expect(quota.trim(folder) == 0)
        waitForALaterFileTime()
        try write("deeper/third", 40_000)
        try write("fourth", 40_000)
        // It claims to be old.
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        utimensat(AT_FDCWD, folder + "/fourth", &times, 0)
        let outside = folder + "-outside"
        try Data(repeating: 1, count: 100).write(to: URL(filePath: outside))
        defer { unlink(outside) }
        symlink(outside, folder + "/link")
        #expect(quota.trim(folder) >= 2)
        #expect(access(folder + "/first", F_OK) == 0)
        #expect(access(folder + "/deeper/second", F_OK) == 0)
        #expect(access(folder + "/deeper/third", F_OK) != 0)
        #expect(access(folder + "/fourth", F_OK) != 0)
        #expect(access(outside, F_OK) == 0)
        #expect(!quota.isExceeded(by: try #require(quota.measure(folder))))
    }

    /// On a file system of its own: what other tests of the same user hide at the moment doesn't count.
    @Test(.enabled(if: canMount))
    func filesWithoutANameAreFound() throws {
        #expect(mount("tmpfs", folder, "tmpfs", 0, "size=1m") == 0)
        defer { umount2(folder, Int32(MNT_DETACH)) }
        let user = getuid()
        func hidden() -> UInt64 { HiddenFiles.measure(of: [user]).byteCount(of: user, on: folder) }
        #expect(hidden() == 0)
        let path = folder + "/hidden"
        try write("hidden", 50_000)
        let open = Glibc.open(path, O_RDWR | O_CLOEXEC)
        let twice = dup(open)
        unlink(path)
        #expect((50_000..<100_000).contains(hidden()))
        #expect(HiddenFiles.measure(of: [61_999]).byteCount(of: 61_999, on: folder) == 0)
        // Kept by a mapping alone.
        let page = mmap(nil, 4096, PROT_READ, MAP_SHARED, open, 0)
        close(open)
        close(twice)
        #expect((50_000..<100_000).contains(hidden()))
        munmap(page, 4096)
        // A child that another test has just forked has a copy of everything until it becomes its program.
        #expect(eventually { hidden() == 0 })
    }

    /// A library that an update has replaced is root's, though every program still has it mapped; what the program made itself is its own.
    @Test(.enabled(if: canMount))
    func onlyFilesOfTheProgramsOwnUserCountAgainstIt() throws {
        #expect(mount("tmpfs", folder, "tmpfs", 0, "size=4m") == 0)
        defer { umount2(folder, Int32(MNT_DETACH)) }
        let user: UInt32 = 61_501
        let (library, own) = (folder + "/libcrypto.so", folder + "/own")
        func hidden() -> UInt64 { HiddenFiles.measure(of: [user]).byteCount(of: user, on: folder) }
        let program = try Data(contentsOf: URL(filePath: "/bin/sleep"))
        for path in [library, own] {
            try ProgramFile.copy("/bin/sleep", to: path)
        }
        #expect(chown(own, user, user) == 0)
        // A program's executable is mapped as its libraries are.
        let others = try run(library, as: user)
        #expect(hidden() == 0)
        unlink(library)
        #expect(hidden() == 0, "what is root's is counted against the program")
        let its = try run(own, as: user)
        unlink(own)
        #expect((UInt64(program.count)..<UInt64(program.count) + 8_192).contains(hidden()), "\(hidden())")
        for process in [others, its] {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        #expect(hidden() == 0)
    }

    /// Runs a copy of `sleep` as `user`, until it is that program.
    private func run(_ path: String, as user: UInt32) throws -> pid_t {
        let words = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", path, "1000"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        try #require(posix_spawnp(&process, "setpriv", nil, nil, &arguments, environ) == 0, "setpriv is needed")
        var target = [CChar](repeating: 0, count: 4_096)
        let hasBegun = eventually {
            let count = readlink("/proc/\(process)/exe", &target, target.count)
            return count > 0 && String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
        }
        try #require(hasBegun)
        return process
    }

    @Test func theAlarmGoesOffOnceUntilItIsSetAgain() throws {
        let alarm = try #require(FolderAlarm())
        func rings() -> Bool {
            var entry = pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) > 0
        }
        mkdir(folder + "/deeper", 0o755)
        try write("deeper/a", 1)
        alarm.watch(folder)
        #expect(!rings())
        let file = open(folder + "/deeper/a", O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(Glibc.write(file, "x", 1) == 1)
        #expect(rings())
        alarm.take()
        for _ in 0..<100 { #expect(Glibc.write(file, "x", 1) == 1) }
        #expect(!rings())
        // A file that has lost its name is still written.
        unlink(folder + "/deeper/a")
        alarm.take()
        alarm.watch(folder)
        #expect(Glibc.write(file, "x", 1) == 1)
        #expect(rings())
    }

    @Test(.enabled(if: isRoot))
    func aSpoolInMemoryIsBounded() throws {
        let spool = try SpoolFolder.make(
            at: folder + "/spool", byteCount: 64 << 10, owner: .init(user: 61001, group: 61002))
        #expect(spool.kind == .memory)
        var status = stat()
        #expect(stat(spool.path, &status) == 0)
        #expect(status.st_uid == 61001 && status.st_gid == 61002 && status.st_mode & 0o7777 == 0o750)
        let file = open(spool.path + "/x", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 128 << 10)
        #expect(Glibc.write(file, block, block.count) == 64 << 10)
        #expect(Glibc.write(file, block, 1) == -1 && errno == ENOSPC)
        // Whoever has lost its name is still counted, and a neighbour has his own room.
        unlink(spool.path + "/x")
        let again = open(spool.path + "/y", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        #expect(Glibc.write(again, block, 1) == -1 && errno == ENOSPC)
        close(again)
        let other = try SpoolFolder.make(at: folder + "/other", byteCount: 0, owner: nil)
        #expect(other.kind == .memory)
        let small = open(other.path + "/x", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        #expect((1...65_536).contains(Glibc.write(small, block, block.count)))
        close(small)
        // Another size, and what lies in it stays. What has more in it cannot get less.
        #expect(throws: SandboxFailure.self) { try SpoolFolder.make(at: spool.path, byteCount: 4_096, owner: nil) }
        #expect(try SpoolFolder.make(at: spool.path, byteCount: 1 << 20, owner: nil).kind == .memory)
        #expect(access(spool.path + "/y", F_OK) == 0)
        #expect(stat(spool.path, &status) == 0 && status.st_uid == 61001 && status.st_mode & 0o7777 == 0o750)
        #expect(Glibc.write(file, block, block.count) == block.count)
        // No more files than that, and none of them for nothing.
        var count = 0
        while count < 2 * SpoolFolder.mostEntries {
            let next = open("\(spool.path)/\(count)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            if next < 0 { break }
            close(next)
            count += 1
        }
        #expect(count < SpoolFolder.mostEntries)
        #expect(
            !SpoolFolder.quota(byteCount: 1 << 20).isExceeded(
                by: try #require(SpoolFolder.quota(byteCount: 1 << 20).measure(spool.path))))
        for one in [spool, other] {
            one.remove()
            #expect(access(one.path, F_OK) != 0)
        }
    }

    @Test func findsItsPlaceInEitherVersion() {
        let one = ControlGroups.own(
            membership: "5:cpu,memory:/system.slice/vigil.service\n3:pids:/\n0::/\n",
            mounts: """
                30 25 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,cpu,memory
                31 25 0:27 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids

                """)
        #expect(one.places[.memory] == .init(version: .one, folder: "/sys/fs/cgroup/memory/system.slice/vigil.service"))
        #expect(one.places[.pids] == .init(version: .one, folder: "/sys/fs/cgroup/pids"))
        let none = ControlGroups.own(membership: "0::/x\n", mounts: "31 25 0:27 / /proc rw - proc proc rw\n")
        #expect(none.places.isEmpty)
        #expect(Set(none.missing.keys) == Set(ControlGroup.Controller.allCases))
        #expect(Set(none.missing.values) == ["no control groups are mounted"])
        // A container sees its own part as the root.
        let mount = ControlGroupMount(root: "/docker/a", point: "/sys/fs/cgroup", isUnified: true, controllers: [])
        #expect(mount.folder(of: "/docker/a/b") == "/sys/fs/cgroup/b")
        #expect(mount.folder(of: "/docker/ab") == nil)
        #expect(mount.folder(of: "/docker/a/../b") == nil)
    }

    /// Version 2 on a folder that looks like one: which files are asked and written, and what is said when they are not there.
    @Test func handsControllersDownInVersionTwo() throws {
        try Data("cpuset memory\n".utf8).write(to: URL(filePath: folder + "/cgroup.controllers"))
        try Data("".utf8).write(to: URL(filePath: folder + "/cgroup.subtree_control"))
        let groups = ControlGroups.own(
            membership: "0::/\n", mounts: "30 25 0:26 / \(folder) rw shared:9 - cgroup2 cgroup2 rw\n")
        #expect(groups.places[.memory] == .init(version: .two, folder: folder))
        #expect(groups.missing[.pids]?.contains("does not give it the controller pids") == true)
        #expect(readText(folder + "/cgroup.subtree_control") == "+memory")
        let group = groups.make("sync", memoryByteCount: 1 << 20, processCount: 4)
        #expect(group.memberships == [])
        #expect(group.missing[.memory]?.contains("memory.max") == true)
        #expect(access(folder + "/sync", F_OK) != 0)
    }

    /// What is above its quota is refused and not moved to a swap disk that everybody shares.
    @Test(arguments: ["memory.swap.max", "memory.memsw.limit_in_bytes"])
    func nothingOfAGroupIsSwapped(file: String) throws {
        let isUnified = file == "memory.swap.max"
        try Data("memory\n".utf8).write(to: URL(filePath: folder + "/cgroup.controllers"))
        try Data("memory\n".utf8).write(to: URL(filePath: folder + "/cgroup.subtree_control"))
        mkdir(folder + "/sync", 0o755)
        for name in [isUnified ? "memory.max" : "memory.limit_in_bytes", file] { try write("sync/" + name, 0) }
        let groups = ControlGroups.own(
            membership: isUnified ? "0::/\n" : "5:memory:/\n",
            mounts: "30 25 0:26 / \(folder) rw shared:9 - \(isUnified ? "cgroup2 cgroup2 rw" : "cgroup cgroup rw,memory")\n"
        )
        let group = groups.make("sync", memoryByteCount: 1 << 20, processCount: nil)
        #expect(group.memberships.count == 1)
        #expect(readText("\(folder)/sync/\(file)") == (isUnified ? "0" : "1048576"))
    }

    @Test(.enabled(if: isRoot))
    func makesAndRemovesGroupsHere() throws {
        let groups = ControlGroups.own()
        let name = "vigil-test-\(Unique.name())"
        let group = groups.make(name, memoryByteCount: 16 << 20, processCount: 4, processorWeight: 5)
        // Whatever this machine has is used, and what it does not have is said.
        #expect(group.memberships.count + group.missing.count == 3)
        if let shares = group.memberships.first(where: { $0.controller == .cpu })?.folder {
            #expect(readLine("\(shares)/cpu.shares") == "51" || readLine("\(shares)/cpu.weight") == "5")
        }
        for membership in group.memberships { #expect(access(membership.folder, F_OK) == 0) }
        if group.memberships.contains(where: { $0.controller == .memory }) {
            #expect(group.memoryByteCount != nil)
            #expect(group.memoryKillCount == 0)
        }
        #expect(group.remove())
        for membership in group.memberships { #expect(access(membership.folder, F_OK) != 0) }
    }
}
