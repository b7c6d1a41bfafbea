// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import PluginManifest

/// `grants.json` while the supervisor changes it for a technician: what is not changed stays as the operator has written it, order
/// included; whenever the power goes the old file or the new one is there; and two who change it wait for each other, `vigil plugin`
/// included.
struct GrantsStore {
    /// Why it was not changed, for people.
    struct Failure: Error { let reason: String }

    let path: String
    /// Whom `vigil plugin` locks.
    let lockFolder: String?

    /// Changes one plugin's entry. `change` gets it, empty where there is none; `judge` gets the whole file as it would be, and throws to
    /// leave everything as it is.
    func change(
        _ plugin: String, _ change: (inout JSON.Object) -> Void, judge: (GrantsFile, JSON.Object) throws -> Void
    ) throws {
        let lock = lockFolder.map { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) } ?? -1
        defer { if lock >= 0 { close(lock) } }
        if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) != 0 {
            throw Failure(reason: "Another `vigil plugin` is changing something; try again when it is done.")
        }
        // A process that is just being started holds a copy of the descriptor for a moment: closing is not enough.
        defer { if lock >= 0 { flock(lock, LOCK_UN) } }
        var document = try read()
        var plugins = document["plugins"]?.object ?? JSON.Object()
        var entry = plugins[plugin]?.object ?? ["enabled": false]
        change(&entry)
        plugins[plugin] = .object(entry)
        document["plugins"] = .object(plugins)
        let bytes = Array(JSON.object(document).indentedText.utf8)
        let file: GrantsFile
        do throws(Refusal) { file = try GrantsFile(parsing: bytes) } catch {
            throw Failure(reason: "The operator's grants would not be usable any more: \(error)")
        }
        try judge(file, entry)
        do { try Folders.replaceLastingly(path, with: bytes, mode: 0o640) } catch {
            throw Failure(reason: "The operator's grants cannot be written: \(error)")
        }
    }

    private func read() throws -> JSON.Object {
        guard access(path, F_OK) == 0 else { return ["plugins": [:]] }
        guard let bytes = Folders.read(path, limit: Limits.grantsByteCount) else {
            throw Failure(reason: "\(path) cannot be read or is too long.")
        }
        do throws(Refusal) { _ = try GrantsFile(parsing: bytes) } catch {
            throw Failure(reason: "\(path) cannot be used as it is: \(error)")
        }
        guard case .object(let object)? = try? JSON(parsing: bytes) else {
            throw Failure(reason: "\(path) cannot be used as it is.")
        }
        return object
    }
}

extension SettingsSchema {
    /// What a page may show of the settings in `grants.json`: without what may only be written, and which of that is set.
    func open(_ settings: JSON) -> (settings: JSON, secretsSet: [String]) {
        guard case .object(var object) = settings else { return (.empty, []) }
        var secrets: [String] = []
        // What no property says anything about is a mistake of the operator's, and could be a secret under another name.
        for member in object.members where !properties.contains(where: { $0.name == member.name }) {
            object[member.name] = nil
        }
        for property in properties {
            guard let value = object[property.name] else { continue }
            if property.isSecret {
                object[property.name] = nil
                secrets.append(property.name)
                continue
            }
            guard case .list(let element, _) = property.kind, let elements = value.array else { continue }
            if element.isSecret {
                object[property.name] = nil
                secrets.append(property.name)
            } else if case .object(let inner) = element.kind {
                let hidden = inner.filter(\.isSecret).map(\.name)
                object[property.name] = .array(
                    elements.map { element in
                        guard case .object(var fields) = element else { return element }
                        for name in hidden where fields[name] != nil {
                            fields[name] = nil
                            let path = "\(property.name)[].\(name)"
                            if !secrets.contains(path) { secrets.append(path) }
                        }
                        return .object(fields)
                    })
            }
        }
        return (.object(object), Array(secrets.prefix(64)))
    }
}
