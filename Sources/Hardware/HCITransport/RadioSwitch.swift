// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What switches Bluetooth off on this board: the kernel's rfkill switches (Documentation/ABI/stable/sysfs-class-rfkill).
struct RadioSwitch: Equatable {
    /// Off by software: `rfkill block`, or the state carried over from the last boot.
    private(set) var isSoftBlocked: Bool
    /// Off by a switch or a line of the board, which software cannot change.
    private(set) var isHardBlocked: Bool

    static let folder = "/sys/class/rfkill"

    init(soft: Bool, hard: Bool) {
        isSoftBlocked = soft
        isHardBlocked = hard
    }

    /// All switches of Bluetooth together; both `false` when there are none or nothing can be read.
    init(folder: String = Self.folder) {
        self.init(soft: false, hard: false)
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let path = "\(folder)/\(name)"
            guard !name.hasPrefix("."), Self.word("\(path)/type") == "bluetooth" else { continue }
            if Self.word("\(path)/soft") == "1" { isSoftBlocked = true }
            if Self.word("\(path)/hard") == "1" { isHardBlocked = true }
        }
    }

    /// Why, and what to do.
    var sentence: (why: String, advice: String) {
        switch (isSoftBlocked, isHardBlocked) {
        case (false, true):
            ("Bluetooth is off by a hardware switch", "Turn on the board's radio switch; software cannot")
        case (true, true):
            (
                "Bluetooth is off by a hardware switch and by software",
                "Turn on the board's radio switch, then run `rfkill unblock bluetooth`"
            )
        case (true, false):
            ("Bluetooth is off by software", "Run `rfkill unblock bluetooth`")
        case (false, false):
            (
                "the kernel says that Bluetooth is switched off, but \(Self.folder) does not show the switch",
                "Run `rfkill unblock bluetooth`, and look for a radio switch on the board"
            )
        }
    }

    /// A file of one short line, without what ends it.
    private static func word(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 32)
        let count = fread(&line, 1, line.count, file)
        return String(decoding: line.prefix(count).prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
