// SPDX-License-Identifier: Apache-2.0

import Trust

extension SyncEngine {
    /// Fetches the configuration of the board's fleet and gives it to the core as it was published; core and supervisor judge it. Notes whether it is on trial there: then it is
    /// fetched again soon, however this run ends, because that it comes again is what it is kept by. Whatever goes wrong here is counted and keeps nothing else from working.
    mutating func carryFleetConfiguration(_ run: inout Run, isTimeAuthenticated: Bool) throws(SyncStop) {
        let source = run.source
        guard let path = source.fleetConfigurationPath, source.kind != .folder else { return }
        guard ports.mayCarrySuccessions else {
            countStanding(
                source, "fleet",
                "giving the fleet's configuration to the core was not granted to this plugin: grant it (org.vigil.trust1), or leave out the source's fleetConfiguration"
            )
            return
        }
        let request = FetchRequest(
            source: source, path: path, maximumBytes: SignedConfiguration.maximumFileByteCount, totalSeconds: 30,
            ignoresCertificate: !isTimeAuthenticated)
        switch try ports.fetch(request) {
        case .success(let answer):
            facts(of: source) { $0.byteCount += answer.receivedByteCount }
            guard let file = String(validating: answer.body, as: UTF8.self) else {
                countStanding(source, "fleet", "the fleet's configuration is not text in UTF-8")
                return
            }
            switch try ports.takeFleetConfiguration(file) {
            case .success(let isOnTrial): if isOnTrial { onTrial.insert(source.name) }
            case .failure(let failure):
                if failure.kind == .stillOnTrial { onTrial.insert(source.name) }
                countStanding(source, "fleet", failure.sentence)
            }
        // The fleet has none.
        case .failure(let failure) where failure.scope == .absent: break
        case .failure(let failure): countStanding(source, "fleet-\(failure.name)", failure.sentence)
        }
    }
}
