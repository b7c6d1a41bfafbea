// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Varlink

/// The methods of plugins that take a proof, and who may have one made: what the law of their interfaces says.
enum ProvenMethods {
    private static let laws: [String: Law] = {
        let tests = Diagnosis1.Method.allCases.map { ($0.path, $0.law) }
        let places = Checkin1.Method.allCases.map { ($0.path, $0.law) }
        return Dictionary(uniqueKeysWithValues: tests + places)
    }()

    /// The roles that may call `method`, as `interface.Method`. One that no text of this tree has is the wearer's.
    static func roles(of method: String) -> [Access1.Role] { laws[method].map(\.signedIn) ?? [.wearer] }

    /// Whether only a technician who may change things may call it: then it belongs into the audit log.
    static func isChange(_ method: String) -> Bool { roles(of: method) == [.technician] }
}
