// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import Cryptography
import Glibc
import Trust

struct AcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Takes diagnosis keys from files.",
        discussion: """
            A file is a key file (zip), an export.bin, or JSON: {"temporaryExposureKeys": [{"key": Base64, "rollingStartNumber": N, \
            "rollingPeriod": 144, "transmissionRisk": 0, "reportType": 1, "daysSinceOnset": 2, "regions": ["DE"]}]}. Each key is \
            checked by itself; what passes is durable when the command ends, and published when its time has come. The exit status \
            is 1 when a file could not be read or no key of it passed.
            """)

    @OptionGroup var options: StateOptions

    @Argument(help: "Files with keys.")
    var files: [String]

    @Option(help: "Public key (PEM) that must have signed each file; files must be zip then.")
    var verify: String?

    @Flag(
        help: """
            The files are another health authority's: the level of each key follows from its onset, whatever level it has, and only \
            confirmed tests and clinical diagnoses from midnight (UTC) on are taken.
            """)
    var federated = false

    @Flag(help: "Print JSON, one line per file.")
    var json = false

    func run() throws {
        let authority = try options.authority()
        var trust: TrustStore?
        if let verify {
            let key = try P256.VerificationKey(pemOrDER: SmallFile.read(verify, limit: 16 << 10))
            trust = try TrustStore(keys: [TrustedKey(name: KeyName(id: verify, version: ""), role: .export, key: key)])
        }
        var isComplete = true
        for file in files {
            do {
                let report = try take(file, trust, authority)
                if json {
                    print(report.json)
                } else {
                    var text =
                        "\(file): \(report.accepted) accepted, \(report.known) known before, \(report.refusedCount) refused"
                    for flaw in SubmittedKey.Flaw.allCases {
                        if let count = report.refused[flaw] { text += "\n  \(flaw.rawValue): \(count)" }
                    }
                    let left = report.filteredCheckIns.values.reduce(0, +)
                    if report.checkIns + report.knownCheckIns + left > 0 {
                        text +=
                            "\n  check-ins: \(report.checkIns) accepted, \(report.knownCheckIns) known before, \(left) left out"
                    }
                    print(text)
                }
                if report.accepted + report.known == 0, report.refusedCount > 0 { isComplete = false }
            } catch let error as AuthorityError where error.isAboutInput {
                say("vigil-authority: \(file): \(error)")
                isComplete = false
            }
        }
        if !isComplete { throw ExitCode(1) }
    }

    private func take(_ file: String, _ trust: TrustStore?, _ authority: HealthAuthority) throws -> AcceptanceReport {
        let bytes = try SmallFile.read(file, limit: KeySubmission.maximumBytes)
        var keys = try KeySubmission.keys(in: bytes, trust: trust)
        let checkIns = try KeySubmission.checkIns(in: bytes)
        var refused: [SubmittedKey.Flaw: Int] = [:]
        if federated {
            keys = keys.compactMap { key in
                switch key.federated() {
                case .success(let key): return key
                case .failure(let refusal):
                    refused[refusal.flaw, default: 0] += 1
                    return nil
                }
            }
        }
        let name = file.split(separator: "/").last.map(String.init) ?? file
        var report = try authority.accept(keys, checkIns: checkIns, source: "file \(name)", now: options.clock.seconds())
        report.refused.merge(refused, uniquingKeysWith: +)
        return report
    }
}
