// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Interfaces
import JSON

/// Whether a device is ready for the next person: what a desk asks before it lends the device again.
extension ControlSession {
    /// The proof of a wipe, as `vigil ctl wiped --json` prints it. It names nobody.
    public struct WipeProof: Codable, Sendable, Equatable {
        /// Whether it is ready to be handed on: ``reasons`` is empty.
        public var ready: Bool
        /// The number of this life of the device: 1 until the first reset; absent where nobody can say.
        public var life: Int64?
        /// When the life before was erased, in Unix seconds; absent in the first life, and where the time was not known.
        public var erased: Int64?
        /// Whether it was erased to be handed on, so that the former wearer's secret ended, too.
        public var handedOn: Bool?
        /// The plugins that still have something of before; absent where nobody can say.
        public var left: [String]?
        /// Whether the next wearer's secret was made already.
        public var hasWearersSecret: Bool
        /// Whether somebody has agreed since, or anything was heard since.
        public var inUse: Bool
        /// Whether it still has the wireless network of its card, with the password: that is the operator's and outlasts a wipe, so whose network it is only
        /// people know. Absent where nobody can say.
        public var wifi: Bool?
        /// The reasons why it is not ready, an English sentence each.
        public var reasons: [String]

        /// Judges what the core has answered. Cannot fail.
        public init(
            _ storage: Device1.Storage, left: [String]?, roles: [Access1.Role], status: Exposure1.Status, wifi: Bool?
        ) {
            self.wifi = wifi
            life = storage.life
            erased = storage.erased
            handedOn = storage.handedOn
            self.left = left
            hasWearersSecret = roles.contains(.wearer)
            inUse = status.enabled || storage.dayCount > 0
            reasons = []
            if storage.life == 1 {
                reasons.append("It was never erased since it was made.")
            } else if storage.life == nil {
                reasons.append(
                    "Nobody can say whether it was erased: the record of that is damaged, or of an older release.")
            } else if storage.handedOn != true {
                reasons.append("It was erased, but not to be handed on: the former wearer's secret is still good.")
            }
            if inUse { reasons.append("It has been in use since.") }
            if let left, !left.isEmpty {
                reasons.append("Something of before is still there: \(left.joined(separator: ", ")).")
            } else if left == nil {
                reasons.append("Nobody can say what plugins keep: it runs without its supervisor.")
            }
            ready = reasons.isEmpty
        }
    }

    /// Where the image keeps the card's wireless network (docs/image.md); only root may look.
    static let networkFile = "/data/wifi/wifi"

    /// Whether there is such a file; `nil` if that cannot be seen.
    static func hasNetwork(at path: String = networkFile) -> Bool? {
        if access(path, F_OK) == 0 { return true }
        return errno == ENOENT || errno == ENOTDIR ? false : nil
    }

    /// Shows whether the device was erased to be handed on and nothing of before is left; returns whether that is so, which
    /// decides the exit status.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func wiped() throws(ControlFailure) -> Bool {
        try link.reach()
        var left: [String]?
        do throws(ControlFailure) {
            left = try link.askPages(Technician1.Method.getProcesses, list: "processes").read(
                Technician1.ProcessesReply.self
            ).formerLife
        } catch {
            guard error.code == .refused else { throw error }
        }
        let proof = WipeProof(
            try link.ask(Device1.Method.getStorage).read(Device1.StorageReply.self).storage, left: left,
            roles: try link.ask(Access1.Method.getRoles).read(Access1.RolesReply.self).roles,
            status: try link.ask(Exposure1.Method.getStatus).read(Exposure1.StatusReply.self).status,
            wifi: Self.hasNetwork())
        guard !isJSON else {
            let json: JSON
            do throws(JSONError) { json = try JSON(encoding: proof) } catch {
                throw ControlFailure(.notUnderstood, "\(error)")
            }
            try showJSON(json)
            return proof.ready
        }
        var text =
            proof.ready
            ? screen.paragraph("Wiped. Nothing of before is left, and the former wearer's code opens nothing.", .good)
            : screen.paragraph("NOT ready to be handed on:", .bad)
        for reason in proof.reasons { text += screen.paragraph("- " + reason, .attention) }
        text += screen.list([
            ("Life", proof.life.map { "\($0), erased \(Words.count(Int($0 - 1), "time"))" } ?? "not known"),
            ("Last erased", proof.erased.map { Words.moment($0) } ?? (proof.life == 1 ? "never" : "not known when")),
            (
                "Wearer's secret",
                proof.hasWearersSecret ? "there is one" : "none yet: `vigil ctl access make wearer` makes it"
            ),
            ("Wi-Fi", Self.words(ofNetwork: proof.wifi)),
        ])
        try show(text)
        return proof.ready
    }

    private static func words(ofNetwork isThere: Bool?) -> String {
        switch isThere {
        case true?:
            "it still joins the network of its card, whose password it has: if that is the former wearer's, take it off (docs/pool.md)"
        case false?: "it has no network"
        case nil: "not known: only root may look"
        }
    }
}
