// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Logging
import PluginManifest

/// Settings outlast a reset, because they are the operator's. Some may say whose device it is, as the title of the page does: the manifest says of
/// them `endsWithReset`. What a technician has set such a one to ends with the life in which it was set, and what the operator had set is back.
///
/// `seals/NAME.settings` has, for each, what it was and what the technician made of it, and of which life that is. It is on the disk before the change.
extension Supervisor {
    private func formerSettingsPath(_ plugin: String) -> String { "\(sealFolder)/\(plugin).settings" }
    private static let formerSettingsLimit = 128 << 10

    /// Before a technician's change is stored. Throws when it cannot be kept: the change is not made then, because nobody would take it back.
    func keepSettings(
        of plugin: String, _ schema: SettingsSchema, before: JSON.Object, after: JSON.Object
    ) throws(GrantsStore.Failure) {
        let names = schema.properties.filter(\.endsWithReset).map(\.name).filter { before[$0] != after[$0] }
        guard !names.isEmpty else { return }
        let known = formerSettings(plugin)
        var kept = known.map { $0.isPresent ? $0.settings : JSON.Object() } ?? JSON.Object()
        for name in names {
            // The first one to change it found what the operator had set, unless the operator has changed it since.
            var change = kept[name]?.object ?? JSON.Object()
            if change["is"] != before[name] || kept[name] == nil { change["was"] = before[name] }
            change["is"] = after[name]
            kept[name] = .object(change)
        }
        let document: JSON = [
            "life": .string(String(decoding: life ?? [], as: UTF8.self)), "settings": .object(kept),
        ]
        do { try Folders.replaceLastingly(formerSettingsPath(plugin), with: document.bytes, mode: 0o600) } catch {
            throw GrantsStore.Failure(reason: "It cannot be noted what a reset is to take back: \(error)")
        }
    }

    /// What is noted; `nil` without a note. What cannot be read is of no use, and of a former life.
    private func formerSettings(_ plugin: String) -> (isPresent: Bool, settings: JSON.Object)? {
        let path = formerSettingsPath(plugin)
        guard access(path, F_OK) == 0 else { return nil }
        guard let bytes = Folders.read(path, limit: Self.formerSettingsLimit), let json = try? JSON(parsing: bytes) else {
            return (false, JSON.Object())
        }
        let isPresent = json["life"]?.string.map { Array($0.utf8) } == life
        return (isPresent, json["settings"]?.object ?? JSON.Object())
    }

    func hasFormerSettings(_ plugin: String) -> Bool { formerSettings(plugin)?.isPresent == false }

    /// The core has a life: what technicians set in one before is taken back. What the operator has set since stays. What cannot be taken back is tried
    /// again at the core's next start, and until then named among what is left of a former life.
    func takeBackSettings() {
        guard life != nil else { return }
        var hasChanged = false
        let ending = ".settings"
        for name in Folders.names(sealFolder) where name.hasSuffix(ending) {
            let plugin = String(name.dropLast(ending.utf8.count))
            guard let known = formerSettings(plugin), !known.isPresent else { continue }
            let store = GrantsStore(path: configuration.grants, lockFolder: configuration.pluginFolders.last)
            do {
                try store.change(plugin) { entry in
                    var settings = entry["settings"]?.object ?? JSON.Object()
                    for change in known.settings.members where change.value["is"] == settings[change.name] {
                        settings[change.name] = change.value["was"]
                    }
                    entry["settings"] = .object(settings)
                } judge: { _, _ in
                }
                try Folders.overwrite(formerSettingsPath(plugin))
                hasChanged = true
                log.notice(
                    "the device was reset: what a technician had set is taken back", metadata: ["plugin": "\(plugin)"])
            } catch let failure as GrantsStore.Failure {
                log.error(
                    "a setting of before the reset is not taken back: \(failure.reason)", metadata: ["plugin": "\(plugin)"])
            } catch {
                log.error("a setting of before the reset is not taken back: \(error)", metadata: ["plugin": "\(plugin)"])
            }
        }
        if hasChanged { reload(isFirst: false) }
    }
}
