// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import WebSafety

enum SafetyHeaderNames {
    /// A stream says by itself what it is and that nobody keeps it.
    static let forStreams = SafetyHeaders.all(scripts: true).filter { $0.0 != "Cache-Control" }
}

/// What a monitoring is told: counts, never anything about a person, a place or an identifier.
enum MetricSources {
    static let questions: [String: InterfaceClient.Question] = [
        "status": .init(Exposure1.Method.getStatus), "radio": .init(Device1.Method.getRadio),
        "storage": .init(Device1.Method.getStorage), "sync": .init(Sync1.Method.getFreshness),
        "traffic": .init(Egress1.Method.getTraffic),
        "processes": .init(Technician1.Method.getProcesses), "configuration": .init(Trust1.Method.getConfiguration),
    ]

    static func families(_ answers: [String: JSON]) -> [MetricFamily] {
        radio(answers["radio"]?["radio"]) + storage(answers["storage"]?["storage"]) + sync(answers["sync"]?["freshness"])
            + traffic(answers["traffic"]) + processes(answers["processes"]) + status(answers["status"]?["status"])
            + configuration(answers["configuration"])
    }

    private static func status(_ status: JSON?) -> [MetricFamily] {
        guard let status else { return [] }
        return [
            MetricFamily(
                "vigil_enabled", .gauge, "Whether the wearer takes part.", status["enabled"]?.bool == true ? 1 : 0),
            MetricFamily(
                "vigil_state", .gauge, "How the device is.", by: "state", [status["state"]?.string ?? "unknown": 1]),
        ]
    }

    private static func radio(_ radio: JSON?) -> [MetricFamily] {
        guard let radio else { return [] }
        func number(_ name: String) -> Int64 { radio[name]?.int ?? 0 }
        return [
            MetricFamily("vigil_on_air", .gauge, "Whether an identifier is on air.", radio["onAir"]?.bool == true ? 1 : 0),
            MetricFamily("vigil_scanning", .gauge, "Whether the receiver is on.", radio["scanning"]?.bool == true ? 1 : 0),
            MetricFamily("vigil_rotations_total", .counter, "Identifiers put on air.", number("rotationCount")),
            MetricFamily("vigil_scans_total", .counter, "Scans made.", number("scanCount")),
            MetricFamily("vigil_quiet_scans_total", .counter, "Scans that heard nothing at all.", number("quietScanCount")),
            MetricFamily("vigil_lost_scans_total", .counter, "Scans that could not be stored.", number("lostScanCount")),
            MetricFamily("vigil_reports_total", .counter, "Advertisements of any kind.", number("reportCount")),
            MetricFamily(
                "vigil_exposure_notifications_total", .counter, "Advertisements of Exposure Notification.",
                number("exposureNotificationCount")),
            MetricFamily(
                "vigil_worst_rotation_lateness_milliseconds", .gauge, "How late an identifier was changed at worst.",
                number("worstRotationLateness")),
            MetricFamily(
                "vigil_radio_troubles_total", .counter, "Steps taken against trouble with the controller.", by: "step",
                counts(radio["ladder"])),
        ]
    }

    private static func storage(_ storage: JSON?) -> [MetricFamily] {
        guard let storage else { return [] }
        return [
            MetricFamily("vigil_stored_days", .gauge, "Days for which there are sightings.", storage["dayCount"]?.int ?? 0),
            MetricFamily(
                "vigil_written_bytes_total", .counter, "Bytes written by the core.", storage["writtenByteCount"]?.int ?? 0),
            MetricFamily("vigil_storage_findings", .gauge, "Things found damaged.", storage["findings"]?.array?.count ?? 0),
            MetricFamily(
                "vigil_storage_problem", .gauge, "Whether nothing can be stored.", storage["problem"]?.string == nil ? 0 : 1
            ),
        ]
    }

    private static func sync(_ freshness: JSON?) -> [MetricFamily] {
        guard let sources = freshness?["sources"]?.array else { return [] }
        func samples(_ field: String) -> [MetricFamily.Sample] {
            sources.compactMap { source in
                guard let name = source["name"]?.string, let value = source[field]?.int else { return nil }
                return MetricFamily.Sample(Double(value), ["source": name])
            }
        }
        return [
            MetricFamily(
                "vigil_sync_last_success_seconds", .gauge, "When it last worked, Unix seconds.",
                samples: samples("lastSuccess")),
            MetricFamily(
                "vigil_sync_missing_packages", .gauge, "Packages that are known and not here.",
                samples: samples("missingCount")),
            MetricFamily("vigil_sync_packages_total", .counter, "Packages fetched.", samples: samples("packageCount")),
            MetricFamily("vigil_sync_bytes_total", .counter, "Bytes fetched.", samples: samples("byteCount")),
        ]
    }

    private static func traffic(_ traffic: JSON?) -> [MetricFamily] {
        guard let callers = traffic?["callers"]?.array else { return [] }
        func samples(_ field: String) -> [MetricFamily.Sample] {
            callers.compactMap { caller in
                guard let name = caller["name"]?.string, let value = caller[field]?.int else { return nil }
                return MetricFamily.Sample(Double(value), ["process": name])
            }
        }
        return [
            MetricFamily(
                "vigil_sent_bytes_total", .counter, "Bytes sent to the network.", samples: samples("sentByteCount")),
            MetricFamily(
                "vigil_received_bytes_total", .counter, "Bytes received from the network.",
                samples: samples("receivedByteCount")),
        ]
    }

    private static func processes(_ reply: JSON?) -> [MetricFamily] {
        guard let list = reply?["processes"]?.array else { return [] }
        func samples(_ value: (JSON) -> Int64?) -> [MetricFamily.Sample] {
            list.compactMap { process in
                guard let name = process["name"]?.string, let value = value(process) else { return nil }
                return MetricFamily.Sample(Double(value), ["process": name])
            }
        }
        return [
            MetricFamily(
                "vigil_process_restarts_total", .counter, "How often a process was started again.",
                samples: samples { $0["restarts"]?.int }),
            MetricFamily(
                "vigil_process_memory_bytes", .gauge, "Memory of a process.", samples: samples { $0["memory"]?.int }),
            MetricFamily(
                "vigil_process_quarantined", .gauge, "Whether a process was given up.",
                samples: samples { $0["state"]?.string == "quarantined" ? 1 : 0 }),
        ]
    }

    /// For whoever looks after many boards: which version holds, and on which one something went wrong.
    private static func configuration(_ reply: JSON?) -> [MetricFamily] {
        guard let reply else { return [] }
        let held = reply["version"]?.int ?? 0
        return [
            MetricFamily(
                "vigil_configuration_version", .gauge, "Version of the fleet's configuration that holds; 0 without one.",
                held),
            MetricFamily(
                "vigil_configuration_on_trial", .gauge, "Whether a configuration is on trial.",
                reply["trial"] == nil ? 0 : 1),
            MetricFamily(
                "vigil_configuration_taken_back", .gauge, "Whether a newer one than the one that holds was taken back.",
                (reply["takenBack"]?.int ?? 0) > held ? 1 : 0),
            MetricFamily(
                "vigil_configuration_refused", .gauge, "Whether the last one that was brought was refused.",
                reply["refusedReason"] == nil ? 0 : 1),
        ]
    }

    private static func counts(_ value: JSON?) -> [String: Int] {
        var counts: [String: Int] = [:]
        for member in value?.object?.members ?? [] { counts[member.name] = member.value.int.map { Int(clamping: $0) } }
        return counts
    }
}
