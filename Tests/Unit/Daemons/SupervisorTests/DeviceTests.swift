// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Testing

@testable import Supervisor

/// What stands at a path, and what does not count as what was granted.
@Suite struct DeviceTests {
    private static let isRoot = geteuid() == 0

    private final class Scene {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-devices-\(Unique.name())"
        var pins: DevicePins { DevicePins(folder: folder + "/pins") }

        init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func make(_ name: String, _ kind: mode_t, _ major: UInt64, _ minor: UInt64) throws -> String {
            let path = "\(folder)/\(name)"
            unlink(path)
            try #require(mknod(path, kind | 0o600, dev_t(major << 8 | minor)) == 0)
            return path
        }

        func fault(_ path: String) -> String? {
            do throws(DeviceIdentity.Fault) { _ = try DeviceIdentity(at: path, kernel: folder + "/sys") } catch {
                return error.description
            }
            return nil
        }

        /// As the kernel says it.
        func tell(_ number: String, _ place: String, driver: String) throws {
            let device = "\(folder)/sys/devices/\(place)"
            try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: true)
            try FileManager.default.createDirectory(atPath: folder + "/sys/dev/char", withIntermediateDirectories: true)
            unlink("\(folder)/sys/dev/char/\(number)")
            try #require(symlink("../../devices/\(place)", "\(folder)/sys/dev/char/\(number)") == 0)
            unlink(device + "/subsystem")
            try #require(symlink("../../class/\(driver)", device + "/subsystem") == 0)
        }
    }

    @Test(.enabled(if: isRoot)) func itIsWhatTheKernelSaysAndNotWhatItIsCalled() throws {
        let scene = try Scene()
        let path = try scene.make("i2c-1", S_IFCHR, 89, 300 & 0xFF)
        try scene.tell("89:44", "platform/soc/1804000.i2c/i2c-1/i2c-dev/i2c-1", driver: "i2c-dev")
        let identity = try DeviceIdentity(at: path, kernel: scene.folder + "/sys")
        #expect((identity.major, identity.minor) == (89, 44))
        #expect(identity.place == "platform/soc/1804000.i2c/i2c-1/i2c-dev/i2c-1")
        #expect(DeviceIdentity("\(identity)") == identity)
        #expect(DeviceIdentity("5:2") == DeviceIdentity(major: 5, minor: 2, place: ""))
        for text in ["", "5", "a:b", "5:2:1", "-1:2"] { #expect(DeviceIdentity(text) == nil) }
    }

    @Test(.enabled(if: isRoot)) func whatNoPluginGetsItGetsByNoOtherName() throws {
        let scene = try Scene()
        for (minor, isRefused) in [(1, true), (2, true), (4, true), (11, true), (3, false), (9, false)] as [(UInt64, Bool)]
        {
            #expect((scene.fault(try scene.make("sensor", S_IFCHR, 1, minor)) != nil) == isRefused, "1:\(minor)")
        }
        for minor in [137, 239, 242] as [UInt64] {
            #expect(scene.fault(try scene.make("sensor", S_IFCHR, 10, minor)) != nil)
        }
        #expect(scene.fault(try scene.make("sensor", S_IFBLK, 7, 0))?.contains("is a disk") == true)
        let chip = try scene.make("sensor", S_IFCHR, 240, 0)
        #expect(scene.fault(chip) == nil)
        try scene.tell("240:0", "platform/gpio/gpiochip0", driver: "gpio")
        #expect(scene.fault(chip)?.contains("ask for lines") == true)
        // Neither a link at the end nor one on the way is followed.
        _ = try scene.make("null", S_IFCHR, 1, 3)
        try #require(symlink("null", scene.folder + "/link") == 0 && symlink(scene.folder, scene.folder + "/way") == 0)
        #expect(scene.fault(scene.folder + "/link")?.contains("is a link") == true)
        #expect(scene.fault(scene.folder + "/way/null") != nil && scene.fault(scene.folder + "/null") == nil)
        try Data().write(to: URL(filePath: scene.folder + "/file"))
        for path in [scene.folder, scene.folder + "/file", scene.folder + "/none", scene.folder + "/../x"] {
            #expect(scene.fault(path) != nil)
        }
    }

    @Test func anotherDeviceAtThePathIsNotWhatWasGranted() throws {
        let scene = try Scene()
        let first = DeviceIdentity(major: 188, minor: 0, place: "usb1/1-1/ttyUSB0")
        let second = DeviceIdentity(major: 188, minor: 0, place: "usb1/1-2/ttyUSB0")
        let other = DeviceIdentity(major: 89, minor: 1, place: "")
        try scene.pins.check([("/dev/ttyUSB0", first), ("/dev/i2c-1", other)], of: "sensor")
        try scene.pins.check([("/dev/ttyUSB0", first)], of: "sensor")
        #expect(throws: DeviceIdentity.Fault.self) { try scene.pins.check([("/dev/ttyUSB0", second)], of: "sensor") }
        // Another plugin's grant is another one.
        try scene.pins.check([("/dev/ttyUSB0", second)], of: "other")
        // A grant that stays keeps what it was for; one that was taken away and given again is for what is there now.
        try scene.pins.forget("sensor", but: ["/dev/ttyUSB0"])
        #expect(throws: DeviceIdentity.Fault.self) { try scene.pins.check([("/dev/ttyUSB0", second)], of: "sensor") }
        try scene.pins.forget("sensor", but: [])
        try scene.pins.check([("/dev/ttyUSB0", second), ("/dev/i2c-1", first)], of: "sensor")
    }
}
