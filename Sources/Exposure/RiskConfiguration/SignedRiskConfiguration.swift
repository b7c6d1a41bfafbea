// SPDX-License-Identifier: Apache-2.0

import AppConfig
import GAEN
import KeyExport
public import Trust

/// The rules of an authority as they were published, with the proof of their origin.
public struct SignedRiskConfiguration: Sendable, Hashable {
    /// The maximum size of a proof in bytes, inclusive, 4,096; a real export.sig has 150. The number is this
    /// project's own.
    public static let maximumSignatureByteCount = RuleAuthority.maximumProofByteCount

    /// The signed bytes, up to 64 KiB: export.bin without a header, or the body.
    public let document: [UInt8]
    /// The proof, up to 4,096 bytes: export.sig, the header lines, or the token (``RuleForm``); empty for a profile's
    /// rules.
    public let signatures: [UInt8]
    /// The content of the document. If it states that report types are codes, that applies to the files of its
    /// signer only, for the Corona-Warn-App's forms to those of all keys in ``RuleAuthority/trust``
    /// (`DiagnosisKeyMapping.codedSources`), because an authority can state this only about its own keys.
    public internal(set) var configuration: RiskConfiguration
    /// Whether the document states that nothing is to be judged: by the Corona-Warn-App's
    /// `exposureDetectionParameters` of 0, SwissCovid's `deactivate`, or Vigil's own pause and end. `false` for NHS
    /// COVID-19's, which cannot state it.
    public let isSwitchedOff: Bool
    let order: RuleOrder

    /// Verifies Vigil's own document, then reads it; an unsigned document is not read. `time` is in Unix seconds,
    /// `nil` when unknown. Throws `tooLarge`; `notSigned` or `otherSigner` when no key of `trust` signed it;
    /// `malformed`; `emptyMapping`; or `outOfRange` and `invalid` with all problems.
    public init(
        document: [UInt8], signatures: [UInt8], trust: TrustStore, time: Int64?
    ) throws(RiskConfigurationError) {
        try self.init(
            document: document, signatures: signatures, authority: RuleAuthority(form: .vigil, trust: trust), time: time,
            number: 1)
    }

    /// Verifies a document in the authority's form, then reads it. Forms without a version of their own get `number` as theirs. `time` as
    /// above. Throws as above, and `malformedProof`, `expired`, `otherRegion`, `emptyMapping`, `notCarried`.
    init(
        document: [UInt8], signatures: [UInt8], authority: RuleAuthority, time: Int64?, number: Int64
    ) throws(RiskConfigurationError) {
        guard document.count <= RiskConfiguration.maximumByteCount, signatures.count <= Self.maximumSignatureByteCount
        else {
            throw RiskConfigurationError(
                .tooLarge,
                "more than \(RiskConfiguration.maximumByteCount) bytes, or \(Self.maximumSignatureByteCount) of signatures")
        }
        self.document = document
        self.signatures = signatures
        switch authority.form {
        case .profile: throw RiskConfigurationError(.notCarried)
        case .vigil:
            let signer = try Self.fileSigner(document, signatures, authority.trust, time)
            var read = try RiskConfiguration(parsing: document)
            if read.reportTypes == .codes { read.mapping.codedSources = [signer.name.id] }
            order = .version(read.version)
            isSwitchedOff = read.service != .running
            configuration = read
        case .cwa, .cwaIOS:
            _ = try Self.fileSigner(document, signatures, authority.trust, time)
            let read = try CWAPublished(
                document, platform: authority.form == .cwa ? .android : .iOS, country: authority.country, version: number)
            order = .app(read.order, number: read.number)
            isSwitchedOff = read.isSwitchedOff
            configuration = read.configuration
            if configuration.reportTypes == .codes {
                configuration.mapping.codedSources = Set(authority.trust.keys.map(\.name.id))
            }
        case .nhs:
            guard let proof = NHSSignature(lines: signatures), let date = proof.date else {
                throw RiskConfigurationError(.malformedProof, "its two headers are not the form of the NHS's servers")
            }
            guard
                proof.signer(
                    of: NHSSignature.content(date: proof.dateText, body: document), trust: authority.trust, time: time)
                    != nil
            else { throw Self.unsigned(by: [proof.keyID], authority.trust) { $0.name.id } }
            order = .signed(date)
            isSwitchedOff = false
            configuration = try RiskConfiguration(nhsConfiguration: document, version: number)
        case .swissCovid:
            guard let token = ContentToken(signatures) else {
                throw RiskConfigurationError(.malformedProof, "its header Signature is no ES256 token of a DP-3T server")
            }
            guard token.signer(of: document, trust: authority.trust, time: time) != nil else {
                throw RiskConfigurationError(.notSigned)
            }
            // What was kept is read without a time.
            if let time, token.expires <= time {
                throw RiskConfigurationError(.expired, "\(token.expires), and it is \(time)")
            }
            order = .signed(token.issued)
            let read = try SwissCovidPublished(document, platform: .android, version: number)
            isSwitchedOff = read.isSwitchedOff
            configuration = read.configuration
        }
        // An authority that says it has stopped needs no mapping.
        guard isSwitchedOff || configuration.saysWhoIsInfectious else { throw RiskConfigurationError(.emptyMapping) }
    }

