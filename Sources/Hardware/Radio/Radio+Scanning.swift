// SPDX-License-Identifier: Apache-2.0

import DoorBroadcast
import GAEN
import HCI

/// A scan under way.
struct RunningScan: Sendable {
    var summary: ScanSummary
    var end: Duration
    /// Whether the receiver is on now; off before the first answer and while an identity changes.
    var isOn = false
    /// Whether the controller has shown that it scans.
    var isProven = false
    var losses = 0
    let purpose: Purpose

    /// What a scan is for.
    enum Purpose: Sendable {
        /// Sightings; at its time.
        case sightings
        /// Sightings, early: how many of them hear nothing says nothing about deafness.
        case measurement
        /// A held button, between two others. Nothing is counted or kept of it: whoever reads the counts must not see that
        /// the button is held.
        case doors
    }
    var advertisers: Set<BluetoothAddress> = []
}

extension Radio {
    /// What scanning asks for now.
    mutating func scanSteps(at now: Duration) -> [Procedure.Step]? {
        if let scan {
            guard !mayListen || now >= end(of: scan) else { return nil }
            if mayListen, scan.isOn, scan.summary.isQuiet, !scan.isProven, scan.purpose != .doors {
                return [.init(purpose: .scanProof, command: dialect.scanParameters)]
            }
            return [.init(purpose: .scanOff, command: dialect.scanOff)]
        }
        // Beacon first: whoever is to send and cannot does not listen.
        guard mayListen, let moment = nextListening, now >= moment, isAdvertising || wanted == nil else { return nil }
        var steps: [Procedure.Step] = []
        if timeSlices, isAdvertising {
            steps.append(.init(purpose: .advertisingOff(.scan), command: dialect.advertisingOff))
        }
        // Without a beacon the controller has no address yet. A passive scanner sends nothing, but controllers want one.
        if wanted == nil, !hasAddress, let address = try? BluetoothAddress.nonResolvable(from: &generator),
            let command = try? HCICommand.leSetRandomAddress(address)
        {
            steps.append(.init(purpose: .address, command: command))
        }
        if !hasScanParameters { steps.append(.init(purpose: .scanParameters, command: dialect.scanParameters)) }
        return steps + [.init(purpose: .scanOn, command: dialect.scanOn)]
    }

    /// The receiver is on.
    mutating func scanBegan(at now: Duration) {
        if scan == nil {
            let isDue = nextScan.map { now >= $0 } ?? true
            scan = RunningScan(
                summary: ScanSummary(start: now), end: now + profile.scan.duration,
                purpose: !isDue ? .doors : isMeasuring ? .measurement : .sightings)
            if isDue {
                actions.append(.event(.scanStarted))
                planNextScan(after: now)
            } else {
                doorScan = nil
            }
        }
        scan?.isOn = true
    }

    /// When a scan is to begin; `nil` while none is to.
    var nextListening: Duration? {
        // Whoever sends and listens in turns would be silent while the button is held.
        guard let doorScan, isCollecting, !timeSlices else { return nextScan }
        return nextScan.map { doorScan + Self.doorMargin < $0 ? doorScan : $0 }
    }

    /// Whether what the controller says at `now` comes from a scan for doors alone: reports in it, and answers to the commands that
    /// begin and end it.
    func isOfDoors(at now: Duration) -> Bool {
        switch procedure?.steps.first?.purpose {
        case nil, .scanOff: scan?.purpose == .doors
        case .scanParameters, .scanOn: scan == nil && nextScan.map { now < $0 } ?? false
        default: false
        }
    }

    /// When `scan` ends. A scan for doors makes room for the next one, which begins when it would without it.
    func end(of scan: RunningScan) -> Duration {
        guard scan.purpose == .doors, let nextScan else { return scan.end }
        return min(scan.end, nextScan - Self.doorMargin)
    }

