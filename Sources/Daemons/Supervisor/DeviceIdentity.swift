// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a device file is, apart from its name: names are given in the order in which devices turn up, and can be given anew.
struct DeviceIdentity: Equatable, CustomStringConvertible {
    /// Why no plugin gets what stands at a path.
    struct Fault: Error, Equatable, CustomStringConvertible {
        let description: String

        init(_ path: String, _ why: String) { description = "\(path) \(why)" }
    }

    let major: UInt32
    let minor: UInt32
    /// Where the kernel has it, below `/sys/devices`: the same chip, or the same socket of USB, at each start. Empty where the kernel does not say.
    let place: String

    var description: String { "\(major):\(minor)\(place.isEmpty ? "" : " \(place)")" }

    init(major: UInt32, minor: UInt32, place: String) {
        (self.major, self.minor, self.place) = (major, minor, place)
    }

    /// What ``description`` says; `nil` for anything else.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        let numbers = (words.first ?? "").split(separator: ":").compactMap { UInt32($0) }
        guard numbers.count == 2 else { return nil }
        self.init(major: numbers[0], minor: numbers[1], place: words.count > 1 ? String(words[1]) : "")
    }

    /// Looks at what stands at `path`. No link is followed, in no part of it.
    ///
    /// - Parameter kernel: The folder in which the kernel tells of devices: `/sys`.
    init(at path: String, kernel: String = "/sys") throws(Fault) {
        // O_PATH of fcntl.h, which Swift does not import: opening a device can be an order to it, looking is none.
        let onlyName: Int32 = 0o10000000
        var descriptor = open("/", onlyName | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        for part in path.split(separator: "/") {
            guard part != "..", part != "." else { throw Fault(path, "is no path of a device") }
            let next = openat(descriptor, String(part), onlyName | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw Fault(path, "is not there: \(String(cString: strerror(errno)))") }
            close(descriptor)
            descriptor = next
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Fault(path, "cannot be looked at") }
        switch status.st_mode & S_IFMT {
        case S_IFCHR: break
        case S_IFLNK: throw Fault(path, "is a link; grant what it points to")
        case S_IFBLK: throw Fault(path, "is a disk; disks hold the device's keys, and no plugin gets them")
        default: throw Fault(path, "is no device")
        }
        // As gnu_dev_major and gnu_dev_minor of the C library.
        let number = UInt64(status.st_rdev)
        major = UInt32(truncatingIfNeeded: (number >> 8 & 0xFFF) | (number >> 32 & 0xFFFF_F000))
        minor = UInt32(truncatingIfNeeded: (number & 0xFF) | (number >> 12 & 0xFFFF_FF00))
        let entry = "\(kernel)/dev/char/\(major):\(minor)"
        place =
            Self.target(of: entry).map { link in
                link.split(separator: "/").drop { $0 == ".." || $0 == "devices" }.joined(separator: "/")
            } ?? ""
        let driver = Self.target(of: "\(entry)/subsystem").flatMap { $0.split(separator: "/").last }.map(String.init)
        if let why = Self.forbidding(major, minor, driver) { throw Fault(path, why) }
    }

    /// Why no plugin may have that device, whatever it is called and whoever grants it; the names that are refused anyway are `Manifest`'s.
    ///
    /// Numbers are the kernel's (Documentation/admin-guide/devices.txt), for machines whose kernel does not name the driver.
    private static func forbidding(_ major: UInt32, _ minor: UInt32, _ driver: String?) -> String? {
        // Of memory's: null, zero, full, random, urandom.
        if major == 1, ![3, 5, 7, 8, 9].contains(minor) { return "is memory, or the kernel's log; no plugin gets it" }
        // uhid, vhci, rfkill.
        if major == 10, [137, 239, 242].contains(minor) {
            return "belongs to the Bluetooth controller, which is the core's"
        }
        switch driver {
        case "gpio": return "is a whole GPIO chip; ask for lines"
        case "mtd", "ubi", "nvme", "nvme-generic", "scsi_generic", "bsg", "mmc_rpmb", "block":
            return "is a disk; disks hold the device's keys, and no plugin gets them"
        case "bluetooth", "hci": return "belongs to the Bluetooth controller, which is the core's"
        default: return [90, 21].contains(major) ? "is a disk; disks hold the device's keys, and no plugin gets them" : nil
        }
    }

    private static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = readlink(link, &bytes, bytes.count - 1)
        return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
