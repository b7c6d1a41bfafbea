// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A disk of 16 MiB in a file, mounted, whose file system encrypts folders if asked to. What is found in the file is what
/// flash memory would give away. One thread at a time.
public final class DiskImage {
    /// The requirements for making one, in words: why tests with one are left out elsewhere.
    public static let needs = "needs root, loop devices, mkfs.ext4, and a kernel that encrypts folders"
    /// Whether this machine can make one with encrypted folders. Tried once, at the first use.
    public static let canEncrypt = DiskImage(encrypts: true) != nil

    private let folder: String
    /// The path at which it is mounted.
    public var mount: String { folder + "/mount" }
    private var image: String { folder + "/image" }

    /// Makes and mounts a file system of 16 MiB in a file below /tmp, with encryption of folders if `encrypts`. Needs root, loop devices and
    /// mkfs.ext4 (e2fsprogs); `nil` where one of them is missing or refuses. Unmounted and removed with the object.
    public init?(encrypts: Bool) {
        var path = Array("/tmp/vigil-disk.XXXXXX".utf8CString)
        guard geteuid() == 0, mkdtemp(&path) != nil else { return nil }
        folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let feature = encrypts ? "encrypt" : "^encrypt"
        guard Self.run("truncate -s 16M \(image) && mkfs.ext4 -q -O \(feature) \(image) && mkdir \(mount)"),
            Self.run("mount -o loop \(image) \(mount)")
        else { return nil }
    }

    deinit {
        _ = Self.run("umount \(mount)")
        _ = Self.run("rm -rf \(folder)")
    }

    private static func run(_ command: String) -> Bool { system("{ \(command); } >/dev/null 2>&1") == 0 }

    /// Unmounts and mounts again, as if the power had gone and come back: the kernel has no keys. False when that fails. Waits up to two minutes
    /// for whoever still has a file open there: the last of killed processes need a moment.
    public func restart() -> Bool {
        let unmount =
            "tries=0; until umount \(mount); do tries=$((tries + 1)); [ $tries -lt 1200 ] || exit 1; sleep 0.1; done"
        return Self.run("sync; \(unmount); mount -o loop \(image) \(mount)")
    }

    /// Searches the disk and gives the texts that are on it as UTF-8, in whatever block; empty if none is, `nil` if the
    /// disk cannot be searched. Each text has 1 to 4,095 bytes and no line break, which is not checked; of texts that
    /// overlap on the disk perhaps only one is found.
    ///
    /// What was written before this call counts: file systems are asked to write everything first.
    public func found(of texts: [String]) -> Set<String>? {
        guard let wanted = fopen("\(folder)/wanted", "w") else { return nil }
        let isWritten = fputs(texts.joined(separator: "\n"), wanted) >= 0
        guard fclose(wanted) == 0, isWritten, Self.run("sync; sync -f \(mount)") else { return nil }
        // In bytes: what stands before a text in a block is no text.
        let look = "LC_ALL=C grep --only-matching --text --fixed-strings --file=\(folder)/wanted \(image) | sort -u"
        guard system("\(look) > \(folder)/found") == 0, let found = fopen("\(folder)/found", "r") else { return nil }
        defer { fclose(found) }
        var texts: Set<String> = [], line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, 4_096, found) != nil {
            let bytes = line.prefix { $0 != 0 && $0 != 10 }
            texts.insert(String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return texts
    }

    /// Whether these bytes are on the disk, in whatever block; `nil` when it cannot be looked at, or for no bytes. What was written before this
    /// call counts.
    public func has(_ bytes: [UInt8]) -> Bool? {
        guard let first = bytes.first, Self.run("sync; sync -f \(mount)"), let file = fopen(image, "r") else { return nil }
        defer { fclose(file) }
        var disk = [UInt8](repeating: 0, count: 16 << 20)
        guard fread(&disk, 1, disk.count, file) == disk.count else { return nil }
        return disk.withUnsafeBytes { Self.has(bytes, beginningWith: first, in: $0) }
    }

    /// Whether `bytes`, of which `first` is the first, are somewhere in `disk`, up to its very end.
    static func has(_ bytes: [UInt8], beginningWith first: UInt8, in disk: UnsafeRawBufferPointer) -> Bool {
        guard var place = disk.baseAddress, bytes.count <= disk.count else { return false }
        let end = place + (disk.count - bytes.count + 1)
        while let next = memchr(place, Int32(first), end - place) {
            if memcmp(next, bytes, bytes.count) == 0 { return true }
            place = UnsafeRawPointer(next) + 1
        }
        return false
    }
}
