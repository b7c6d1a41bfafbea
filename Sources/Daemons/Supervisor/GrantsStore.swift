// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import PluginManifest
import SystemCalls

/// `grants.json` while the supervisor changes it for a technician: what is not changed stays as the operator has written it, order
/// included; whenever the power goes the old file or the new one is there; and two who change it wait for each other, `vigil plugin`
/// included.
struct GrantsStore {
    /// Why it was not changed, for people.
    struct Failure: Error { let reason: String }
    /// Nobody else changes grants while this is there.
    struct Lock { let part: FolderLock? }

    let path: String
    /// Whom `vigil plugin` locks.
    let lockFolder: String?

    /// Changes one plugin's entry. `change` gets it, empty where there is none; `judge` gets the whole file as it would be, and throws to
    /// leave everything as it is.
    func change(
        _ plugin: String, _ change: (inout JSON.Object) -> Void, judge: (GrantsFile, JSON.Object) throws -> Void
    ) throws {
        let lock = try Self.lock(lockFolder)
        defer { withExtendedLifetime(lock) {} }
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

    /// The lock that everybody takes who changes `grants.json`: `vigil plugin`, a technician's change and a fleet's configuration. At once or not at all. Where there is
    /// no folder of added plugins, and so nobody else who changes anything, its part is empty.
    static func lock(_ folder: String?) throws(Failure) -> Lock {
        guard let folder else { return Lock(part: nil) }
        do throws(FolderLock.Failure) { return Lock(part: try FolderLock(folder)) } catch {
            switch error {
            case .noFolder: return Lock(part: nil)
            case .taken: throw Failure(reason: "A `vigil plugin` is changing something; try again when it is done.")
            case .system(let reason):
                throw Failure(reason: "The operator's grants cannot be locked, so they are not changed: \(reason.text)")
            }
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
