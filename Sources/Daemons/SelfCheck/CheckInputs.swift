// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// What the self-check looks at. What is absent was not asked, or did not answer, and gives no finding.
public struct CheckInputs: Sendable {
    public var status: Exposure1.Status?
    public var radio: Device1.Radio?
    public var time: Device1.Time?
    public var freshness: Sync1.Freshness?
    /// Version of the authority's rules; 0 without any.
    public var rulesVersion: Int64?
    public var processes: Technician1.ProcessesReply?
    public var storage: Device1.Storage?
    public var auditIsIntact: Bool?
    public var secondsToRollBack: Int64?
    /// Unix seconds; absent while the time is not known.
    public var now: Int64?

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
    public var finding: Finding
    /// What it is about: a plugin's or source's name.
    public var name: String?
    /// The board's own English sentence about it.
    public var detail: String?

    public init(_ finding: Finding, name: String? = nil, detail: String? = nil) {
        self.finding = finding
        self.name = name
        self.detail = detail
    }
}
