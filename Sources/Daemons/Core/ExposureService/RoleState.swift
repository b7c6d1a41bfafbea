// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Ledger
import Radio

/// Whose device it is: as it was set, or as its profile says.
final class RoleState {
    private static let setting = "role"
    /// The role that the device stood for last, whoever said so.
    static let livedSetting = "role.lived"

    private let ledger: Ledger
    private let profile: Exposure1.Role
    /// What the role is while the ledger cannot say it and the vault holds a person's keys.
    private var assumed: Exposure1.Role?

    init(_ ledger: Ledger, profile: BoardProfile.Role) {
        self.ledger = ledger
        self.profile = profile == .person ? .person : .place
    }

    /// Whose risk this device stands for.
    var role: Exposure1.Role {
        if let stored = try? ledger.setting(Self.setting), let role = Exposure1.Role(bytes: stored) { return role }
        return assumed ?? profile
    }

    /// Whether the device stands for a person, who has a risk and can be its wearer.
    var isPerson: Bool { role == .person }

    /// Refuses at a place.
    func requirePerson() throws(Refusal) {
        guard isPerson else {
            throw .wrongRole(
                "This device stands in a place and has no personal risk. Its role can be changed (vigil ctl role person).")
        }
    }

    /// Whether the ledger has a role of its own.
    var isStored: Bool { (try? ledger.setting(Self.setting)) != nil }

    /// Writes `role`; it holds when the transaction is durable.
    func store(_ role: Exposure1.Role, _ transaction: LedgerTransaction) throws {
        try transaction.set(Self.setting, role.bytes)
    }

    /// Takes `role` for the truth while the ledger says nothing.
    func assume(_ role: Exposure1.Role?) { assumed = role }
}

extension Exposure1.Role {
    init?(bytes: [UInt8]) { self.init(rawValue: String(decoding: bytes, as: UTF8.self)) }
    var bytes: [UInt8] { Array(rawValue.utf8) }
    var profileRole: BoardProfile.Role { self == .person ? .person : .place }
}
