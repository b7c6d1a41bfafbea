// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import KeyExport

/// The sources of a call's files, as the caller names them.
public struct ProvideTerms: Sendable {
    /// Bytes of a name and of a region at most.
    static let maximumByteCount = 32

    let source: String?
    /// `nil` when the caller says nothing about its sources.
    let sources: [KeyFreshness.Wanted]?

    /// The terms of a caller that names neither the source of its files nor the existing sources.
    public static let none = ProvideTerms(source: nil, sources: nil)

    private init(source: String?, sources: [KeyFreshness.Wanted]?) {
        self.source = source
        self.sources = sources
    }

    /// Reads the sources that a call names.
    ///
    /// - Throws: ``Refusal`` (`badSource`) if the call names more than ``KeyFreshness/mostSources`` sources, or a name or a
    ///   region has more than 32 bytes of UTF-8.
    public init(_ call: Exposure1.Files) throws(Refusal) {
        let names = (call.sources ?? []).flatMap { [$0.name, $0.region ?? ""] } + [call.source ?? ""]
        guard (call.sources?.count ?? 0) <= KeyFreshness.mostSources,
            names.allSatisfy({ $0.utf8.count <= Self.maximumByteCount })
        else {
            throw .fileRefused(
                call.files.first ?? "", rule: "badSource",
                "At most \(KeyFreshness.mostSources) sources may be named, with \(Self.maximumByteCount) bytes for a name and a region."
            )
        }
        source = call.source
        sources = call.sources?.map {
            KeyFreshness.Wanted(name: $0.name, region: $0.region, isContinuous: $0.continuous)
        }
    }
}
