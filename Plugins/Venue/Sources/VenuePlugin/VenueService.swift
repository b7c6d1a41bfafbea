// SPDX-License-Identifier: Apache-2.0

package import BLS12381
import Cryptography
package import Interfaces
import PluginKit
import VarlinkSocket
import VenuePlan

/// The plugin's interface `org.vigil.checkin1`: it checks who may call and whether the device's role fits, and answers.
/// Used only on the loop.
package final class VenueService {
    private let store: VenueStore
    private let visits: VisitDesk
    private let places: PlaceDesk
    private var watchers: [IncomingCall] = []
    /// Whether earlier visits are being hidden.
    private var isHidingRest = false

    /// Asks the core about the device; `nil` if it does not answer.
    var stand: (_ then: @escaping (Standing?) -> Void) -> Void = { $0(nil) }
    /// What a call that is the wearer's or the host's has to pass.
    var gate = ProofGate()
    /// Asks which batches are out, or over, and notes it. `then` is told whether it is known, in a later round.
    var askWhatIsOut: (_ then: @escaping (Bool) -> Void) -> Void = { $0(false) }
    /// Has what is due done, because somebody has asked for a run of comparing warnings.
    var lookForWarnings: () -> Void = {}
    /// Has a job done on a worker thread that does nothing of minutes, and what follows on the loop, in a later round. Not more wait than the kit lets wait. Whoever cancels it before it begins has it
    /// not done.
    var work:
        (@escaping @Sendable () throws -> any Sendable, @escaping (Result<any Sendable, any Error>) -> Void) -> Cancellation =
            { job, then in
                then(Result { try job() })
                return Cancellation()
            }
    /// Has something done after a while.
    var after: (Duration, @escaping () -> Void) -> Void = { _, _ in }
    /// Called after the records have changed.
    var onChange: () -> Void = {}
    /// Called with what cannot be told to a caller.
    var onTrouble: (String) -> Void = { _ in }

    /// - Parameter authorityKey: What places are hidden with (``VenueSettings/authorityKey()``); `nil` where they cannot be.
    /// - Throws: `VenueSettings.Fault` if the other settings cannot be used.
    package init(store: VenueStore, settings: VenueSettings, authorityKey: MasterPublicKey? = nil) throws {
        self.store = store
        let (reader, followed) = (try settings.reader(), try settings.followed())
        let served = try followed.filter { system throws(VenueSettings.Fault) in try settings.server(system) != nil }
        visits = VisitDesk(
            store: store, reader: reader, followed: followed, served: Set(served), authorityKey: authorityKey)
        places = PlaceDesk(store: store, reader: reader, followed: followed, ownKey: try settings.ownKey())
    }

    func open(_ interface: ServedInterface) throws {
        try interface.answer(Checkin1.Method.self) { method in
            switch method {
            case .checkIn:
                slowly(method) { (desk, call: Checkin1.CheckInCall, standing) in
                    try desk.checkIn(call, at: try standing.time)
                }
            case .checkOut:
                slowly(method) { (desk, call: Checkin1.NumberCall, standing) in
                    try desk.checkOut(call.number, at: try standing.time)
                }
            case .getVisits: slowly(method) { (desk, call: Checkin1.VisitsCall, _) in try desk.visits(call) }
            case .setHiding: slowly(method) { (desk, call: Checkin1.HidingCall, _) in try desk.setHiding(call) }
            case .editVisit:
                slowly(method) { (desk, call: Checkin1.EditCall, standing) in
                    try desk.edit(call, at: try standing.time)
                }
            case .deleteVisit:
                wearers(method) { [unowned self] (call: Checkin1.NumberCall, _) in
                    try visits.delete(call.number)
                    return NoFields()
                }
            case .setWarning:
                wearers(method) { [unowned self] (call: Checkin1.SetWarningCall, _) in try visits.setWarning(call) }
            case .exportVisits: slowly(method) { (desk, call: Checkin1.VisitsCall, _) in try desk.export(call) }
            case .getNotices:
                wearers(method) { [unowned self] (call: Checkin1.AfterCall, standing) in
                    visits.notices(after: call.after, at: standing.now)
                }
            case .acknowledge:
                wearers(method) { [unowned self] (call: Checkin1.NumberCall, _) in
                    try visits.acknowledge(call.number)
                    return NoFields()
                }
            case .watch:
                .call { [unowned self] call in
                    stand(call, as: .person) { [unowned self] _ in
                        gate.prove(call, method) { [unowned self] in watch(call, for: $0) }
                    }
                }
            case .takeReports:
                .call { [unowned self] call in try takeReports(call, method) }
            case .getPlaces:
                hosts(method) { [unowned self] (call: Checkin1.AfterCall, standing) in
                    try places.places(after: call.after, at: standing.now)
                }
            case .describe:
                hosts(method) { [unowned self] (call: Checkin1.DescribeCall, standing) in
                    try places.describe(call, at: standing.now)
                }
            case .forgetPlace:
                hosts(method) { [unowned self] (call: Checkin1.NumberCall, _) in
                    try places.forget(call.number)
                    return NoFields()
                }
            case .start:
                hosts(method) { [unowned self] (call: Checkin1.StartCall, standing) in
                    try places.start(call, at: try standing.time)
                }
            case .end:
                hosts(method) { [unowned self] (call: Checkin1.NumberCall, standing) in
                    try places.end(call.number, at: try standing.time)
                }
            case .importCode:
                hosts(method) { [unowned self] (call: Checkin1.ImportCall, standing) in
                    try places.add(call, at: try standing.time)
                }
            case .revoke:
                hosts(method) { [unowned self] (call: Checkin1.NumberCall, standing) in
                    try places.revoke(call.number, at: standing.now)
                }
            case .getPoster:
                hosts(method) { [unowned self] (call: Checkin1.NumberCall, standing) in
                    try places.poster(call.number, at: try standing.time)
                }
            case .setScreen:
                hosts(method) { [unowned self] (call: Checkin1.ScreenCall, _) in
                    try places.setScreen(call)
                    return NoFields()
                }
            case .setBroadcast:
                hosts(method) { [unowned self] (call: Checkin1.BroadcastCall, standing) in
                    try places.setBroadcast(call, at: standing.now)
                    return NoFields()
                }
            case .getScreen:
                .call { [unowned self] call in
                    _ = try call.decode(NoFields.self)
                    stand(call, as: .place) { [unowned self] standing in
                        answer(call) { try places.screen(at: standing.now) }
                    }
                }
            case .getRegistrationFacts:
                .call { [unowned self] call in
                    _ = try call.decode(NoFields.self)
                    stand(call, as: nil) { [unowned self] _ in
                        // Never in isolation: that Wake ends its connection after a warning would tell everybody who sees it that the wearer warned.
                        call.reply(
                            Checkin1.RegistrationFactsReply(
                                hasCheckIns: !store.records.diary.visits.isEmpty, inIsolation: false))
                    }
                }
            case .lookForWarnings:
                .call { [unowned self] call in
                    _ = try call.decode(NoFields.self)
                    stand(call, as: nil) { [unowned self] standing in
                        answer(call) {
                            if standing.role == .person, let now = standing.now {
                                // Whether there is a visit or not: how long the answer takes tells nothing.
                                try store.change { $0.downloads.wishRun(at: now) }
                            }
                            return NoFields()
                        }
                        lookForWarnings()
                    }
                }
            }
        }
    }

    /// Does the work that is due whenever the device's standing is known: ends visits, forgets old records, removes
    /// the records of the other role, and the downloads of systems without visits. Tells watchers if something has
    /// changed, and waits for the disk. If the store cannot be written, the failure is reported to the log, and the
    /// next call does the work.
    package func keepHouse(_ standing: Standing) {
        do {
            let before = store.records
            try store.change { records in
                switch standing.role {
                case .person: records.places = PlaceBook()
                case .place:
                    records.diary = VisitDiary()
                    records.downloads = VenueDownloads()
                    records.rules = nil
                    records.hiding = nil
                    records.isChoiceLost = false
                    records.wasLost = false
                }
                // The configuration is read again with the next visit, and may have taken it back.
                if !records.diary.visits.contains(where: { $0.place.system == .coronaWarnApp }) {
                    records.withdrawnVersions = []
                }
                if let now = standing.now {
                    let ended = records.diary.checkOutDue(at: now)
                    // The other half of the file has when they began.
                    if ended.contains(where: { records.diary.visit($0)?.place.isHidden == true }) {
                        records.hasTrace = true
                    }
                }
                if let certain = standing.certain {
                    records.diary.forget(at: certain)
                    records.places.forget(at: certain)
                }
                let visited = Set(records.diary.visits.map(\.place.system))
                for system in VenueSystem.allCases where !visited.contains(system) {
                    records.downloads.noteNothingToAsk(system)
                }
            }
            if store.records != before { tell() }
            // As long as visits are being hidden the end of that does it.
            if store.records.diary.visits.allSatisfy({ !$0.place.isInTheClear }) || store.records.hiding?.isOn != true {
                try store.clearTrace()
            }
        } catch { onTrouble("what has to be forgotten is kept for now: \(error)") }
        hideRest(standing)
    }

    /// Hides what of earlier visits is still in the clear, part by part, with room for others in between; after a cut it goes on at the next start.
    private func hideRest(_ standing: Standing) {
        guard !isHidingRest, standing.role == .person, let now = standing.now, visits.authorityKey != nil,
            store.records.unhiddenCount > 0
        else { return }
        isHidingRest = true
        let desk = visits
        _ = work({ try desk.hideSome(at: now) }) { [unowned self] result in
            isHidingRest = false
            switch result {
            case .success(let more):
                tell()
                if more as? Bool == true { hideRest(standing) }
            case .failure(let error):
                onTrouble("visits that are to be hidden are still in the clear; it is tried again: \(error)")
            }
        }
    }

    /// Notes which batches of reports are out, may be, or will never go out, by their names, and waits for the disk. Returns
    /// whether it could be written; if not, the failure is reported to the log, and it is asked again before the next reports and at the next start.
    package func note(_ answer: Diagnosis1.PublishedReply) -> Bool {
        do {
            let before = store.records
            try store.change { records in
                records.diary.notePublished(Set(answer.published))
                records.diary.noteUncertain(Set(answer.uncertain ?? []))
                records.diary.noteOver(Set(answer.over))
            }
            if store.records != before { tell() }
            return true
        } catch {
            onTrouble("which visits were published could not be written; it is asked again at the next start: \(error)")
            return false
        }
    }

    /// Returns what the core is to broadcast at the door of a place; empty on a person's device, and while the time is not
    /// known.
    package func showings(_ standing: Standing) -> [Door1.Showing] {
        guard standing.role == .place, let now = standing.now else { return [] }
        return places.showings(at: now)
    }

    /// Checks in by what a held button has collected, in Base64, and tells `then`, on the loop, whether the visit is in the diary: `false` if
    /// it is no code that this device takes, the time is not known, or the visit cannot be stored.
    package func checkIn(broadcast content: String, _ standing: Standing, then: @escaping (Bool) -> Void) {
        guard standing.role == .person, let now = standing.now, let bytes = Base64.bytes(content),
            let text = BroadcastCode.text(of: bytes)
        else { return then(false) }
        let (desk, before) = (visits, store.records)
        _ = work({ try desk.checkIn(Checkin1.CheckInCall(code: text), at: now) }) { [unowned self] result in
            if store.records != before { tell() }
            if case .failure(let error) = result, VenueFailure.of(error) == nil {
                // A technician reads the log: not that, and when, a button was held. A disk that fails is another matter.
                onTrouble("a visit cannot be stored")
            }
            then((try? result.get()) != nil)
        }
    }

    /// Tells whoever watches, and the core.
    func tell() {
        watchers.removeAll { !$0.isOpen }
        let news = store.records.diary.hasNews
        for watcher in watchers { watcher.reply(Checkin1.WatchReply(news: news), continues: true) }
        onChange()
    }

    /// Whether somebody is told of changes.
    var isWatched: Bool { watchers.contains(where: \.isOpen) }

    private func watch(_ call: IncomingCall, for life: Duration?) {
        call.reply(Checkin1.WatchReply(news: store.records.diary.hasNews), continues: true)
        watchers.append(call)
        onChange()
        guard let life else { return }
        after(life) { Self.fail(call, VenueFailure.notSignedIn) }
    }

    // MARK: Who may

    /// Answers a method of the wearer's.
    private func wearers<Parameters: Decodable, Result: Encodable>(
        _ method: Checkin1.Method, _ handler: @escaping (Parameters, Standing) throws -> Result
    ) -> MethodHandler {
        proven(method, .person, handler)
    }

    /// Reports for a warning. First it has to be known which warnings are out, or a visit could go along with two.
    private func takeReports(_ call: IncomingCall, _ method: Checkin1.Method) throws {
        let parameters = try call.decode(Checkin1.TakeReportsCall.self)
        stand(call, as: .person) { [unowned self] standing in
            gate.prove(call, method) { [unowned self] _ in
                askWhatIsOut { [unowned self] isKnown in
                    // Whoever does not wait any more would not have them.
                    guard call.isOpen else { return }
                    guard isKnown else { return Self.fail(call, VenueFailure.warningsUnknown) }
                    answer(call) { try visits.takeReports(parameters, at: try standing.time) }
                }
            }
        }
    }

    /// Answers a method of the wearer's that may need arithmetic of seconds: deriving a key from a secret, and pairings. Whether it does, a caller cannot tell from where it is done.
    private func slowly<Parameters: Decodable & Sendable, Reply: Encodable & Sendable>(
        _ method: Checkin1.Method, _ handler: @escaping @Sendable (VisitDesk, Parameters, Standing) throws -> Reply
    ) -> MethodHandler {
        .call { [unowned self] call in
            let parameters = try call.decode(Parameters.self)
            stand(call, as: .person) { [unowned self] standing in
                gate.prove(call, method) { [unowned self] _ in
                    let (desk, before) = (visits, store.records)
                    let cancellation = work({ try handler(desk, parameters, standing) }) { [unowned self] result in
                        if case .failure(let error) = result, error is CancellationError { return }
                        answer(call, since: before) { () throws -> Reply in
                            guard let reply = try result.get() as? Reply else { throw VenueFailure.busy }
                            return reply
                        }
                        hideRest(standing)
                    }
                    // Who has gone before it has begun does not know of it, and those who wait come sooner.
                    if !call.isOneway { call.onClose = { cancellation.cancel() } }
                }
            }
        }
    }

    /// Answers a method of the host's. Who is a technician the page knows, and grants say who else may call.
    private func hosts<Parameters: Decodable, Result: Encodable>(
        _ method: Checkin1.Method, _ handler: @escaping (Parameters, Standing) throws -> Result
    ) -> MethodHandler {
        proven(method, .place, handler)
    }

    private func proven<Parameters: Decodable, Result: Encodable>(
        _ method: Checkin1.Method, _ role: Exposure1.Role, _ handler: @escaping (Parameters, Standing) throws -> Result
    ) -> MethodHandler {
        .call { [unowned self] call in
            let parameters = try call.decode(Parameters.self)
            stand(call, as: role) { [unowned self] standing in
                gate.prove(call, method) { [unowned self] _ in answer(call) { try handler(parameters, standing) } }
            }
        }
    }

    private func answer(
        _ call: IncomingCall, since former: VenueRecords? = nil, _ handler: () throws -> some Encodable
    ) {
        let before = former ?? store.records
        do { call.reply(try handler()) } catch {
            if let failure = VenueFailure.of(error) {
                Self.fail(call, failure)
            } else {
                onTrouble("\(call.method): \(error)")
                call.fail("org.varlink.service.MethodNotImplemented", parameters: ["method": .string(call.method)])
            }
        }
        if store.records != before { tell() }
    }

    /// Goes on if the device has that role; with any role for `nil`.
    private func stand(
        _ call: IncomingCall, as role: Exposure1.Role?, then: @escaping (_ standing: Standing) -> Void
    ) {
        stand { [unowned self] standing in
            guard call.isOpen || call.isOneway else { return }
            guard let standing else { return Self.fail(call, VenueFailure.coreSilent) }
            keepHouse(standing)
            if let role, role != standing.role {
                return Self.fail(call, standing.role == .place ? VenueFailure.isPlace : VenueFailure.isPerson)
            }
            then(standing)
        }
    }

    private static func fail(_ call: IncomingCall, _ failure: CallFailure) {
        call.fail(failure.name, parameters: failure.parameters)
    }
}

extension Standing {
    /// - Throws: `NotPossible` while it is not known.
    fileprivate var time: Int64 {
        get throws {
            guard let now else { throw VenueFailure.timeUnknown }
            return now
        }
    }
}
