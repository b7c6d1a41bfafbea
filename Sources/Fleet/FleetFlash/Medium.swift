// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// A device that this process alone may write (`O_EXCL`), around the page cache. Used by one thread at a time; closed with the last
/// reference.
final class Medium: @unchecked Sendable {
    // Unchecked: all is constant but the medium itself, on which one thread works at a time, which the caller sees to.

    let device: BlockDevice
    private let places: BlockDevice.Places
    private let descriptor: Int32

    /// Opens the device that was looked at. Throws `busy` when the system, a mount or another program holds it, `takenOut` when another
    /// device has its place now, or `cannotOpen`.
    init(_ device: BlockDevice, readOnly: Bool, _ places: BlockDevice.Places) throws(CardFault) {
        self.device = device
        self.places = places
        descriptor = vigil_open_medium(device.path, readOnly ? 1 : 0)
        guard descriptor >= 0 else {
            switch -descriptor {
            case EBUSY: throw .busy
            case ENOMEDIUM: throw .noMedium
            case EROFS: throw .readOnly
            default: throw .cannotOpen(number: -descriptor)
            }
        }
        do throws(CardFault) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFBLK, status.st_rdev == device.number
            else {
                throw .takenOut
            }
            try checkPresence()
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Throws `takenOut` unless the medium is the one that was looked at.
    func checkPresence() throws(CardFault) {
        guard let now = try? BlockDevice(path: device.path, number: device.number, places), now.size == device.size,
            now.sequence == device.sequence
        else { throw .takenOut }
    }

    private func fault(_ action: String, _ number: Int32) -> CardFault {
        do throws(CardFault) { try checkPresence() } catch { return error }
        return .stopped(action: action, number: number)
    }

    /// Writes whole sectors from memory at a page.
    func write(_ place: UInt64, _ bytes: UnsafeRawBufferPointer) throws(CardFault) {
        let number = PlacedBytes.write(descriptor, place, bytes)
        guard number == 0 else { throw fault("it was written", number) }
    }

    /// Reads whole sectors into memory at a page.
    func read(_ place: UInt64, into memory: UnsafeMutableRawBufferPointer) throws(CardFault) {
        let (count, number) = PlacedBytes.read(descriptor, place, into: memory)
        guard number == 0 else { throw fault("it was read back", number) }
        guard count == memory.count else { throw fault("it was read back", ENXIO) }
    }

    /// Waits until the medium says that it has everything.
    func sync() throws(CardFault) {
        while fsync(descriptor) != 0 {
            let number = errno
            guard number == EINTR else { throw fault("it was written", number) }
        }
    }

    /// Bytes of the medium, whole sectors.
    func bytes(_ place: UInt64, _ count: Int) throws(CardFault) -> [UInt8] {
        let memory = Memory(count)
        try read(place, into: memory.bytes)
        return Array(memory.bytes)
    }
}
