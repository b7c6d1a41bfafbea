// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Says once that something is being written in a folder, and then nothing until it is watched again: whoever writes
/// without end wakes nobody more often than he wants to be woken. inotify(7), one shot. One thread at a time.
public final class FolderAlarm {
    /// The number of folders within a folder that are watched, too: 64, a choice of ours. It bounds the watches that one
    /// program can take from the system.
    public static let innerFolders = 64

    /// A descriptor to be polled: readable when something has happened. Closed with this object.
    public let descriptor: Int32

    /// An alarm that watches nothing yet; `nil` where the system gives no inotify instance.
    public init?() {
        descriptor = vigil_folder_alarm()
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Watches the folder at this path and folders below it, ``innerFolders`` at most, as of now, until something is made, written or moved in there.
    /// What cannot be watched, links too, is passed over; cannot fail.
    public func watch(_ folder: String) {
        var waiting = [folder]
        var count = 0
        while count <= Self.innerFolders, let path = waiting.popLast() {
            count += 1
            guard vigil_folder_alarm_watch(descriptor, path) >= 0, let entries = opendir(path) else { continue }
            defer { closedir(entries) }
            while waiting.count <= Self.innerFolders, let entry = readdir(entries) {
                // A type that the file system does not tell is none of ours.
                guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { waiting.append("\(path)/\(name)") }
            }
        }
    }

    /// Acknowledges all changes so far, without waiting: the descriptor is not readable from then on. Cannot fail.
    public func take() { vigil_folder_alarm_take(descriptor) }
}
