// SPDX-License-Identifier: Apache-2.0

import AppConfig
import GAEN
public import Trust

/// A configuration as it was published, `/version/v1/risk_config`: the bytes, and who may be believed for them.
public struct SignedRiskConfiguration: Sendable, Hashable {
    /// Largest export.sig that is looked at; a real one has 150 bytes.
    public static let maximumSignatureByteCount = 4_096

    /// export.bin: the document itself, without a header.
    public let document: [UInt8]
    /// export.sig.
    public let signatures: [UInt8]
    /// As the document says; where it says that report types are codes, that holds for the files of whoever signed it
    /// (`DiagnosisKeyMapping.codedSources`): an authority speaks about its own keys only.
    public let configuration: RiskConfiguration

    /// Verifies, then reads. `time` is in Unix seconds, `nil` when unknown. Throws `tooLarge`, `notSigned` or `invalid`; what nobody
    /// signed is not read.
    public init(
        document: [UInt8], signatures: [UInt8], trust: TrustStore, time: Int64?
    ) throws(RiskConfigurationError) {
        guard document.count <= RiskConfiguration.maximumByteCount, signatures.count <= Self.maximumSignatureByteCount
        else {
            throw RiskConfigurationError(
                .tooLarge,
                "more than \(RiskConfiguration.maximumByteCount) bytes, or \(Self.maximumSignatureByteCount) of signatures")
        }
        guard
            let signer = SignedConfiguration.signer(
                exportBin: document, exportSig: signatures, trust: trust, time: time)
        else { throw RiskConfigurationError(.notSigned) }
        var configuration = try RiskConfiguration(parsing: document)
        if configuration.reportTypes == .codes { configuration.mapping.codedSources = [signer.name.id] }
        self.configuration = configuration
        self.document = document
        self.signatures = signatures
    }
}
