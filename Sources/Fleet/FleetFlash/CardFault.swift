// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Glibc
import SystemCalls

/// The reason why a card is not written, or does not count as written.
public enum CardFault: Error, Hashable, Sendable, CustomStringConvertible {
    // Before anything is written.
    /// There is no such device; `number` is the value of `errno`.
    case noDevice(number: Int32)
    /// The path is a file, a folder or something else.
    case notABlockDevice
    /// It is a part of a disk.
    case partition
    /// It or a partition of it is mounted.
    case mounted(at: String)
    /// It or a partition of it is swap space.
    case swap
    /// Another device is built on it.
    case held(by: String)
    /// A loop device, and nobody has said that this is a laboratory.
    case loop
    /// A disk that cannot be taken out.
    case notRemovable
    /// The reader is empty.
    case noMedium
    /// The medium is write-protected.
    case readOnly
    /// The medium has `size` bytes; the image needs more.
    case tooSmall(size: UInt64, needed: UInt64)
    /// The same device was given before, as `path`.
    case twice(path: String)
    /// Another program holds it.
    case busy
    /// The system does not let it be opened; `number` is the value of `errno`.
    case cannotOpen(number: Int32)
    /// Its sectors have another length than the image's partition table counts in.
    case sectors(size: Int)
    /// Data of somebody else is on it; what it looks like.
    case foreign(String)
    /// The card that was begun for this board has another size or number than this one: this is a copy of it.
    case copy(serial: String)
    /// Each board that has a card to be written has another medium.
    case noBoard

    // While it is written.
    /// The system reported a fault while `action`; `number` is the value of `errno`.
    case stopped(action: String, number: Int32)
    /// The medium is no longer the one that was admitted.
    case takenOut
    /// The medium returns other bytes than were written, from `place` on.
    case lies(place: UInt64)
    /// The end of the medium returns other bytes than were written: it has less room than it says.
    case smallerThanItSays(size: UInt64)
    /// Nothing was written or read for so many seconds.
    case stalled(seconds: Int)
    /// The board was given another card, or was made anew, while this one was written.
    case boardTaken(serial: String)
    /// The image, the board's folder or the inventory failed; a whole sentence.
    case other(String)

    /// An English sentence for the operator: what happened, why, and what to do. The device is not named. Cannot fail.
    public var description: String {
        switch self {
        case .noDevice(let number):
            "There is no such device (\(SystemCall.text(number))). lsblk lists those that are there."
        case .notABlockDevice:
            "This is no block device, so it is no card. Give the reader's disk, such as /dev/sdb; lsblk lists them."
        case .partition:
            "This is a partition, and the image is for a whole disk. Give the disk, without the number at the end."
        case .mounted(let place):
            "It is mounted at \(ForeignText.line(place, limit: 200))\(place == "/" ? ", which is this computer's own system. Give another device." : ". If it is the right card: umount it first.")"
        case .swap: "This computer uses it as swap space. Give another device."
        case .held(let holder):
            "It is in use by \(ForeignText.line(holder, limit: 60)) (LVM, RAID or encryption). Give another device."
        case .loop:
            "This is a loop device, no card. In a laboratory, admit it with --laboratory."
        case .notRemovable:
            "This disk cannot be taken out, so it is probably this computer's own. Give a card in a reader."
        case .noMedium: "There is no card in this reader. Put one in."
        case .readOnly: "The card is write-protected. Slide its lock back, or take another one."
        case .tooSmall(let size, let needed):
            "The card has \(size >> 20) MiB and the image needs \(needed >> 20). Take a larger one."
        case .twice(let path):
            "This is the same device as \(ForeignText.line(path, limit: 200)). Name each device once."
        case .busy:
            "Another program holds it, perhaps another vigil-fleet. Wait until it has ended, or close it."
        case .cannotOpen(let number) where number == EACCES || number == EPERM:
            "You may not write to it. Run the command as root, or join the group disk."
        case .cannotOpen(let number): "It cannot be opened: \(SystemCall.text(number)). Put the card in again."
        case .sectors(let size):
            "It has sectors of \(size) bytes, and the image's partition table counts in 512. Take another card or reader."
        case .foreign(let what):
            "There is data on it: \(what). If it may be lost: add --overwrite."
        case .copy(let serial):
            "This is a copy of the card that was begun for \(serial), which has another size or number. Put the right card in; or erase this one, then add --overwrite."
        case .noBoard:
            "There is no board left whose card is to be written. Take the card out, or plan more boards."
        case .stopped(let action, let number):
            "The card stopped answering while \(action): \(SystemCall.text(number)). It was pulled out, or card or reader are broken. It does not count as written; put it in again and give the same command, or take another one."
        case .takenOut:
            "The card was taken out or changed for another while it was written. Neither counts as written; put the first one in again and give the same command."
        case .lies(let place):
            "The card gives back other bytes than were written, from byte \(place) on: it is broken, or has less room than it says. Throw it away, and take another one."
        case .smallerThanItSays(let size):
            "The card says that it has \(size >> 20) MiB and keeps nothing at its end: it has less room than it says. Throw it away, and take another one."
        case .stalled(let seconds):
            "Nothing moved for \(seconds) s: the reader or the card hangs. The others were not kept waiting. Take it out and put it in again, then give the same command."
        case .boardTaken(let serial):
            "The board \(serial) was given another card or was planned anew meanwhile. This card does not count as written; give the same command again."
        case .other(let text): text
        }
    }
}
