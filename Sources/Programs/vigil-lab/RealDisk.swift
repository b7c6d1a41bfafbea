// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc
import Simulation

/// A file system that refuses at midnight: a small one in memory, mounted for the purpose.
struct RealDisk: Sendable {
    let name: String
    private let spoil: @Sendable (String) -> String?

    static let all = [
        RealDisk(name: "a full disk at midnight") { folder in
            // Blocks of 4 KiB until there is none left.
            let descriptor = open("\(folder)/filler", O_WRONLY | O_CREAT, 0o600)
            guard descriptor >= 0 else { return "it cannot be filled" }
            defer { close(descriptor) }
            let block = [UInt8](repeating: 1, count: 4_096)
            while write(descriptor, block, block.count) > 0 {}
            return errno == ENOSPC ? nil : "it did not fill up"
        },
        RealDisk(name: "a disk read-only from before midnight") { folder in
            mount(nil, folder, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
                ? nil : "it cannot be made read-only: \(String(cString: strerror(errno)))"
        },
    ]

    /// Plays midnight on it; gives what is wrong, if anything is.
    func problem(in folder: String) throws -> String? {
        let place = "\(folder)/disk"
        try KillProof.make(place)
        guard mount("tmpfs", place, "tmpfs", 0, "size=128k") == 0 else {
            return "it cannot be mounted: \(String(cString: strerror(errno)))"
        }
        defer {
            umount2(place, Int32(MNT_DETACH))
            rmdir(place)
        }
        for part in ["data", "keys"] { try KillProof.make("\(place)/\(part)") }
        let scene = try KillScene(
            data: "\(place)/data", keys: "\(place)/keys", seed: 3, fatal: KillSwitch(number: nil, isAfter: false))
        return scene.midnight { spoil(place) }
    }
}

/// A store full of zeros or of noise.
struct RealDamage: Sendable {
    let name: String
    private let file: String
    private let isKeys: Bool
    private let isNoise: Bool

    static let all = ["tek.slots", "days.keys", "sealing.key", "day log"].flatMap { file in
        [false, true].map {
            RealDamage(
                name: "\(file) full of \($0 ? "noise" : "zeros")", file: file, isKeys: file == "sealing.key", isNoise: $0)
        }
    }

    /// Lets a core live, damages its store, and starts another.
    func problem(data: String, keys: String) throws -> String? {
        let scene = try KillScene(data: data, keys: keys, seed: 4, fatal: KillSwitch(number: nil, isAfter: false))
        scene.live()
        let folder = isKeys ? keys : data
        let name = file == "day log" ? scene.dayLog : file
        let path = "\(folder)/\(name)"
        let bytes = try Files.read(path, limit: 1 << 20)
        var generator = SystemRandomNumberGenerator()
        let damage = bytes.map { _ in isNoise ? UInt8.random(in: 0...255, using: &generator) : 0 }
        let descriptor = open(path, O_WRONLY)
        guard descriptor >= 0, write(descriptor, damage, damage.count) == damage.count else {
            return "it cannot be damaged"
        }
        close(descriptor)
        return scene.liveOnDamaged(store: name)
    }
}
