// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport
import Trust

/// The keys that count on this device, by source: those it was provisioned with, changed by every succession that was taken since. A value: it is
/// stored before it is followed.
///
/// What is kept are the successions, not the keys that follow from them: after every start they are verified again, one after the other, each as of
/// the time at which it was taken, since keys that signed one may have run out by now.
struct KeyRing {
    /// One succession that was taken.
    struct Entry: Hashable {
        /// Its place among all of all sources.
        let order: UInt32
        /// Unix seconds, `nil` when nothing certain was known.
        let time: Int64?
        let source: String
        /// Whose numbers it used.
        let signer: KeyRole
        /// As it came.
        let file: [UInt8]
    }

    /// By the name of the source; the standard one is always there and has the operator's keys for all.
    private(set) var stores: [String: TrustStore]
    /// Every key that is or was in force, by the name of the source.
    private(set) var known: [String: [TrustedKey]]
    /// In the order they were taken. Those that could not be verified again are among them and change nothing.
    private(set) var entries: [Entry] = []
    private var applied: Set<Entry> = []

    /// As provisioned. The first source's name that comes twice counts.
    init(standard: TrustStore, _ sources: [AuthoritySource]) {
        stores = [AuthoritySource.standardName: standard]
        let operators = standard.keys.filter { $0.role == .operator }
        for source in sources where stores[source.name] == nil {
            stores[source.name] = (try? TrustStore(keys: source.export.trust.keys + operators)) ?? source.export.trust
        }
        known = stores.mapValues(\.keys)
    }

    /// The keys of the device's own authority, and who may sign the time.
    var standard: TrustStore { stores[AuthoritySource.standardName] ?? Self.nobody }

    /// Successions that count for a source.
    func count(for source: String) -> Int { applied.count { $0.source == source } }

    /// A source with the keys that it has now.
    func following(_ source: AuthoritySource) -> AuthoritySource {
        guard let store = stores[source.name], store != source.export.trust else { return source }
        let names = known[source.name, default: []].filter { $0.role == .export }.map(\.name.id)
        return source.following(store, statements: Set(names))
    }

    /// Applies a succession; `false` if that was done before, or if the keys that it brings are in force already. Throws why not, and changes
    /// nothing then. `time` is in Unix seconds, `nil` when unknown.
    mutating func take(_ file: [UInt8], for source: String, at time: Int64?) throws(TrustError) -> Bool {
        guard let store = stores[source] else { throw TrustError(.wrongSource, source) }
        if applied.contains(where: { $0.source == source && $0.file == file }) { return false }
        let succession = try Succession(file: file)
        let next: TrustStore
        do throws(TrustError) { next = try store.applying(succession, for: source, at: time) } catch {
            guard error.code == .notSigned, try brings(succession, only: store, at: time) else { throw error }
            return false
        }
        let signers = next.sequences.filter { store.sequences[$0.key] != $0.value }.keys
        let signer = signers.contains(.operator) ? KeyRole.operator : signers.min { $0.rawValue < $1.rawValue }
        guard let signer else { throw TrustError(.notSigned, source) }
        let entry = Entry(
            order: (entries.last?.order ?? 0) + 1, time: time, source: source, signer: signer, file: file)
        var kept = entries.filter { $0.source != source || $0.file != file }
        kept.append(entry)
        guard Self.parts(kept.filter { $0.source == source && $0.signer == signer }) != nil else {
            throw TrustError(.tooMany, "of the role \(signer.rawValue)")
        }
        entries = kept
        follow(next, entry)
        return true
    }

    /// Takes up what was kept. Gives the error of each that cannot be verified any more, which is kept all the same: with the keys it needs,
    /// it counts again.
    mutating func replay(_ kept: [Entry]) -> [TrustError] {
        entries = kept.sorted { $0.order < $1.order }
        var errors: [TrustError] = []
        for entry in entries {
            // Of a source that is not followed any more, or not now.
            guard let store = stores[entry.source] else { continue }
            do throws(TrustError) {
                follow(try store.applying(Succession(file: entry.file), for: entry.source, at: entry.time), entry)
            } catch { errors.append(error) }
        }
        return errors
    }

    private mutating func follow(_ next: TrustStore, _ entry: Entry) {
        let before = stores[entry.source]?.keys.filter { $0.role == .operator }
        stores[entry.source] = next
        applied.insert(entry)
        let operators = next.keys.filter { $0.role == .operator }
        if entry.source == AuthoritySource.standardName, operators != before {
            for (name, store) in stores where name != entry.source {
                let keys = store.keys.filter { $0.role != .operator } + operators
                if let store = try? TrustStore(keys: keys, sequences: store.sequences) { stores[name] = store }
            }
        }
        for (name, store) in stores {
            let old = known[name, default: []]
            known[name] = old + store.keys.filter { key in !old.contains { $0.isSame(as: key) } }
        }
    }

    /// Whether every key that a succession brings new is in force already, as on a device that was provisioned after it was made.
    private func brings(_ succession: Succession, only store: TrustStore, at time: Int64?) throws(TrustError) -> Bool {
        // Nothing changes by it, so it does not matter whether the proofs are good.
        let proven = try succession.content(verifiesProofs: false).proofs.keys
        return !proven.isEmpty
            && proven.allSatisfy { key in store.keys(for: key.role, at: time).contains { $0.isSame(as: key) } }
    }

    private static let nobody: TrustStore = {
        guard let empty = try? TrustStore(keys: []) else { preconditionFailure("no two keys have one name") }
        return empty
    }()
}

extension TrustedKey {
    /// Whether it is the same key under the same name in the same role, whatever its dates.
    func isSame(as other: TrustedKey) -> Bool { role == other.role && name == other.name && key == other.key }
}
