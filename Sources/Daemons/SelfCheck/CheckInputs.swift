// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// What the self-check looks at. What is absent was not asked, or did not answer, and gives no finding.
public struct CheckInputs: Sendable {
    /// What the core says about the wearer's side.
    public var status: Exposure1.Status?
    /// What the core says about the controller, scans and rotation.
    public var radio: Device1.Radio?
    /// What the core says about the time.
    public var time: Device1.Time?
    /// What the sync plugin says about its sources.
    public var freshness: Sync1.Freshness?
    /// The version of the authority's rules; 0 if there are none.
    public var rulesVersion: Int64?
    /// What the supervisor says about processes, partitions and the battery.
    public var processes: Technician1.ProcessesReply?
    /// What the core says about its disk.
    public var storage: Device1.Storage?
    /// Whether the audit log verified as a whole.
    public var auditIsIntact: Bool?
    /// Seconds until an unconfirmed change of the network is taken back; absent if none waits.
    public var secondsToRollBack: Int64?
    /// Unix seconds; absent while the time is not known.
    public var now: Int64?

    /// All that is left out counts as not asked.
    public init(
        status: Exposure1.Status? = nil, radio: Device1.Radio? = nil, time: Device1.Time? = nil,
        freshness: Sync1.Freshness? = nil,
        rulesVersion: Int64? = nil, processes: Technician1.ProcessesReply? = nil, storage: Device1.Storage? = nil,
        auditIsIntact: Bool? = nil, secondsToRollBack: Int64? = nil, now: Int64? = nil
    ) {
        self.status = status
        self.radio = radio
        self.time = time
        self.freshness = freshness
        self.rulesVersion = rulesVersion
        self.processes = processes
        self.storage = storage
        self.auditIsIntact = auditIsIntact
        self.secondsToRollBack = secondsToRollBack
        self.now = now
    }
}

/// Something that was found.
public struct Found: Sendable, Equatable {
    /// What was found.
    public var finding: Finding
    /// What it is about, such as the name of a plugin, source or partition; `nil` if it is about the board.
    public var name: String?
    /// The board's own English sentence about it, or several on lines; it may quote servers' and kernels' words.
    public var detail: String?

    /// - Parameters:
    ///   - name: What it is about; `nil` if it is about the board.
    ///   - detail: The board's own English sentence about it.
    public init(_ finding: Finding, name: String? = nil, detail: String? = nil) {
        self.finding = finding
        self.name = name
        self.detail = detail
    }
}
