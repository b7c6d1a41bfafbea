// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension FolderQuota {
    private struct Entry {
        var path: [CChar]
        var byteCount: UInt64
        /// Of its last change, which no program can set.
        var changed: (Int, Int)
    }

    /// Removes files, and folders that are then empty, from `folder`, the last changed first, until the rest is within the
    /// quota. What lies too deep to be measured is always removed; if all that is not enough, everything is. It is for
    /// folders of programs that have ended, because no process may change them meanwhile. It follows no link, and enters no
    /// other file system.
    ///
    /// - Returns: The number of files and folders removed; 0 if `folder` is within the quota, or cannot be opened.
    public func trim(_ folder: String) -> Int {
        guard let usage = measure(folder), isExceeded(by: usage) else { return 0 }
        let root = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard root >= 0 else { return 0 }
        defer { close(root) }
        var count = 0
        var listing = Listing(root)
        if listing.isComplete { count += removeNewest(of: &listing, in: root) }
        guard let rest = measure(folder), isExceeded(by: rest) else { return count + listing.removedCount }
        var removal = FolderRemoval(in: root)
        _ = removal.empty()
        return count + listing.removedCount + removal.count
    }

    private func removeNewest(of listing: inout Listing, in root: Int32) -> Int {
        var left = listing.entries.sorted { $0.changed > $1.changed }
        var total = left.reduce(0) { $0 + $1.byteCount }
        let before = left.count
        var didSomething = true
        // A folder that has something older in it can go once that is gone.
        while didSomething, total > byteCount || left.count > entryCount {
            didSomething = false
            var kept: [Entry] = []
            for (index, entry) in left.enumerated() {
                let count = kept.count + left.count - index
                if total <= byteCount, count <= entryCount {
                    kept += left[index...]
                    break
                }
                // The path has plain folders only, and whoever could change that is gone.
                if unlinkat(root, entry.path, 0) == 0 || unlinkat(root, entry.path, AT_REMOVEDIR) == 0 {
                    total -= entry.byteCount
                    didSomething = true
                } else {
                    kept.append(entry)
                }
            }
            left = kept
        }
        return before - left.count
    }

    /// More than that nobody lists: of it nothing is kept.
    static let longestList = 100_000
    private static let mostPathBytes = 8 << 20
    /// With a name of a file behind it, it is one the kernel still takes (PATH_MAX). What is longer lies too deep.
    private static let longestPath = 3_800

    /// What is in a folder, at most as deep as is measured. What lies deeper is removed on the way.
    private struct Listing {
        private(set) var entries: [Entry] = []
        private(set) var isComplete = true
        private(set) var removedCount = 0
        private var pathByteCount = 0
        private let root: Int32

        init(_ root: Int32) {
            self.root = root
            add(openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), under: [], depth: 0)
        }

        /// Takes over `descriptor`.
        private mutating func add(_ descriptor: Int32, under path: [CChar], depth: Int) {
            guard let folder = fdopendir(descriptor) else {
                close(descriptor)
                isComplete = false
                return
            }
            defer { closedir(folder) }
            var tooDeep: [FolderRemoval.Name] = []
            while isComplete, let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    Array(bytes.prefix { $0 != 0 }).map(CChar.init(bitPattern:)) + [0]
                }
                if name == [46, 0] || name == [46, 46, 0] { continue }
                var status = stat()
                guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
                let inner = path.isEmpty ? name : path.dropLast() + [47] + name
                if status.st_mode & S_IFMT == S_IFDIR {
                    guard depth < FolderQuota.deepest, inner.count < FolderQuota.longestPath else {
                        tooDeep.append(name)
                        isComplete = tooDeep.count < FolderQuota.longestList
                        continue
                    }
                    let below = FolderRemoval.open(name, of: descriptor)
                    if below >= 0 { add(below, under: inner, depth: depth + 1) }
                }
                entries.append(
                    Entry(
                        path: inner, byteCount: status.takenByteCount,
                        changed: (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)))
                pathByteCount += inner.count
                if entries.count > FolderQuota.longestList || pathByteCount > FolderQuota.mostPathBytes {
                    isComplete = false
                }
            }
            guard isComplete else { return }
            for name in tooDeep where !remove(name, of: descriptor) { isComplete = false }
        }

        /// Removes a folder with everything in it, in a folder of its own at the top. False when it is still there.
        private mutating func remove(_ name: FolderRemoval.Name, of folder: Int32) -> Bool {
            let place = FolderRemoval.fresh()
            guard mkdirat(root, place, 0o700) == 0 else { return false }
            defer { unlinkat(root, place, AT_REMOVEDIR) }
            let top = FolderRemoval.open(place, of: root)
            guard top >= 0 else { return false }
            defer { close(top) }
            // To move a folder is to write in it.
            let its = FolderRemoval.open(name, of: folder)
            if its >= 0 { close(its) }
            guard FolderRemoval.move(name, of: folder, into: top).error == nil else { return false }
            var removal = FolderRemoval(in: top)
            let error = removal.empty()
            removedCount += removal.count
            return error == nil
        }
    }
}
