// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The answers that the self-check examines. An answer that is absent, because it was not asked for or did not come, leads
/// to no finding.
public struct CheckInputs: Sendable {
    /// The core's answer about the wearer's side; `nil` if it was not asked, or did not answer.
    public var status: Exposure1.Status?
    /// The core's answer about the controller, scans and rotation; `nil` if it was not asked, or did not answer.
    public var radio: Device1.Radio?
    /// The core's answer about the time; `nil` if it was not asked, or did not answer.
    public var time: Device1.Time?
    /// The sync plugin's answer about its sources; `nil` if it was not asked, or did not answer.
    public var freshness: Sync1.Freshness?
    /// The version of the authority's rules, above 0; 0 if there are none, `nil` if the core was not asked, or did not
    /// answer.
    public var rulesVersion: Int64?
    /// The supervisor's answer about processes, partitions and the battery; `nil` if it was not asked, or did not answer.
    public var processes: Technician1.ProcessesReply?
    /// The core's answer about its disk; `nil` if it was not asked, or did not answer.
    public var storage: Device1.Storage?
    /// Whether the whole audit log verified (`false` leads to a finding); `nil` if the core was not asked, or did not
    /// answer.
    public var auditIsIntact: Bool?
    /// The number of seconds until an unconfirmed change of the network is taken back, 0 or more; any number leads
    /// to a finding. `nil` if there is none, or the supervisor was not asked, or did not answer.
    public var secondsToRollBack: Int64?
    /// The core's answer about the configuration of the board's fleet; `nil` if it was not asked, or did not answer.
    public var configuration: Trust1.ConfigurationReply?
    /// The current time in Unix seconds; `nil` if it is not known, and then the age of keys and certificates leads to no
    /// finding.
    public var now: Int64?

    /// Creates inputs from these answers; those left out count as not asked for, and lead to no finding.
    public init(
        status: Exposure1.Status? = nil, radio: Device1.Radio? = nil, time: Device1.Time? = nil,
        freshness: Sync1.Freshness? = nil,
        rulesVersion: Int64? = nil, processes: Technician1.ProcessesReply? = nil, storage: Device1.Storage? = nil,
        auditIsIntact: Bool? = nil, secondsToRollBack: Int64? = nil,
        configuration: Trust1.ConfigurationReply? = nil, now: Int64? = nil
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
        self.configuration = configuration
        self.now = now
    }
}

/// One finding about this board, and its subject.
public struct Found: Sendable, Equatable {
    /// The finding, from the fixed catalogue.
    public var finding: Finding
    /// The name of the finding's subject, such as a plugin, source or partition; `nil` if it is the board.
    public var name: String?
    /// The board's own English sentences about the finding, one a line; they may quote servers and the kernel. `nil` if the
    /// fixed texts say everything.
    public var detail: String?

    /// Creates a finding of these values.
    ///
    /// - Parameters:
    ///   - name: The name of the finding's subject; `nil` if it is the board.
    ///   - detail: The board's own English sentence about the finding; `nil` if the fixed texts say everything.
    public init(_ finding: Finding, name: String? = nil, detail: String? = nil) {
        self.finding = finding
        self.name = name
        self.detail = detail
    }
}
