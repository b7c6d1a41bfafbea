// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SyncPlan

/// How the core is given a document: of both interfaces the call has the same two fields.
extension CarriedDocument {
    var interface: String {
        switch self {
        case .rules: Risk1.name
        case .content: Content1.name
        }
    }

    /// Interface and method.
    var method: String {
        switch self {
        case .rules: "\(Risk1.name).TakeConfiguration"
        case .content: "\(Content1.name).TakeContent"
        }
    }
}

/// `Risk1.TakeConfigurationCall` and `Content1.TakeContentCall`, both in Base64.
struct SignedDocumentCall: Encodable {
    /// export.bin.
    var document: String
    /// export.sig.
    var approvals: String
}
