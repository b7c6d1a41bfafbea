// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The answers that the self-check looks at. What is absent was not asked, or did not answer, and gives no finding.
public struct CheckInputs: Sendable {
    /// The core's answer about the wearer's side; `nil` if it was not asked, or did not answer.
    public var status: Exposure1.Status?
    /// The core's answer about the controller, scans and rotation; `nil` if it was not asked, or did not answer.
    public var radio: Device1.Radio?
    /// The core's answer about the time; `nil` if it was not asked, or did not answer.
    public var time: Device1.Time?
    /// The sync plugin's answer about its sources; `nil` if it was not asked, or did not answer.
    public var freshness: Sync1.Freshness?
    /// The version of the authority's rules, above 0; 0 if there are none, `nil` if it was not asked, or did not answer.
    public var rulesVersion: Int64?
    /// The supervisor's answer about processes, partitions and the battery; `nil` if it was not asked, or did not answer.
    public var processes: Technician1.ProcessesReply?
    /// The core's answer about its disk; `nil` if it was not asked, or did not answer.
    public var storage: Device1.Storage?
    /// Whether the audit log verified as a whole (`false` is a finding); `nil` if it was not asked, or did not answer.
    public var auditIsIntact: Bool?
    /// Seconds until an unconfirmed change of the network is taken back; `nil` if none waits, it was not asked, or did not answer.
    public var secondsToRollBack: Int64?
    /// The present moment in Unix seconds; `nil` while the time is not known, and then the age of keys and certificates gives no finding.
    public var now: Int64?

    /// Takes the answers as they are. All that is left out counts as not asked, and gives no finding.
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

/// One finding about this board, and what it is about.
public struct Found: Sendable, Equatable {
    /// The finding, of the fixed catalogue.
    public var finding: Finding
    /// The thing that it is about, such as the name of a plugin, source or partition; `nil` if it is about the board.
    public var name: String?
    /// The board's own English sentence about it, or several on lines; it may quote servers' and kernels' words. `nil` if
    /// the fixed texts say all.
    public var detail: String?

    /// A finding about this board, as it is.
    ///
    /// - Parameters:
    ///   - name: The name of the finding's subject; `nil` if that is the board.
    ///   - detail: The board's own English sentence about it; `nil` if the fixed texts say all.
    public init(_ finding: Finding, name: String? = nil, detail: String? = nil) {
        self.finding = finding
        self.name = name
        self.detail = detail
    }
}
