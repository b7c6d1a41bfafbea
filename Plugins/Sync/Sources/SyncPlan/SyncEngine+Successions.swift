// SPDX-License-Identifier: Apache-2.0

import Trust

extension SyncEngine {
    /// Fetches the list of an authority's successions and gives the core each, in their order: it knows which are new. Whatever goes wrong here is
    /// counted and keeps nothing else from working.
    ///
    /// Nothing is kept here: a core that lost its ledger gets all of them again with the next run. Each proves itself, so it is fetched by a device
    /// that does not know the time, too; without a new time key it might never learn it.
    mutating func carrySuccessions(_ run: inout Run, isTimeAuthenticated: Bool) throws(SyncStop) {
        let source = run.source
        guard let path = source.successionsPath, source.kind != .folder else { return }
        guard ports.mayCarrySuccessions else {
            return countStanding(
                source, "successions",
                "giving changes of signing keys to the core was not granted to this plugin: grant it (org.vigil.trust1), or leave out the source's successions"
            )
        }
        let request = FetchRequest(
            source: source, path: path, maximumBytes: SuccessionList.maximumByteCount, totalSeconds: 30,
            ignoresCertificate: !isTimeAuthenticated)
        switch try ports.fetch(request) {
        case .success(let answer):
            facts(of: source) { $0.byteCount += answer.receivedByteCount }
            let list: SuccessionList
            do throws(TrustError) { list = try SuccessionList(parsing: answer.body) } catch {
                countStanding(source, "successions", "\(error)")
                break
            }
            try give(list.files, of: source)
        // It has never changed its keys.
        case .failure(let failure) where failure.scope == .absent: break
        case .failure(let failure): countStanding(source, "successions-\(failure.name)", failure.sentence)
        }
        try ports.followSigners(of: source)
    }

    /// A fault stands if the last one is not what the core can take: a device that was provisioned later knows the keys of earlier ones not at all.
    private mutating func give(_ files: [String], of source: SourceSettings) throws(SyncStop) {
        var fault: CoreFailure?
        for file in files {
            switch try ports.takeSuccession(file, of: source) {
            case .success(let isNew):
                fault = nil
                if isNew { ports.note("\(source.name): the keys of the health authority were changed") }
            case .failure(let failure) where failure.kind == .older: fault = nil
            case .failure(let failure): fault = failure
            }
        }
        if let fault { countStanding(source, "successions", fault.sentence) }
    }
}

/// The part of ``SyncPorts`` for changes of signing keys.
public protocol SuccessionPorts: AnyObject {
    /// Whether this plugin's grants permit it to give successions to the core.
    var mayCarrySuccessions: Bool { get }
    /// Gives one succession to the core, as it was published; the core verifies it. Blocks until the core answers.
    /// - Returns: Whether it was new to the core, or why the core refused it.
    /// - Throws: `SyncStop` when the process is to end.
    func takeSuccession(_ file: String, of source: SourceSettings) throws(SyncStop) -> Result<Bool, CoreFailure>
    /// Gives the configuration of the board's fleet to the core, as it was published. Blocks until the core answers.
    /// - Returns: Whether it is on trial now, or why the core refused it.
    /// - Throws: `SyncStop` when the process is to end.
    func takeFleetConfiguration(_ file: String) throws(SyncStop) -> Result<Bool, CoreFailure>
    /// Asks the core which keys may sign the source's configurations after successions, and from then on accepts
    /// those instead of the keys of the same names in the settings; keys of the settings whose names the core does
    /// not know still count. Without a succession the keys of the settings count. A core that does not answer
    /// changes nothing. Blocks until the core answers.
    /// - Throws: `SyncStop` when the process is to end.
    func followSigners(of source: SourceSettings) throws(SyncStop)
}

/// The defaults, for ports without successions.
extension SuccessionPorts {
    /// Whether successions may be given to the core; `false` by default.
    public var mayCarrySuccessions: Bool { false }

    /// Returns a failure, `notPermitted`, for every succession; never throws.
    public func takeSuccession(_ file: String, of source: SourceSettings) throws(SyncStop) -> Result<Bool, CoreFailure> {
        .failure(CoreFailure(.notPermitted, name: "successions", sentence: "successions are not carried here"))
    }

    /// Returns a failure, `notPermitted`, for every configuration; never throws.
    public func takeFleetConfiguration(_ file: String) throws(SyncStop) -> Result<Bool, CoreFailure> {
        .failure(CoreFailure(.notPermitted, name: "fleet", sentence: "configurations are not carried here"))
    }

    /// Does nothing, and never throws: there are no signers to follow.
    public func followSigners(of source: SourceSettings) throws(SyncStop) {}
}
