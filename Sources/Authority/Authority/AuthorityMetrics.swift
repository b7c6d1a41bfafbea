// SPDX-License-Identifier: Apache-2.0

import HTTPService
import SQLiteFile

extension HealthAuthority {
    /// What waits, for a monitoring: it grows with each warning, so it is told by the hour. Keys count padding.
    func waitingMetrics(now: Int64) throws(AuthorityError) -> [MetricFamily] {
        var waiting: [String: Int] = [:]
        var waitingSeconds: [MetricFamily.Sample] = []
        for (name, number) in try regions(now: now) {
            var oldest: Int64?
            try database.run("SELECT count(*), min(hour) FROM pending WHERE region = ?", [.integer(number)]) { row in
                waiting[name] = Int(row[0].integer ?? 0)
                oldest = row[1].integer
            }
            let age = oldest.map { max(0, now - Hour.start($0)) } ?? 0
            waitingSeconds.append(.init(Double(age), ["region": name]))
        }
        let registered =
            settings.swissCovid == nil
            ? []
            : [
                MetricFamily(
                    "vigil_push_registrations", .gauge, "Devices that have registered in the last four weeks.",
                    try registrationCount())
            ]
        return registered + [
            MetricFamily("vigil_waiting_keys", .gauge, "Keys that wait for publication.", by: "region", waiting),
            MetricFamily(
                "vigil_waiting_seconds", .gauge, "Since the first hour that may hold the oldest key that waits.",
                samples: waitingSeconds),
        ]
    }

    /// What was done and what is public, for a monitoring.
    func metrics(now: Int64) throws(AuthorityError) -> [MetricFamily] {
        var events: [String: Int] = [:]
        try database.run("SELECT event, count(*) FROM audit GROUP BY event") { row in
            if let event = row[0].text, let count = row[1].integer { events[event] = Int(count) }
        }
        var families = [
            MetricFamily("vigil_authority_events_total", .counter, "Events in the audit.", by: "event", events)
        ]
        if let last = try database.first("SELECT max(time) FROM package WHERE announced = 1")?.integer {
            families.append(
                MetricFamily(
                    "vigil_last_publication_age_seconds", .gauge, "Since the last package became public.",
                    max(0, now - last)))
        }
        families.append(
            MetricFamily(
                "vigil_wakes_waiting", .gauge, "Regions whose boards are still to be woken.",
                try database.first("SELECT count(*) FROM wake")?.integer ?? 0))
        if let generation = Generation.currentNumber(folder) {
            families.append(MetricFamily("vigil_generation", .gauge, "Number of the public tree.", generation))
        }
        return families
    }
}