    /// Of the profile: the operator's signature around it is what proves it.
    init(profileDocument document: [UInt8]) throws(RiskConfigurationError) {
        self.document = document
        signatures = []
        order = .only
        let read = try RiskConfiguration(profileDocument: document)
        isSwitchedOff = read.service != .running
        configuration = read
    }

    /// Whether the other one says the same, whatever its version and number.
    func hasSameRules(as other: Self) -> Bool {
        var rules = other.configuration
        rules.version = configuration.version
        return rules == configuration && other.isSwitchedOff == isSwitchedOff
    }

    // MARK: Signatures

    /// Whether a key of this authority signed these bytes in the authority's form, whatever the document states;
    /// `false` when they are too large or the proof is not of that form, and for the form `profile`. Of an export.sig only the key counts that a signature names, and
    /// `trials` bounds what many authorities cost. `time` is in Unix seconds, `nil` when unknown.
    public static func isSigned(
        document: [UInt8], signatures: [UInt8], by authority: RuleAuthority, time: Int64?, trials: inout SignatureTrials
    ) -> Bool {
        guard document.count <= RiskConfiguration.maximumByteCount, signatures.count <= maximumSignatureByteCount else {
            return false
        }
        switch authority.form {
        case .profile: return false
        case .vigil, .cwa, .cwaIOS:
            return SignedConfiguration.signer(
                exportBin: document, exportSig: signatures, trust: authority.trust, time: time, isNamed: true,
                trials: &trials) != nil
        case .nhs:
            return NHSSignature(lines: signatures).map {
                let content = NHSSignature.content(date: $0.dateText, body: document)
                return $0.signer(of: content, trust: authority.trust, time: time) != nil
            } ?? false
        case .swissCovid:
            return ContentToken(signatures)?.signer(of: document, trust: authority.trust, time: time) != nil
        }
    }

    private static func fileSigner(
        _ document: [UInt8], _ signatures: [UInt8], _ trust: TrustStore, _ time: Int64?
    ) throws(RiskConfigurationError) -> TrustedKey {
        if let signer = SignedConfiguration.signer(exportBin: document, exportSig: signatures, trust: trust, time: time) {
            return signer
        }
        let names = ((try? ExportSignatureList.read(signatures)) ?? []).map(\.info.keyName.description)
        throw unsigned(by: names, trust) { $0.name.description }
    }

    /// A key that has none of our names is another authority's; one that has, and did not sign this, nobody's.
    private static func unsigned(
        by names: [String], _ trust: TrustStore, _ name: (TrustedKey) -> String
    ) -> RiskConfigurationError {
        let ours = Set(trust.keys.filter { $0.role == .config }.map(name))
        guard !ours.isEmpty, !names.isEmpty, !names.contains(where: { ours.contains($0) || $0.isEmpty }) else {
            return RiskConfigurationError(.notSigned)
        }
        // A stranger chose these names.
        let shown = names.prefix(3).map { name in
            String(name.prefix(40).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") ? $0 : "?" })
        }
        return RiskConfigurationError(.otherSigner, shown.joined(separator: ", "))
    }
}

extension RiskConfiguration {
    /// Whether windows of any key at all can count, where only models that look at windows are to judge: by a mapping without entries
    /// everybody would be *unknown* for ever.
    var saysWhoIsInfectious: Bool {
        !models.allSatisfy(\.looksAtWindows) || mapping.infectiousnessWhenOnsetMissing != .none
            || mapping.infectiousness.contains { $0 != .none }
    }
}
