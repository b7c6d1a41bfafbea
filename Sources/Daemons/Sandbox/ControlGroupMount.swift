// SPDX-License-Identifier: Apache-2.0

/// Where control groups are mounted: a line of `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
struct ControlGroupMount: Hashable {
    /// The group that is at the mount point; "/" unless this is a container.
    let root: String
    let point: String
    let isUnified: Bool
    /// Of version 1.
    let controllers: [String]

    static func parse(_ text: String) -> [ControlGroupMount] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            // Number, parent, device, root, point, options, optional fields, "-", kind, source, options of the file system.
            guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 3 else { return nil }
            let kind = words[dash + 1]
            guard kind == "cgroup" || kind == "cgroup2" else { return nil }
            return ControlGroupMount(
                root: String(words[3]), point: String(words[4]), isUnified: kind == "cgroup2",
                controllers: words[dash + 3].split(separator: ",").map(String.init))
        }
    }

    /// The folder of group `path`; nil when it lies outside of what is mounted here.
    func folder(of path: String) -> String? {
        guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return nil }
        if root == "/" { return path == "/" ? point : point + path }
        guard path == root || path.hasPrefix(root + "/") else { return nil }
        return point + path.dropFirst(root.utf8.count)
    }
}
