// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import PluginManifest
import Sandbox
import Supervision

/// Memory, processor time and folders, looked at now and then.
extension Supervisor {
    func measure(at moment: Duration) {
        for process in processes.values {
            guard let run = process.run else { continue }
            if let (memory, processor) = ProcessMeter.measure(run.child.processNumber) {
                // A tenth is worth telling.
                if max(memory, run.memory) - min(memory, run.memory) > run.memory / 10 { noteChange() }
                run.memory = memory
                let judged = isMemoryLimited(process) ? nil : memory
                if let fault = run.watch?.measure(memory: judged, processor: processor, at: moment) {
                    end(process, because: "\(fault)", at: moment)
                    continue
                }
            }
        }
        measureFolders(at: moment)
    }

    /// Whether the kernel limits the memory of the process and of all that it starts. Then nobody else judges it: files in memory, programs among them where the
    /// system lies there, are resident in everybody who uses them, and count to the group of whoever has read them first.
    private func isMemoryLimited(_ process: ManagedProcess) -> Bool {
        process.report?.confinements.contains { $0.primitive == .controlGroupMemory && $0.state == .verified } == true
    }

    /// Compares what plugins have in their folders with what they may, what has no name any more included where that can be seen; ends whoever
    /// has more. The second line where the kernel keeps their quotas, the only one elsewhere.
    func measureFolders(at moment: Duration) {
        let alive = plugins.filter { $0.run.map { $0.fault == nil } == true }
        let users = Set(alive.compactMap(\.user))
        let hidden = HiddenFiles.arePossible && !users.isEmpty ? HiddenFiles.measure(of: users) : HiddenFiles()
        for process in alive {
            // Before it is measured, so that nothing is written in between that nobody sees.
            watchFolders(of: process)
            for (folder, quota) in quotas(of: process) {
                guard var usage = quota.measure(folder) else { continue }
                let named = usage.byteCount
                if let user = process.user { usage.byteCount += hidden.byteCount(of: user, on: folder) }
                guard quota.isExceeded(by: usage) else { continue }
                end(process, because: "\(Self.fault(of: usage, named: named, quota))", at: moment)
                break
            }
        }
    }

    /// What of it is too much.
    static func fault(of usage: FolderQuota.Usage, named: UInt64, _ quota: FolderQuota) -> Watch.Fault {
        if usage.byteCount > quota.byteCount {
            return .folderTooLarge(named: named, hidden: usage.byteCount - named, limit: quota.byteCount)
        }
        return usage.entryCount > quota.entryCount ? .folderTooFull(limit: quota.entryCount) : .folderUnmeasurable
    }

    /// What the plugin may have in each of its folders.
    func quotas(of process: ManagedProcess) -> [(folder: String, quota: FolderQuota)] {
        // Of one that may nothing any more: what it was started with.
        guard let quotas = process.effectiveGrants?.quotas ?? process.lastQuotas else { return [] }
        // Who was refused more by the kernel is not ended for having taken what he got.
        let slack = process.diskQuota?.state == .verified ? DiskQuota.slack : 0
        return [
            (stateFolder(process.name), FolderQuota(byteCount: UInt64(clamping: quotas.state) + slack)),
            (spoolFolder(process.name), SpoolFolder.quota(byteCount: UInt64(clamping: quotas.spool))),
        ]
    }

    /// Its folders are looked at soon after something is written there.
    func watchFolders(of process: ManagedProcess) {
        for (folder, _) in quotas(of: process) { upkeep.alarm?.watch(folder) }
    }

    /// What it wrote last of what it may not have goes, so that the board has its room back and it can be started again. At every end, however
    /// it came and however shortly the plugin lived: nobody may have looked meanwhile. And before every start, for ends that nobody saw.
    func trimFolders(of process: ManagedProcess) {
        for (folder, quota) in quotas(of: process) {
            let count = quota.trim(folder)
            if count > 0 {
                log.warning(
                    "what it wrote last beyond its quota was removed",
                    metadata: ["process": "\(process.name)", "files": "\(count)", "folder": "\(folder)"])
            }
        }
    }
}
