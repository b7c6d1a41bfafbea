// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Reports once that a folder is being written to, and then nothing until the folder is watched again, so that a program
/// that writes without end wakes the watcher only as often as the watcher asks. inotify(7), one shot. May be used by one
/// thread at a time.
public final class FolderAlarm {
    /// The most folders inside a watched folder that are watched, too: 64, our choice, which limits the system's watches
    /// that one program can use up.
    public static let innerFolders = 64

    /// The descriptor to poll: it is readable when something has been written. Closed with this object.
    public let descriptor: Int32

    /// Creates an alarm that watches nothing yet; `nil` if the system provides no inotify instance.
    public init?() {
        descriptor = vigil_folder_alarm()
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Watches the folder at this path, and folders below it, at most ``innerFolders`` of those that exist now, until
    /// something is made, written or moved in them. What cannot be watched, such as a link, is skipped; cannot fail.
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

    /// Acknowledges all changes so far, without waiting: the descriptor is then not readable. Cannot fail.
    public func take() { vigil_folder_alarm_take(descriptor) }
}
