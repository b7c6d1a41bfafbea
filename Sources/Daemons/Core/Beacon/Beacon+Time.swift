// SPDX-License-Identifier: Apache-2.0

import GAEN
import Logging
import Radio
import TimeTrust

extension Beacon {
    /// Looks at the time, and asks for clocks to be read.
    func tick(at now: BootInstant) {
        take(.tick, at: now)
        time.seeDay(at: now)
        time.looked(at: now)
        // The clock may have been set since the last look.
        tendDoor(at: now)
        actions.append(.readClocks)
    }

    /// Hands an event to time trust and does what follows from it.
    func take(_ event: TrustedTime.Event, at now: BootInstant) {
        var mustRotate = false
        var mustStore = false
        let wasUnknown = time.now(at: now).state == .untrusted
        for observation in time.handle(event, at: now) {
            changes += 1
            switch observation {
            case .stepped(let step):
                // NTP moves it by milliseconds all day; a person wants to know of seconds.
                let isNoticeable = step.by <= .seconds(-1) || step.by >= .seconds(1)
                log.log(
                    level: isNoticeable ? .notice : .debug, "the time was changed",
                    metadata: ["milliseconds": "\(step.by.milliseconds)"])
                if isNoticeable { noteStep(ofDoorsTo: step.to) }
                if identityFits(step.to) {
                    rotation.planMidnight(schedule.current, from: step.to, at: now.duration)
                } else {
                    mustRotate = true
                }
            case .becameTrusted(let state, let reason):
                log.notice("\(time.now(at: now).sentence)", metadata: state.metadata(reason))
                mustRotate = mustRotate || onAirInterval == nil
                // Whoever keeps check-ins waits for it, in either role.
                doorsAreOutdated = doorsAreOutdated || wasUnknown
                forget(at: now)
            case .degraded(let state, let reason):
                log.warning("\(time.now(at: now).sentence)", metadata: state.metadata(reason))
                if state == .untrusted { goSilent(at: now) }
            case .floorRaised: log.debug("the floor of time was raised")
            case .refused(let refusal): log.warning("\(refusal.sentence)", metadata: ["cause": "\(refusal.cause.rawValue)"])
            case .persist(let new):
                time.snapshot = new
                mustStore = true
            }
        }
        // A rotation stores the snapshot, too, in the same write; a place has none.
        if mustRotate, !isStopping { rotate(at: now) }
        if mustStore, !mustRotate || isStopping || !sends { store() }
    }
}

extension TrustedTime.State {
    func metadata(_ reason: TrustedTime.Reason) -> Logger.Metadata {
        ["state": "\(name)", "reason": "\(reason.rawValue)"]
    }

    /// As it appears in logs and the state file.
    var name: String {
        switch self {
        case .untrusted: "untrusted"
        case .plausible: "plausible"
        case .authenticated: "authenticated"
        }
    }
}
