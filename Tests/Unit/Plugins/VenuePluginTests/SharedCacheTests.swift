// SPDX-License-Identifier: Apache-2.0

import Authority
import CrowdNotifier
import Cryptography
import FoundationEssentials
import Glibc
import HTTPClient
import PluginKit
import RandomValues
import TestKit
import Testing
import Trust
import VenuePlan

@testable import VenuePlugin

/// A real authority behind a real nginx that keeps answers and ignores the question behind the address, as a cache of a network may. It changes no byte, and every
/// answer is rightly signed.
@Suite(.serialized) final class SharedCacheTests {
    private static let now: Int64 = 20_770 * 86_400 + 10 * 3_600
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-cache-\(Unique.name())"
    private let authority: HealthAuthority
    private let service: AuthorityService
    private let port: Int
    private var nginx: pid_t = 0

    init() throws {
        for part in ["cache", "nginx", "board", "spool"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
        }
        let state = try StateFolder.make(at: folder + "/authority").folder
        var settings = AuthoritySettings()
        settings.http.port = 0
        settings.http.adminPort = 0
        settings.swissCovid = .init()
        authority = try HealthAuthority(folder: state, settings: settings)
        _ = try authority.publish(now: Self.now - 3_600)
        service = try AuthorityService(
            folder: state, settings: settings, clock: AuthorityClock(startingAt: Self.now + 3 * 86_400),
            publishesAtOnce: false, log: { _ in })
        port = Int(try Unique.port())
        let places = ["client_body", "fastcgi", "proxy", "scgi", "uwsgi"].map { "\($0)_temp_path \(folder)/nginx/\($0);" }
        // The key has no question: that is the fault.
        let configuration = """
            daemon off; worker_processes 1; pid \(folder)/nginx/pid; error_log \(folder)/nginx/error.log;
            events { worker_connections 64; }
            http {
                access_log off; \(places.joined(separator: " "))
                proxy_cache_path \(folder)/cache keys_zone=all:1m;
                server {
                    listen 127.0.0.1:\(port);
                    location / {
                        proxy_pass http://127.0.0.1:\(service.port);
                        proxy_cache all; proxy_cache_key $uri; proxy_cache_valid 200 1d; proxy_ignore_headers Cache-Control;
                    }
                }
            }
            """
        let file = folder + "/nginx.conf"
        try Data(configuration.utf8).write(to: URL(filePath: file))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        let path = access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : "nginx"
        let arguments: [String] = [path, "-p", folder, "-c", file, "-e", folder + "/nginx/error.log"]
        let words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        try #require(startProgram(&nginx, path, &actions, words) == 0, "nginx cannot be started")
        try #require(eventually { (try? get("/version")) != nil }, "nginx does not answer")
    }

    deinit {
        if nginx > 0 {
            kill(nginx, SIGTERM)
            var status: Int32 = 0
            waitpid(nginx, &status, 0)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func get(_ path: String) throws -> [UInt8] {
        try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true)).send(
            HTTPRequest("http://127.0.0.1:\(port)\(path)", answerHeaders: [])
        ).body
    }

    private func board() throws -> VenueStore {
        let seal = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        return VenueStore(
            try KeyValueStore(
                folder: folder + "/board", limit: VenueStore.storeBytes, seal: seal, slotBytes: VenueStore.slotBytes),
            choice: try KeyValueStore(
                folder: folder + "/board", name: VenueStore.choiceName, seal: seal, slotBytes: VenueStore.choiceSlotBytes))
    }

    /// Somebody who is up to date asks first. Whoever asks for all then is given a list without keys, signed today: the wearer is not told that there is no warning, and is warned
    /// when the cache is gone.
    @Test func aCacheThatIgnoresTheQuestionHidesNoWarning() throws {
        let (now, hour) = (Self.now, Int64(3_600))
        let venue = try CrowdNotifierVenue(
            name: "Canary", address: "", start: 0, end: 4_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: 1, count: 32), countryData: [])
        let warning = VenueWarning(from: now - 3 * hour, until: now - 2 * hour, message: "Somebody sang.")
        #expect(try authority.warnVisitors(of: venue, warning, now: now) == 1)
        let later = now + 3 * 86_400
        _ = try authority.publish(now: later)
        let newest = later / 86_400 * 86_400 * 1_000
        #expect(try get("/v3/traceKeys?lastKeyBundleTag=\(newest)") == TraceKeyList.encoded([]))
        #expect(try get("/v3/traceKeys?lastKeyBundleTag=0") == TraceKeyList.encoded([]))

        var settings = VenueSettings()
        settings.systems = ["swissCovid"]
        settings.plainHTTP = true
        settings.swissCovidServer = "http://127.0.0.1:\(port)"
        settings.signers = try authority.publicKeys(now: later).filter { $0.role == .config }.map {
            VenueSettings.Signer(system: "swissCovid", name: "\($0.name)", key: $0.pem, role: "config")
        }
        let store = try board()
        try store.change { records in
            try records.diary.checkOut(
                try records.diary.checkIn(.swissCovid(venue), at: now - 3 * hour), at: now - 2 * hour)
        }
        func look(at moment: Int64) throws {
            try WarningFetcher(
                store: store, settings: settings, unzip: nil, spool: folder + "/spool",
                configuration: HTTPConfiguration(allowsPlainHTTP: true), cancellation: HTTPCancellation()
            ).run(at: moment)
        }
        try look(at: later)
        #expect(store.records.downloads.checked == [:] && store.records.diary.notices.isEmpty)
        #expect(store.records.downloads.problems[.swissCovid]?.contains("begins later") == true)
        // The cache forgets everything.
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder + "/cache")
        #expect(!kept.isEmpty)
        for name in kept { try FileManager.default.removeItem(atPath: "\(folder)/cache/\(name)") }
        try look(at: later + hour)
        #expect(store.records.diary.notices.map(\.content) == [.message("Somebody sang.")])
        #expect(store.records.downloads.problems == [:] && store.records.downloads.tag == newest)
        #expect(store.records.downloads.checked == [.swissCovid: later + hour])
    }
}
