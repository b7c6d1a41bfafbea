// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls

/// What the system says of a disk, without opening it: sysfs, the table of mounts and that of swap space. Everything from there is
/// read with limits; what is missing counts as a reason against writing.
public struct BlockDevice: Sendable, Equatable {
    /// Where the system says it. Tests have folders of their own.
    public struct Places: Sendable {
        /// The folder sysfs.
        public var sysfs = "/sys"
        /// The table of mounts (proc(5), `mountinfo`).
        public var mounts = "/proc/self/mountinfo"
        /// The table of swap space.
        public var swaps = "/proc/swaps"

        /// The places of this machine.
        public init() {}
    }

    /// A reason why nobody else may write there now.
    enum Use: Sendable, Equatable {
        case mounted(at: String)
        case swap
        /// Another device is built on it, such as LVM's or RAID's.
        case held(by: String)
    }

    /// The path that the person gave.
    public let path: String
    /// The kernel's name, such as `sdb`.
    public let name: String
    /// The number of the device.
    let number: dev_t
    /// The length in bytes; 0 without a medium.
    public let size: UInt64
    /// The length of a sector in bytes; 0 when the system does not say it.
    let sectorSize: Int
    let isReadOnly: Bool
    /// The medium can be taken out: by sysfs, or an SD card in a reader of the board's own.
    let isRemovable: Bool
    let isLoop: Bool
    let use: Use?
    /// The number that an SD card was made with (CID); `nil` for others. Readers on USB hide it.
    public let cardNumber: String?
    /// Grows with each change of the medium since the machine started; `nil` before Linux 5.15.
    let sequence: UInt64?
    /// The socket of the USB hub, such as `1-1.3`; `nil` for others.
    public let port: String?

    /// Looks at the device at `path`. Throws `noDevice`, `notABlockDevice` or `partition`; a use, a size or a kind that forbids
    /// writing is no fault here (``refusal(imageSize:isLaboratory:)``).
    public init(at path: String, _ places: Places = Places()) throws(CardFault) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .noDevice(number: errno) }
        guard status.st_mode & S_IFMT == S_IFBLK else { throw .notABlockDevice }
        try self.init(path: path, number: status.st_rdev, places)
    }

    init(path: String, number: dev_t, _ places: Places) throws(CardFault) {
        let link = "\(places.sysfs)/dev/block/\(major(number)):\(minor(number))"
        guard let folder = Self.resolved(link) else { throw .noDevice(number: ENODEV) }
        guard Self.text("\(folder)/partition") == nil else { throw .partition }
        self.path = path
        self.number = number
        name = String(folder.split(separator: "/").last ?? "")
        // The size is in 512 bytes whatever the sectors are (Documentation/ABI/stable/sysfs-block).
        size = (Self.text("\(folder)/size").flatMap { UInt64($0) } ?? 0).multipliedReportingOverflow(by: 512).partialValue
        sectorSize = Self.text("\(folder)/queue/logical_block_size").flatMap { Int($0) } ?? 0
        isReadOnly = Self.text("\(folder)/ro") != "0"
        isLoop = access("\(folder)/loop", F_OK) == 0
        isRemovable = Self.text("\(folder)/removable") == "1" || Self.text("\(folder)/device/type") == "SD"
        cardNumber = Self.text("\(folder)/device/cid").flatMap { text in
            text.utf8.count == 32 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) } ? text : nil
        }
        sequence = Self.text("\(folder)/diskseq").flatMap { UInt64($0) }
        port = Self.port(folder)
        use = Self.use(folder, name, places)
    }

    /// The last part of the device's place in sysfs that is a socket of a hub.
    private static func port(_ folder: String) -> String? {
        folder.split(separator: "/").last { part in
            part.utf8.count < 40 && part.contains("-")
                && part.utf8.allSatisfy { (48...57).contains($0) || $0 == 45 || $0 == 46 }
        }.map(String.init)
    }

    private static func use(_ folder: String, _ name: String, _ places: Places) -> Use? {
        var numbers = Set([text("\(folder)/dev")].compactMap { $0 })
        var names = Set([name])
        var holders = self.names("\(folder)/holders")
        for part in self.names(folder) where text("\(folder)/\(part)/partition") != nil {
            names.insert(part)
            if let number = text("\(folder)/\(part)/dev") { numbers.insert(number) }
            holders += self.names("\(folder)/\(part)/holders")
        }
        let mounts: String
        let swaps: String
        // A table that cannot be read forbids writing.
        do throws(SystemError) {
            mounts = String(decoding: try WholeFile.read(places.mounts, limit: 4 << 20), as: UTF8.self)
            swaps = String(decoding: try WholeFile.read(places.swaps, limit: 1 << 20), as: UTF8.self)
        } catch { return .held(by: "the table of mounts, which cannot be read") }
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6 else { continue }
            // File systems of several disks have a number of their own: the source is looked at, too.
            let source = fields.firstIndex(of: "-").flatMap { $0 + 2 < fields.endIndex ? fields[$0 + 2] : nil }
            let last = source?.split(separator: "/").last.map(String.init)
            guard
                numbers.contains(String(fields[2]))
                    || source?.hasPrefix("/dev/") == true && last.map(names.contains) == true
            else { continue }
            return .mounted(at: String(fields[4]))
        }
        for line in swaps.split(separator: "\n").dropFirst() {
            let last = line.split(separator: " ").first?.split(separator: "/").last.map(String.init)
            if last.map(names.contains) == true { return .swap }
        }
        return holders.first.map { .held(by: $0) }
    }

    /// The reason why this device must not be written, apart from what is on it; `nil` if there is none. `imageSize` is in bytes;
    /// `isLaboratory` admits loop devices, which are no media, and nothing else.
    public func refusal(imageSize: UInt64, isLaboratory: Bool) -> CardFault? {
        switch use {
        case .mounted(let place): return .mounted(at: place)
        case .swap: return .swap
        case .held(let holder): return .held(by: holder)
        case nil: break
        }
        if isLoop, !isLaboratory { return .loop }
        if !isLoop, !isRemovable { return .notRemovable }
        if size == 0 { return .noMedium }
        if isReadOnly { return .readOnly }
        if sectorSize != 512 { return .sectors(size: sectorSize) }
        // Whatever a map says: the first and the last MiB are looked at, and no image of ours has less.
        let needed = max(imageSize, FlashImage.leastByteCount)
        if size < needed { return .tooSmall(size: size, needed: needed) }
        return nil
    }

    // MARK: Files of the system

    private static func text(_ path: String) -> String? {
        guard let bytes = try? WholeFile.read(path, limit: 4096, .ordinary) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(validatingCString: found)
    }

    private static func names(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}

private func major(_ number: dev_t) -> dev_t { (number >> 8 & 0xFFF) | (number >> 32 & 0xFFFF_F000) }
private func minor(_ number: dev_t) -> dev_t { (number & 0xFF) | (number >> 12 & 0xFFFF_FF00) }
