// SPDX-License-Identifier: Apache-2.0

import CivilTime
import DiagnosisPlan
import DiagnosisPlugin
import Glibc
package import JSON
import Synchronization

/// Plays days of devices, many at a time and in mixed order, against servers that run elsewhere. A listener on the wire
/// must try to find out which days had a test.
package struct WireTrial: Sendable {
    /// The reason why a trial cannot be played to its end, in words.
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// The plugin's settings: servers, the way to warn, and slots. They must be valid as in plugin.json; otherwise
    /// ``play(_:tell:)`` throws.
    package let settings: JSON
    /// The path of the PEM file with the certificate authority that devices trust.
    package let authorities: String
    /// The path of the authority's folder of tests; for another authority's way to warn, the address of the administration
    /// of its stand-in.
    package let office: String
    /// The path of an empty folder, in which each day keeps its state in a folder of its own.
    package let folder: String
    /// The factor by which time passes faster within a slot, 1 or more. Between slots no time passes.
    package let factor: Int64
    /// The fault that is made on purpose; `none` for a trial of the shipped software.
    package let fault: WireFault
    /// The number of devices that are played at the same time, each on a thread of its own; less than 1 counts as 1.
    package let parallel: Int

    /// Creates a trial of these parts. Nothing is checked before ``play(_:tell:)``.
    package init(
        settings: JSON, authorities: String, office: String, folder: String, factor: Int64, fault: WireFault, parallel: Int
    ) {
        self.settings = settings
        self.authorities = authorities
        self.office = office
        self.folder = folder
        self.factor = factor
        self.fault = fault
        self.parallel = parallel
    }

    /// A slot that was played, for the journal.
    package struct Played: Sendable, Codable {
        /// The number of the day, as in its ``DayPlan``.
        package let day: Int
        /// The device's own address on the loopback, by which days are told apart in a capture.
        package let address: String
        /// Whether the day has a test, which a listener must not be able to find out.
        package let isWith: Bool
        /// The number of the slot in the day, from 0.
        package let slot: Int
        /// The second of the UTC day at which the slot began, by the device's clock.
        package let second: Int64
        /// The time at which the slot began, by the machine's clock, in nanoseconds since 1970.
        package let began: Int64
        /// The time at which the slot ended, by the machine's clock, in nanoseconds since 1970.
        package let ended: Int64
        /// The use of the slot: `register`, `ask` or `warn`; `nothing` if there was nothing genuine to do, as in every slot
        /// of a day without a test.
        package let use: String
        /// Whether the warning was accepted, in the last slot of a day with a test; `nil` in all other slots.
        package let isWarned: Bool?
    }

    /// Plays the days, and blocks until all are finished. `tell` is called on several threads, once for each slot. After an
    /// error the other threads end with the day that they are playing, and the last error is thrown. Throws ``Failure``
    /// when a thread cannot be started, and an error of the settings when they are not valid.
    package func play(_ days: [DayPlan], tell: @escaping @Sendable (Played) -> Void) throws {
        let settings = try settings.decode(DiagnosisSettings.self)
        let way = try settings.warningWay()
        let office: any Office = way.kind == .cwa ? try OwnOffice(office) : PeerOffice(office, way.kind)
        let fleet = TrialDevice.Fleet(
            authorities: authorities, settings: settings, density: try settings.density(), factor: factor, fault: fault,
            way: way)
        let next = Mutex(0)
        let failure = Mutex<(any Error)?>(nil)
        var threads: [pthread_t] = []
        for _ in 0..<max(1, parallel) {
            let work: @Sendable () -> Void = {
                while true {
                    let index = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    guard index < days.count, failure.withLock({ $0 == nil }) else { return }
                    do { try Self.live(days[index], fleet, office, folder: "\(folder)/\(index)", tell) } catch {
                        failure.withLock { $0 = error }
                    }
                }
            }
            guard let thread = Self.start(work) else { throw Failure(description: "no more threads can be started") }
            threads.append(thread)
        }
        for thread in threads { pthread_join(thread, nil) }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Work(body))
        let status = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            return nil
        }
        return thread
    }

    /// Returns the IPv4 address on the loopback for a day, from 127.16.1.1. It does not show the kind of the day, because
    /// the order of days is random.
    package static func address(_ day: Int) -> String { "127.\(16 + day / 62_500).\(1 + day / 250 % 250).\(1 + day % 250)" }

    private static func live(
        _ plan: DayPlan, _ fleet: TrialDevice.Fleet, _ office: any Office, folder: String,
        _ tell: @Sendable (Played) -> Void
    ) throws {
        guard mkdir(folder, 0o700) == 0 else { throw Failure(description: "\(folder) cannot be made") }
        let day = UTCDay(containing: Int64(time(nil))).number
        let address = address(plan.number)
        let device = try TrialDevice(fleet, folder: folder, address: address, day: day)
        var key: RegistrationKey?
        var number: Int?
        var isReported = false
        var agrees: Int64?
        for (index, slot) in device.slots.enumerated() {
            let now = slot - UTCDay(number: day).start
            if let story = plan.story {
                if number == nil, story.entered <= now {
                    let new = try office.newKey(isTeleTAN: story.isTeleTAN)
                    key = new
                    number = try device.enter(new, at: UTCDay(number: day).start + story.entered)
                }
                if let key, !story.isTeleTAN, !isReported, story.entered + story.reported <= now {
                    try office.report(key)
                    isReported = true
                }
                if let number, let agrees, agrees <= now, device.store.registry.test(number)?.warning == nil {
                    try device.warn(number, story, at: UTCDay(number: day).start + agrees)
                }
            }
            let use = device.store.registry.task(at: slot)?.occasion ?? .nothing
            // A moment that has to do with nothing.
            usleep(.random(in: 0..<200_000))
            let began = nanoseconds()
            try device.play(slot)
            let ended = nanoseconds()
            var isWarned: Bool?
            if let story = plan.story {
                if agrees == nil, let number, device.store.registry.test(number)?.result?.meaning == .positive {
                    agrees = now + story.agreed
                }
                if index == device.slots.count - 1 {
                    if let number, case .sent? = device.store.registry.test(number)?.warning {
                        isWarned = true
                    } else {
                        isWarned = false
                    }
                }
            }
            tell(
                Played(
                    day: plan.number, address: address, isWith: plan.story != nil, slot: index, second: now, began: began,
                    ended: ended, use: name(use), isWarned: isWarned))
            // Enough for the connection to end before the next slot.
            usleep(50_000)
        }
    }

    private static func name(_ occasion: Playbook.Occasion) -> String {
        switch occasion {
        case .register: "register"
        case .askResult: "ask"
        case .submit: "warn"
        case .nothing: "nothing"
        }
    }

    private static func nanoseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
