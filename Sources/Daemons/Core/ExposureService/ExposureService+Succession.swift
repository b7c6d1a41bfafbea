// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import Ledger
import Logging
public import TimeTrust
import Trust

extension ExposureService {
    /// Takes a succession of signing keys, whichever caller brings it. It is on disk before it takes effect; a succession
    /// with any fault changes nothing.
    ///
    /// - Parameters:
    ///   - file: The text of the succession's file, at most `Succession.maximumDeviceByteCount` bytes.
    ///   - source: The name of the source that the keys belong to; `nil` for the device's own authority.
    /// - Returns: Whether it changed anything; `false` for one that was taken before.
    /// - Throws: ``Refusal`` if no such source is followed, the file is too large or not a succession, its signatures are
    ///   not valid, or the disk refuses.
    public func takeSuccession(
        _ file: String, source: String? = nil, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Bool {
        let name = source ?? AuthoritySource.standardName
        guard ring.stores[name] != nil else {
            let names = ring.stores.keys.sorted().joined(separator: ", ")
            throw .successionRefused("unknownSource", "This device follows no source of that name; it follows \(names).")
        }
        guard file.utf8.count <= Succession.maximumDeviceByteCount else {
            throw .successionRefused(
                "tooLarge", "A succession may have \(Succession.maximumDeviceByteCount) bytes on a device. List fewer keys."
            )
        }
        var next = ring
        do throws(TrustError) {
            // The validity of keys is judged by what is certain; without that, as of always.
            guard
                try next.take(Array(file.utf8), for: name, at: beacon.present(at: now).earliest?.seconds)
            else { return false }
        } catch { throw .successionRefused(error.code.rawValue, "\(error)") }
        var details = ["signer": next.entries.last?.signer.rawValue ?? ""]
        if name != AuthoritySource.standardName { details["source"] = name }
        try ledger.record {
            try next.store($0)
            try $0.audit(auditWriter.entry(.keysChanged, caller, at: now, details))
        }
        follow(next)
        log.notice("the keys of an authority were changed", metadata: ["source": "\(name)"])
        return true
    }

    /// Returns the keys that may sign for a source, the current ones (at most 96) and earlier ones (the 64 newest);
    /// `source` is `nil` for the device's own authority. `nil` for a source that this device does not follow.
    public func signers(of source: String?, at now: BootInstant) -> Trust1.SignersReply? {
        let name = source ?? AuthoritySource.standardName
        guard let store = ring.stores[name], let known = ring.known[name] else { return nil }
        let time = beacon.present(at: now).earliest?.seconds
        // As they are now; dates of those that are gone say nothing.
        let present = store.keys.map { Trust1.Signer($0, inForce: $0.isValid(at: time)) }
        let gone = known.filter { key in !store.keys.contains { $0.isSame(as: key) } }
        return Trust1.SignersReply(
            successions: ring.count(for: name),
            signers: present.prefix(Self.mostSigners)
                + gone.suffix(Self.mostFormerSigners).map { Trust1.Signer($0, inForce: false) })
    }

    /// The earliest time that it can be, Unix seconds, by which validity is judged; `nil` when it is not known.
    func earliestTime(at now: BootInstant) -> Int64? { beacon.present(at: now).earliest?.seconds }

    /// The most likely time, in Unix seconds; `nil` while it is not known.
    func likelyTime(at now: BootInstant) -> Int64? { beacon.present(at: now).time?.seconds }

    /// Keys in force that are told; more than any authority has.
    private static let mostSigners = 96
    /// Former keys that are told: the newest, so that an answer fits a message.
    private static let mostFormerSigners = 64

    /// Judges by other keys from now on: what was kept is verified again, and counts only if its signature does.
    private func follow(_ next: KeyRing) {
        ring = next
        for finding in warnings.state.follow(next, ledger) {
            log.warning("\(finding)", metadata: ["while": "changing keys"])
        }
        let (slot, problem) = ContentSlot.load(ledger, trust: trust)
        content = slot
        if let problem { log.warning("\(problem)", metadata: ["while": "changing keys"]) }
        warnings.state.makeDue()
    }
}