    /// The time before a scan for sightings in which none for doors is under way: enough for a slow controller to end one. Our
    /// own choice.
    static var doorMargin: Duration { .milliseconds(200) }

    private mutating func planNextScan(after start: Duration) {
        let spread = Int64.random(in: 0...max(profile.scan.spread.milliseconds, 0), using: &generator)
        nextScan = start + profile.scan.period - .milliseconds(spread)
    }

    /// The controller took parameters for a scan that it says is on: it had switched it off by itself.
    mutating func scanWasLost(at now: Duration) {
        count(.proveAlive)
        guard var current = scan else { return }
        current.losses += 1
        // A controller that takes them in any state proves nothing by it: nothing is learnt from a second time, and the scan
        // counts as on.
        current.isProven = current.losses > 1
        if current.losses == 1 { current.end = now + profile.scan.duration }
        scan = current
        guard current.losses == 1 else { return }
        climb(to: .restartScan, because: .lostScan, at: now)
        let restart: [Procedure.Step] = [
            .init(purpose: .scanPause, command: dialect.scanOff), .init(purpose: .scanOn, command: dialect.scanOn),
        ]
        procedure?.steps += restart
    }

    mutating func take(_ reports: [AdvertisingReport], at now: Duration) {
        // Reports that were on their way when the receiver was switched off still count; without a scan they are nobody's.
        guard var current = scan else { return }
        scan = nil
        for report in reports {
            let whole = report.extended == nil ? report : assembler.push(report)
            if let whole { take(whole, into: &current, at: now) }
        }
        scan = current
    }

    private mutating func take(_ report: AdvertisingReport, into current: inout RunningScan, at now: Duration) {
        guard current.purpose != .doors else { return takeDoor(report) }
        current.summary.reports += 1
        counters.reports += 1
        guard !report.data.isEmpty else {
            current.summary.emptyReports += 1
            counters.emptyReports += 1
            return
        }
        if current.advertisers.count < ScanSummary.maximumAdvertisers { current.advertisers.insert(report.address) }
        do throws(AdvertisingPayload.Refusal) {
            let payload = try AdvertisingPayload(advertisingData: report.data)
            current.summary.exposureNotifications += 1
            counters.exposureNotifications += 1
            guard let rssi = report.rssi else {
                current.summary.withoutRSSI += 1
                counters.withoutRSSI += 1
                return
            }
            actions.append(.event(.heard(payload, rssi: rssi, at: now)))
        } catch {
            if case .wrongLength = error { current.summary.malformed += 1 }
            takeDoor(report)
        }
    }

    private mutating func takeDoor(_ report: AdvertisingReport) {
        guard isCollecting, let rssi = report.rssi, let fragment = DoorFragment(advertisingData: report.data) else {
            return
        }
        actions.append(.event(.heardDoor(fragment, from: report.address, rssi: rssi)))
    }

    /// The receiver is off, or gone.
    mutating func finishScan(at now: Duration, isCutShort: Bool) {
        guard var finished = scan else { return }
        scan = nil
        assembler.discardPending()
        guard finished.purpose != .doors else { return actions.append(.event(.doorScanFinished)) }
        finished.summary.end = now
        finished.summary.advertisers = finished.advertisers.count
        finished.summary.isCutShort = isCutShort
        counters.scans += 1
        if finished.summary.isQuiet { counters.quietScans += 1 }
        actions.append(.event(.scanFinished(finished.summary)))
        guard !isCutShort, finished.purpose == .sightings else { return }
        switch silence.scanFinished(finished.summary, at: now) {
        case .nothing: break
        case .confirm(let delay):
            climb(to: .restartScan, because: .suddenSilence, at: now)
            nextScan = now + delay
        case .climb(let rung):
            nextScan = now
            climb(to: rung, because: .suddenSilence, at: now)
        case .accept: actions.append(.event(.silenceAccepted))
        }
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded towards zero. For the times of a profile, which are far from any limit:
    /// a duration that does not fit into `Int64` stops the program.
    package var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
