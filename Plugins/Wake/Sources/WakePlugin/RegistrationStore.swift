// SPDX-License-Identifier: Apache-2.0

import Glibc
import Varlink
public import WakePlan

/// The registration over restarts: one small file in the plugin's folder, for nobody else.
struct RegistrationStore {
    private let path: String

    init(folder: String) { path = "\(folder)/registration.json" }

    /// What was kept; nothing if it cannot be read, which costs a registration that is made twice.
    func load() -> RegistrationPlan.Record? {
        guard let bytes = PrivateFile.read(path), let json = try? JSON(parsing: bytes) else { return nil }
        return try? json.decode(RegistrationPlan.Record.self)
    }

    /// Whether it is on the disk.
    func save(_ record: RegistrationPlan.Record?) -> Bool {
        guard let record else { return PrivateFile.remove(path) }
        guard let json = try? JSON(encoding: record) else { return false }
        return PrivateFile.write(json.bytes, to: path)
    }
}

extension PrivateFile {
    /// Whether it is gone.
    static func remove(_ path: String) -> Bool { unlink(path) == 0 || errno == ENOENT }
}

/// Brings a registration to its server. Blocks for some seconds at most.
public protocol RegistrationSender {
    /// Whether the server has agreed.
    func send(_ registration: PushRegistration, to url: String) -> Bool
}
