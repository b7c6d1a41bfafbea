// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SyncPlan
import Varlink

/// How the core is given a document: the call of each interface has these fields.
extension CarriedDocument {
    var interface: String { type(of: method).interface }

    var method: any InterfaceMethod {
        switch self {
        case .rules: Risk1.Method.takeConfiguration
        case .content: Content1.Method.takeContent
        case .donation: Donation1.Method.takeTerms
        }
    }
}

/// `Risk1.TakeConfigurationCall`, `Content1.TakeContentCall` and `Donation1.TakeTermsCall`, in Base64.
struct SignedDocumentCall: Encodable {
    /// Whose rules they are; left out for the device's own authority, and for all but rules.
    var source: String?
    /// export.bin, or the body.
    var document: String
    /// export.sig, or what headers prove it with.
    var approvals: String
}
