// SPDX-License-Identifier: Apache-2.0

/// The technician's pages, in the order of their navigation.
public enum TechnicianArea: String, Sendable, CaseIterable {
    /// The pages; each raw value is the last part of its path, except `overview`, which is `/tech` itself.
    case overview, places, radio, time, sync, plugins, storage, network, log, checks, audit, calibration, access, reboot,
        update,
        identity

    static let family = TextFamily("tech.area", allCases.map(\.rawValue))

    var link: Link { self == .overview ? Link("/tech") : Link(page: ["tech", rawValue]) }
}
