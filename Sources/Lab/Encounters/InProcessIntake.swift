// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyExport
import KeyIntake
import Ledger
import Matching
import Trust

/// What `IntakeRun` does with the files of a call, without a spool and without a second process.
struct InProcessIntake {
    /// As the stream from `vigil-zip` comes.
    private static let chunkByteCount = 65_536

    let index: SightingIndex
    /// Unix seconds.
    let time: Int64
    let trust: TrustStore
    let isExcluded: (Block) -> Bool
    let ledger: Ledger

    func take(_ files: [SimulatedAuthority.File]) throws -> IntakeResult {
        let matcher = Matcher(index: index, now: ENIN(unixSeconds: time) ?? ENIN(0), isExcluded: isExcluded)
        let feed = MatcherFeed(matcher)
        let taken = try files.enumerated().map { try take($0.element, "day-\($0.offset).zip", matcher, feed) }
        return IntakeResult(files: taken, statistics: matcher.statistics, flaws: feed.flaws)
    }

    private func take(
        _ file: SimulatedAuthority.File, _ name: String, _ matcher: Matcher, _ feed: MatcherFeed
    ) throws -> IntakeFile {
        let digest = SHA256.digest(of: file.exportSig)
        var taken = IntakeFile(
            name: name, outcome: .repeated, export: nil, signatureListDigest: digest, matches: [])
        if try !ledger.isMatched(signatureListDigest: digest) {
            var reader = ContentReader(
                signatures: try ExportSignatureList.read(file.exportSig), trust: trust, policy: .namedKeys, time: time,
                limits: .standard)
            for start in stride(from: 0, to: file.exportBin.count, by: Self.chunkByteCount) {
                let chunk = Array(file.exportBin[start..<min(start + Self.chunkByteCount, file.exportBin.count)])
                try chunk.withUnsafeBytes { try reader.take($0) { feed.add($0) } }
            }
            let export = try reader.finish { feed.add($0) }
            let isRepeated = try ledger.isMatched(contentDigest: export.contentDigest)
            let matches = matcher.finish()
            taken = IntakeFile(
                name: name, outcome: isRepeated ? .repeated : .matched, export: export, signatureListDigest: digest,
                matches: isRepeated ? [] : matches)
        }
        return taken
    }
}
