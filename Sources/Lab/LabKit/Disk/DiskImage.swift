// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A mounted disk of 16 MiB in a file, whose file system can encrypt folders. The bytes of the file are what flash memory
/// would reveal. Use it on one thread at a time.
public final class DiskImage {
    /// The requirements for making a disk, in words that explain why tests are skipped on other machines.
    public static let needs = "needs root, loop devices, mkfs.ext4, and a kernel that encrypts folders"
    /// Whether this machine can make a disk with encrypted folders; tried once, at the first use.
    public static let canEncrypt = DiskImage(encrypts: true) != nil

    private let folder: String
    /// The path at which the disk is mounted.
    public var mount: String { folder + "/mount" }
    private var image: String { folder + "/image" }

    /// Makes and mounts a file system of 16 MiB in a file below /tmp, which can encrypt folders if `encrypts`. It is
    /// unmounted and removed together with the object. `nil` without root, loop devices or mkfs.ext4 (e2fsprogs), or if one
    /// of them fails.
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

    /// Unmounts the disk and mounts it again, as after a power failure: the kernel has no keys then. Returns whether that
    /// succeeded. Waits for up to two minutes while killed processes still have files open on it.
    public func restart() -> Bool {
        let unmount =
            "tries=0; until umount \(mount); do tries=$((tries + 1)); [ $tries -lt 1200 ] || exit 1; sleep 0.1; done"
        return Self.run("sync; \(unmount); mount -o loop \(image) \(mount)")
    }

    /// Returns those of `texts` that are on the disk as UTF-8, in any block; empty if none is, `nil` if the disk cannot be
    /// searched. Each text must have 1 to 4,095 bytes and no line break, which is not checked. Of texts that overlap on the
    /// disk perhaps only one is found. Everything written before this call is searched, since the file systems are asked to
    /// write it first.
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

    /// Returns whether these bytes are on the disk, in any block; `nil` if the disk cannot be searched, and for no bytes.
    /// Everything written before this call is searched.
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
