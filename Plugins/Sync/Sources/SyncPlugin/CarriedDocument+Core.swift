// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SyncPlan

/// How the core is given a document: of both interfaces the call has these fields.
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
    /// Whose rules they are; left out for the device's own authority, and for content.
    var source: String?
    /// export.bin, or the body.
    var document: String
    /// export.sig, or what headers prove it with.
    var approvals: String
}
