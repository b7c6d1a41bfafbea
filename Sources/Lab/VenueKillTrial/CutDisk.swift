// SPDX-License-Identifier: Apache-2.0

import CTracer
import Glibc
import SyncKillTrial
import VirtualAir

/// A folder on a disk that forgets: what a process wrote there and did not sync may be on it after a power cut, or not, or in parts. It learns from the
/// process's calls of the system what was synced; the kernel's folder is what the process sees.
///
/// A name that was made, moved or removed counts once the folder is synced; what a file has, once that file is. Files are written in sectors, each whole.
final class CutDisk {
    /// Bytes that are written whole: of an old disk, and of a card.
    private static let sectors = [512, 4_096]

    /// Whether nothing is ever on the disk, although the process was told so; to see that it is noticed.
    private let isDeaf: Bool
    private let folder: String
    /// Files by a number that stays theirs when they move: as the process sees them, and as they are on the disk.
    private var names: [String: Int] = [:]
    private var keptNames: [String: Int] = [:]
    /// What files had when they were synced last.
    private var kept: [Int: [UInt8]] = [:]
    private var last = 0
    /// What a call does once it has succeeded, by its thread.
    private var pending: [pid_t: Change] = [:]

    private enum Change {
        case made(String)
        case moved(String, String)
        case removed(String)
        /// A file, or the folder itself for an empty name.
        case synced(String)
    }

    /// Takes everything that is in the folder for synced.
    init(folder: String, isDeaf: Bool) {
        self.folder = folder
        self.isDeaf = isDeaf
        for name in KillPlaces.names(folder) {
            last += 1
            names[name] = last
            kept[last] = KillPlaces.read("\(folder)/\(name)")
        }
        keptNames = names
    }

    /// Sees a stop of the process.
    func see(_ stop: vigil_tracer_stop, _ number: pid_t) {
        switch stop.kind {
        case VIGIL_TRACER_ENTRY: pending[stop.thread] = change(stop, TracedProcess(number: number))
        case VIGIL_TRACER_EXIT:
            if let change = pending.removeValue(forKey: stop.thread), stop.result >= 0 { take(change) }
        default: break
        }
    }

    private func change(_ stop: vigil_tracer_stop, _ process: TracedProcess) -> Change? {
        guard let call = vigil_tracer_name(stop.number).map({ String(cString: $0) }) else { return nil }
        let (first, second, third, fourth) = (stop.arguments.0, stop.arguments.1, stop.arguments.2, stop.arguments.3)
        func file(_ address: UInt64) -> String? { name(process.text(address)) }
        func moved(_ old: UInt64, _ new: UInt64) -> Change? {
            guard let old = file(old), let new = file(new) else { return nil }
            return .moved(old, new)
        }
        switch call {
        case "open": return second & UInt64(O_CREAT) == 0 ? nil : file(first).map(Change.made)
        case "openat": return third & UInt64(O_CREAT) == 0 ? nil : file(second).map(Change.made)
        case "unlink": return file(first).map(Change.removed)
        case "unlinkat": return file(second).map(Change.removed)
        case "rename": return moved(first, second)
        case "renameat": return moved(second, fourth)
        case "fsync", "fdatasync": return name(process.link(Int32(truncatingIfNeeded: first))).map(Change.synced)
        default: return nil
        }
    }

    /// The name of a file in the folder, empty for the folder itself; `nil` for what is elsewhere.
    private func name(_ path: String) -> String? {
        if path == folder { return "" }
        guard path.hasPrefix(folder + "/") else { return nil }
        return String(path.dropFirst(folder.utf8.count + 1))
    }

    private func take(_ change: Change) {
        switch change {
        case .made(let name) where names[name] == nil:
            last += 1
            names[name] = last
        case .made: break
        case .moved(let old, let new): names[new] = names.removeValue(forKey: old)
        case .removed(let name): names[name] = nil
        case .synced("") where !isDeaf: keptNames = names
        case .synced(let name):
            guard !isDeaf, let file = names[name] else { break }
            kept[file] = KillPlaces.read("\(folder)/\(name)")
        }
    }

    /// Makes the folder what is found after a power cut at this moment.
    func cut(using random: inout SplitMix64) throws(TrialFailure) {
        let written = Dictionary(
            uniqueKeysWithValues: names.map { ($0.value, KillPlaces.read("\(folder)/\($0.key)")) })
        var found: [(name: String, bytes: [UInt8])] = []
        // A rename is there or not; nobody sees half of it.
        let isNew = !isDeaf && Bool.random(using: &random)
        for (name, file) in (isNew ? names : keptNames).sorted(by: { $0.key < $1.key }) {
            let old = kept[file] ?? []
            found.append((name, isDeaf ? old : Self.mixed(old, written[file] ?? old, using: &random)))
        }
        KillPlaces.empty(folder)
        for (name, bytes) in found { try KillPlaces.write(bytes, "\(folder)/\(name)") }
    }

    /// Nothing, everything, or some sectors of what was written.
    private static func mixed(_ old: [UInt8], _ new: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        guard old != new else { return old }
        let way = Int.random(in: 0..<4, using: &random)
        guard way > 1 else { return way == 0 ? old : new }
        let sector = sectors[way - 2]
        var bytes = [UInt8](repeating: 0, count: Bool.random(using: &random) ? old.count : new.count)
        for start in stride(from: 0, to: bytes.count, by: sector) {
            let source = Bool.random(using: &random) ? old : new
            for place in start..<min(start + sector, bytes.count) where place < source.count {
                bytes[place] = source[place]
            }
        }
        return bytes
    }
}

extension vigil_tracer_stop {
    /// Whether a call of the system is about to be made.
    var isEntry: Bool { kind == VIGIL_TRACER_ENTRY }
}
