// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Testing

@testable import ControlTool

/// What people see, to the letter.
@Suite struct ViewTests {
    private let screen = Screen(width: 100)

    private func decoded<Value: Decodable>(_ text: String, _ type: Value.Type) throws -> Value {
        try json(text).decode(type)
    }

    @Test func radioExplainsEachStepThatWasTaken() throws {
        let reply = try decoded(Canned.radio, Device1.RadioReply.self)
        #expect(
            RadioView.text(reply.radio, screen) == """
                An identifier is on air, and the receiver is on.
                Controller        Virtual, Bluetooth 5.2
                Reached by        h4:unix:/run/air
                Next identifier   in 5 minutes 12 seconds
                Identifiers sent  1,234; changed at worst 14 ms late
                Scans             5,678, 9 of them heard nothing, 0 could not be stored
                Heard             100,000 advertisements, 4,321 of Exposure Notification
                Last scan         3 senders of Exposure Notification
                Last trouble      the controller does not answer

                Step against trouble  Times  What it does
                prove-alive              40  asks the controller something only a working one answers rightly;
                                             nothing is interrupted
                reset-controller          2  resets the controller and sets it up anew; off air for milliseconds
                dig-a-hole                1  not known to this version

                """)
    }

    private func screenPrefix(_ screen: Screen, _ tone: Screen.Tone) -> String {
        String(screen.paragraph("x", tone).prefix { $0 != "x" })
    }

    /// At a place nothing is on air, and that is no trouble; for a person it is.
    @Test func nothingOnAirIsRightAtAPlaceOnly() throws {
        let coloured = Screen(width: 100, isColoured: true)
        var radio = try decoded(Canned.radio, Device1.RadioReply.self).radio
        radio.onAir = false
        radio.scanning = false
        func first(_ isPlace: Bool) -> Substring? {
            RadioView.text(radio, coloured, isPlace: isPlace).split(separator: "\n").first
        }
        let right =
            "Nothing is to be on air now: this device stands for a place. The receiver is off."
        let wrong = "Nothing is on air, and the receiver is off."
        #expect(first(true).map { $0 + "\n" } == Substring(coloured.paragraph(right, .good)))
        #expect(first(false).map { $0 + "\n" } == Substring(coloured.paragraph(wrong, .attention)))
        // A code at the door that is on air, and one that should be.
        for door in Device1.Door.allCases {
            radio.door = door
            let isRight = door == .onAir || door == .nothing
            let line = first(true) ?? ""
            #expect(line.contains("The code at the door is on air") == (door == .onAir), "\(door)")
            #expect(line.hasPrefix(screenPrefix(coloured, isRight ? .good : .attention)), "\(door)")
        }
        radio.door = nil
        // What cannot be right anywhere stays trouble.
        radio.transportProblem = "it is unplugged"
        #expect(
            first(true).map { $0 + "\n" }
                == Substring(coloured.paragraph("The controller cannot be reached: it is unplugged", .bad)))
        radio.transportProblem = nil
        radio.onAir = true
        #expect(first(true) == first(false))
    }

    @Test func evidenceCallsGapsGaps() {
        let day: Int64 = 1_795_219_200  // 2026-11-21
        let hours = [
            Self.hour(day - 3_600 * 3, 3_600), Self.hour(day - 3_600 * 2, 1_800), Self.hour(day + 3_600 * 8, 3_600),
            Self.hour(day + 3_600 * 9, 0), Self.hour(day - 40 * 86_400, 3_600),
        ]
        let view = EvidenceView(hours, days: 3, now: day + 10 * 3_600 + 1_800)
        #expect(
            view.text(screen, byHour: false) == """
                Share of each hour on air (UTC). A dot is an hour in which the device was not running.
                            0     6     12    18
                2026-11-19
                2026-11-20                       █▅·
                2026-11-21  ········█▁

                Day         Hours             On air  Scans  Quiet  Advertisements  Of EN  Stored  Identifiers  Troubles
                2026-11-19      0        not running
                2026-11-20      2  1 hour 30 minutes     30      2             400     60      24            8         0
                2026-11-21      2             1 hour     30      2             400     60      24            8         0

                Not running from 2026-11-20 23:00 UTC to 2026-11-21 08:00 UTC: 9 hours.

                """)
        let byHour = view.text(screen, byHour: true)
        #expect(byHour.contains("2026-11-21 07:00  not running\n") && byHour.contains("2026-11-21 08:00       1 hour"))
        #expect(EvidenceView([], days: 3, now: day).text(screen, byHour: false).hasPrefix("No hour is recorded"))
    }

    private static func hour(_ start: Int64, _ onAir: UInt64) -> Device1.EvidenceHour {
        Device1.EvidenceHour(
            start: start, scanCount: 15, quietScanCount: 1, reportCount: 200, exposureNotificationCount: 30,
            storedSenderCount: 12, rotationCount: 4, secondsOnAir: onAir, troubleCount: 0)
    }

    @Test func auditSaysIntactOrBroken() throws {
        var reply = try decoded(Canned.audit, Device1.AuditReply.self)
        #expect(
            AuditView.text(reply, screen) == """
                No.  When (UTC)        By   What
                  1  2026-11-21 08:33  ctl  switched on (enabled): presence console
                  2  not known         ctl  lookedAtTheMoon

                Intact: every entry that is kept is there and unchanged.

                """)
        reply.intact = false
        reply.droppedCount = 1
        let text = AuditView.text(reply, screen)
        #expect(text.contains("BROKEN: ") && text.contains("1 older entry is no longer kept."))
        // Never by colour alone.
        #expect(AuditView.text(reply, Screen(width: 100, isColoured: true)).contains("\u{1B}[31mBROKEN"))
    }

    @Test func exposuresAreTables() throws {
        #expect(
            ExposureViews.daily(try decoded(Canned.daily, Exposure1.DailySummariesReply.self).dailySummaries, screen) == """
                Day (UTC)   Established by       Score  Highest  Time near
                2026-11-21  all together      15.0 min  9.0 min   20.0 min
                            a confirmed test  15.0 min  9.0 min   20.0 min

                Weighted minutes: the sum and the highest single window; time near is weighted by attenuation only. By the phones' own weights or those of --config, not by the health authority's rules: `vigil ctl risk` has those.

                """)
        #expect(
            ExposureViews.mapping(try decoded(Canned.mapping, Exposure1.MappingReply.self), screen, now: Desk.now) == """
                Day -14 to -3       none
                Day -2 to +3        high
                Day +4 to +14       standard
                No onset published  standard
                No report type      counts as a confirmed test
                May be changed      from 2026-11-22 00:00 UTC, in 13 hours 30 minutes

                """)
        let windows = ExposureViews.windows(try decoded(Canned.windows, Exposure1.WindowsReply.self).windows, screen)
        #expect(
            windows.contains("2026-11-21  9 minutes    48 dB    58 dB      2  high        high          a confirmed test\n")
        )
    }

    @Test func progressNamesFilesAndBytes() {
        #expect(
            ProvideProgress.line(done: 1, bytes: 2_500_000, of: 4)
                == "matching ███████░░░░░░░░░░░░░░░░░░░░░░░ file 2 of 4, 2.5 MB read")
        #expect(ProvideProgress.line(done: -5, bytes: -1, of: 0).contains("file 0 of 0"))
    }

    @Test(
        arguments: [
            (0, "0 seconds"), (59, "59 seconds"), (60, "1 minute"), (3_661, "1 hour 1 minute"), (90_000, "1 day 1 hour"),
            (86_405, "1 day"),
            (-5, "-5 seconds"),
        ] as [(Int64, String)])
    func durationsAreWords(_ seconds: Int64, _ text: String) { #expect(Words.duration(seconds) == text) }

    @Test func narrowScreensBreakTheLastColumnOnly() {
        var table = TextTable("Name", "What it is")
        table.add(["a", "one two three four five six seven eight nine ten"])
        #expect(
            table.text(Screen(width: 40)) == """
                Name  What it is
                a     one two three four five six seven
                      eight nine ten

                """)
    }
}
