// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// What holds for every Swift target of ours: warnings are errors, imports say what they expose, existentials are written out.
let house: [SwiftSetting] = [
    .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
]

let houseC: [CSetting] = [.treatAllWarnings(as: .error), .unsafeFlags(["-O2"], .when(configuration: .debug))]

/// For what tests do millions of times: optimised in a build for development too (the pairing of BLS12381 is 400 times as quick by it).
let quick: [SwiftSetting] = [
    .unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))
]

/// Dependencies by name, separated by spaces.
func needs(_ names: [String]) -> [Target.Dependency] {
    let others = ["ArgumentParser": "argument-parser", "Crypto": "crypto", "CryptoExtras": "crypto", "Logging": "log"]
    return names.flatMap { $0.split(separator: " ") }.map(String.init).map { name in
        others[name].map { .product(name: name, package: "swift-\($0)") } ?? .byName(name: name)
    }
}

/// A Swift library and, where `tests` is given, its test target, which depends on the library and on what `tests` names.
func unit(
    _ name: String, _ idea: String, on: String..., tests: String..., exclude: [String] = [], resources: [Resource]? = nil,
    besides settings: [SwiftSetting] = []
) -> [Target] {
    let library = Target.target(
        name: name, dependencies: needs(on), exclude: exclude, resources: resources, swiftSettings: house + settings)
    return tests.isEmpty ? [library] : [library] + suite("\(name)Tests", idea, on: ([name] + tests).joined(separator: " "))
}

/// A test target. What it draws it draws by a seed, from `RandomValues`.
func suite(_ name: String, _ idea: String, on: String...) -> [Target] {
    [.testTarget(name: name, dependencies: needs(["RandomValues"] + on), swiftSettings: house)]
}

/// A library in C; a library of the system.
func c(_ name: String, _ idea: String, links: [LinkerSetting]? = nil) -> [Target] {
    [.target(name: name, cSettings: houseC, linkerSettings: links)]
}
func system(_ name: String, _ idea: String) -> [Target] { [.systemLibrary(name: name)] }

/// An executable in Swift or, where `inC` is given, in C: without the start of Swift programs and the path to its libraries.
/// Such a program's own `link.c` names its libraries.
func program(
    _ name: String, _ idea: String, on: String..., inC: [LinkerSetting]? = nil, at folder: String? = nil,
    exclude: [String] = [], within: [String]? = nil, resources: [Resource]? = nil
) -> [Target] {
    let noSwift = LinkerSetting.unsafeFlags(["-nostartfiles", "-no-toolchain-stdlib-rpath"])
    return [
        .executableTarget(
            name: name, dependencies: needs(on), path: folder, exclude: exclude, sources: within, resources: resources,
            cSettings: inC.map { _ in houseC }, swiftSettings: inC == nil ? house : nil,
            linkerSettings: inC.map { [noSwift] + $0 })
    ]
}

/// A folder of `Sources` or, with `at`, another; its tests are in the folder of `Tests/Unit` with the same name.
func folder(_ name: String, _ idea: String, at: String? = nil, tests: String? = nil, _ parts: [Target]...) -> [Target] {
    let targets = parts.flatMap(\.self)
    for target in targets {
        let place = target.type == .test ? tests ?? "Tests/Unit/\(name)" : at ?? "Sources/\(name)"
        target.path = "\(place)/\(target.path ?? target.name)"
    }
    return targets
}

// The map. A line has a name, an idea, dependencies (`on`) and what its tests need besides (`tests`). A folder may depend on itself and on
// those before it. `make generate` makes the table and the drawing of docs/architecture.md from it.
// swift-format-ignore
let map: [[Target]] = [
    folder("C", "system libraries, and the few functions that Swift cannot call",
        c("CLinux", "system calls that Swift cannot make, and the start of a confined program"),
        c("CGPIO", "lines of the kernel's GPIO character device"),
        c("CConstantTime", "AES without tables, for a board's own keys"),
        c("CMatchKernel", "AES over many published keys and a filter for them, for each kind of processor"),
        system("CMbedTLS", "Mbed TLS 2.28 and 3.6"),
        system("CSQLite", "SQLite"),
        system("CZip", "libzip"),
        system("CCurl", "libcurl"),
        system("CMosquitto", "libmosquitto"),
        system("CMicroHTTPD", "libmicrohttpd"),
        system("CQREncode", "libqrencode"),
        system("CPKCS11", "PKCS#11, the way to a security token"),
        system("CBluetooth", "the kernel's Bluetooth constants, which tests compare with ours"),
        c("CBaseline", "a plain implementation that benchmarks compare Matching with", links: [.linkedLibrary("mbedcrypto")]),
        c("CTracer", "other processes, stopped at each of their system calls")),
    folder("Base", "parts of any program; nothing here knows of exposure notification",
        unit("CodedError", "errors that callers decide about by their code", tests: ""),
        unit("Cryptography", "secrets that cannot leak by accident; the only Swift that talks to Mbed TLS", on: "CConstantTime CivilTime CMbedTLS CodedError", tests: "TestKit", besides: quick),
        unit("BLS12381", "the pairing of mcl, and encryption to an identity by it (decisions/0047-pairings-by-hand.md)", on: "CodedError Cryptography", tests: "Cryptography", besides: quick),
        unit("CBOR", "deterministic CBOR: the value, its strict reader and its writer (donation.md)", on: "CodedError ForeignText", tests: ""),
        unit("PrivacyPass", "tokens that nobody can link to whoever got them, by blind RSA (donation.md)", on: "CodedError Cryptography ForeignText JSON", tests: "Cryptography TestKit"),
        unit("SystemCalls", "system calls with typed errors, and small files read and replaced whole", on: "CLinux", tests: "TestKit"),
        unit("EventLoop", "a process's one loop: descriptors and times, served in order of rank (decisions/0039-one-loop.md)", tests: ""),
        unit("CivilTime", "days of UTC, their dates, and how both are written", tests: ""),
        unit("TimeTrust", "the current time, how sure it is, and what may be done because of it (time.md)", on: "CivilTime", tests: ""),
        unit("Enrolment", "EST: requests, answers, certificates, and the order of a board's first start (enrolment.md)", on: "CodedError Cryptography ForeignText JSON", tests: "Cryptography JSON"),
        unit("BoardEnrolment", "what a board keeps of its enrolment, and one step after the other on it (enrolment.md)", on: "Cryptography Enrolment SystemCalls", tests: "Cryptography Enrolment FleetRegistry HTTPClient HTTPService JSON TestKit"),
        unit("SQLiteFile", "a server's database in one file", on: "CSQLite"),
        unit("IPNetwork", "addresses of the internet protocol, and which are no ordinary ones of the public internet", tests: ""),
        unit("HTTPFields", "header fields of HTTP, without a library", on: "CivilTime", tests: "CivilTime"),
        unit("HTTPClient", "libcurl with limits, and faults by name", on: "CCurl Cryptography ForeignText HTTPFields", tests: "Cryptography FaultServer"),
        unit("HTTPService", "libmicrohttpd with limits, on its own thread or in a caller's loop", on: "CMicroHTTPD ForeignText HTTPFields IPNetwork", tests: "IPNetwork"),
        unit("JSON", "strict JSON: the value, its reader and its writer, and Swift types in it", on: "CodedError ForeignText", tests: "", besides: quick),
        unit("ForeignText", "text that somebody else wrote, fit to be shown, and marks of texts", tests: ""),
        unit("Poster", "a QR code that was read back, alone and on a sheet with plain words: SVG, PDF, PNG", on: "CQREncode ForeignText", tests: "TestKit"),
        unit("SignInPace", "how fast people and strangers may try secrets", tests: ""),
        unit("WiFi", "the wireless network that a card names: read, and written for a card and for iwd (image.md)", tests: ""),
        unit("WebSafety", "form fields, cookies, form tokens, host names, headers of pages with a sign-in", on: "Cryptography ForeignText", tests: "Cryptography")),
    folder("IPC", "the talk of processes, and its texts",
        unit("Varlink", "Varlink messages and interface texts, and both ends of a connection as state machines", on: "CodedError JSON", tests: "JSON"),
        unit("VarlinkSocket", "both ends of a Varlink connection on UNIX sockets", on: "CLinux CodedError ForeignText JSON SystemCalls Varlink", tests: "JSON SystemCalls TestKit Varlink"),
        unit("ProcessLink", "packets and descriptors between the supervisor and its processes", on: "CLinux ForeignText SystemCalls", tests: "CLinux SystemCalls"),
        unit("Interfaces", "the interface texts, their methods and law as cases, and their contents as types (exposure-api.md)", on: "Varlink", tests: "JSON Varlink", exclude: ["Texts"]),
        unit("InterfaceGenerator", "Swift out of interface texts, for developers (varlink.md)", on: "Varlink", tests: "Interfaces Varlink")),
    folder("Exposure", "keys, sightings, matches and risk",
        unit("GAEN", "the protocol: intervals, keys, identifiers, metadata, payloads, schedule of keys", on: "Cryptography", tests: "Cryptography", besides: quick),
        unit("Trust", "which key may sign what: keys by role, validity, spares and successors", on: "CodedError Cryptography JSON", tests: "Cryptography"),
        unit("KeyExport", "export.bin and export.sig: decoder, verifier, encoder, batches", on: "CivilTime CodedError Cryptography ForeignText GAEN Trust", tests: "Cryptography GAEN Trust"),
        unit("KeyStream", "the frames in which a program that unpacks speaks to a process that does not trust it", on: "CodedError ForeignText KeyExport", tests: "KeyExport"),
        unit("KeyLevels", "transmission risk levels: missing ones filled in, and each written as a code", on: "KeyExport"),
        unit("KeyArchive", "the zip around key files; only in vigil-zip and Lab", on: "CZip KeyExport KeyStream Trust", tests: "Cryptography KeyExport KeyStream Trust"),
        unit("KeyIntake", "a caller's key files, all or none: spool, confined program, slices (key-intake.md)", on: "CLinux Cryptography ForeignText GAEN KeyExport", "KeyStream Matching SystemCalls Trust", tests: "CommandFiles Cryptography GAEN KeyArchive KeyExport KeyStream Matching TestKit Trust vigil-zip VirtualAir"),
        unit("Matching", "index of sightings, matches, exposure windows and first-generation exposures", on: "CMatchKernel Cryptography GAEN", tests: "Cryptography GAEN LabKit VirtualAir"),
        unit("Vault", "keys and sightings on disk, and their end (storage.md)", on: "CodedError Cryptography GAEN TimeTrust", tests: "Cryptography GAEN LabKit SandboxC TimeTrust"),
        unit("Ledger", "matches, consents, audit log and evidence in SQLite, every row sealed (storage.md)", on: "CodedError Cryptography CSQLite GAEN Matching", tests: "Cryptography GAEN LabKit Matching"),
        unit("ExposureRisk", "five models of the risk of an encounter, each explained (risk.md)", on: "GAEN Matching", tests: "GAEN Matching"),
        unit("AppConfig", "the signed configurations of health authorities, read by table", on: "CivilTime Cryptography ForeignText HTTPFields JSON KeyExport Trust", tests: "CivilTime Cryptography HTTPFields Trust"),
        unit("RiskConfiguration", "the rules to judge by: authorities' documents and ours, selection, signed slot (risk-configuration.md)",
            on: "AppConfig CivilTime CodedError ExposureRisk ForeignText GAEN JSON Matching Trust", tests: "AppConfig CivilTime Cryptography ExposureRisk GAEN HTTPFields JSON KeyExport Matching PluginManifest SchemaCheck Trust"),
        unit("AuthorityProfile", "one health authority as an operator writes it down and a board follows it", on: "BLS12381 Cryptography ExposureRisk ForeignText GAEN", "Interfaces JSON RiskConfiguration Trust Varlink", tests: "BLS12381 Cryptography ExposureRisk GAEN JSON PluginManifest RiskConfiguration SchemaCheck Trust"),
        unit("PresenceTracing", "Corona-Warn-App's check-ins: codes, submissions, warnings, their risk (check-in-rules.md)", on: "AppConfig CivilTime CodedError Cryptography ExposureRisk KeyExport Trust", tests: "AppConfig CivilTime Cryptography ExposureRisk GAEN Matching Trust"),
        unit("CrowdNotifier", "SwissCovid's check-ins: codes, keys, matching by identity or in privacy, uploads (check-in-rules.md)", on: "AppConfig BLS12381 CivilTime CodedError Cryptography KeyExport Trust", tests: "AppConfig BLS12381 Cryptography JSON Trust"),
        unit("VenueNotices", "NHS COVID-19's venues: signed posters, the list of risky ones (check-in-rules.md)", on: "AppConfig CivilTime CodedError Cryptography JSON Trust", tests: "AppConfig Cryptography JSON Trust"),
        unit("DoorBroadcast", "a place's code in advertisements: fragments of which any that many suffice (check-in-rules.md)", on: "Cryptography", tests: ""),
        unit("DeviceEvidence", "what a device says of itself to an issuer of tokens: COSE and EAT (donation.md)", on: "CBOR CodedError Cryptography", tests: "CBOR Cryptography"),
        unit("Donation", "data donation: a token for each day, rules of both servers, counters, padding (donation.md)", on: "CivilTime Cryptography ForeignText JSON KeyExport PrivacyPass", tests: "CivilTime Cryptography JSON KeyExport PrivacyPass TestKit"),
        unit("ContentBundle", "texts that a health authority wants people to read (content.md)", on: "ForeignText JSON", tests: "JSON SchemaCheck"),
        unit("CommandFiles", "tables, configurations and reports of the commands that need no running board", on: "CivilTime Cryptography ForeignText GAEN KeyExport KeyIntake Matching SystemCalls Trust", tests: "CivilTime Cryptography GAEN KeyExport Matching TimeTrust")),
    folder("Hardware", "radio, clock, lines and power",
        unit("HCI", "the controller's language: H4 framing, commands, events and flow control", on: "CodedError", tests: "CBluetooth"),
        unit("HCITransport", "the ways to a controller, and what to do when one is closed (transports.md)", on: "CLinux CodedError HCI SystemCalls", tests: "HCI TestKit"),
        unit("Radio", "beacon, scanner and watchdog over one controller, as decisions without a clock or a socket (core.md)", on: "DoorBroadcast GAEN HCI", tests: "Cryptography DoorBroadcast GAEN HCI LabKit Simulation VirtualAir"),
        unit("BoardClock", "the machine's clocks, and the time set by hand", on: "CLinux CodedError SystemCalls TimeTrust", tests: "SystemCalls TestKit TimeTrust"),
        unit("GPIOLines", "lights, buzzer, button on the kernel's character device (decisions/0025-lines-as-descriptors.md)", on: "CGPIO SystemCalls"),
        unit("Power", "a battery's charge, how long it lasts, when a board warns and when it stops (power.md)", on: "JSON", tests: ""),
        unit("BoardFile", "the hardware that a board's file describes", on: "JSON Power", tests: "Power"),
        unit("BoardCheck", "the hardware of a running board, against its file (board-check.md)", on: "BoardFile ForeignText GPIOLines HCITransport Power", tests: "BoardFile")),
    folder("Daemons", "the processes of a board, and the console that asks them",
        unit("Core", "the board's daemon: radio, time, keys and memory joined, and callers answered (core.md)",
            on: "AppConfig AuthorityProfile BoardClock CivilTime CLinux ContentBundle Cryptography DeviceEvidence Donation DoorBroadcast Enrolment EventLoop ExposureRisk ForeignText GAEN GPIOLines HCI HCITransport",
                "HTTPFields Interfaces JSON KeyExport KeyIntake Ledger Matching PrivacyPass ProcessLink Radio RiskConfiguration SelfCheck SignInPace SystemCalls TimeTrust Trust Varlink VarlinkSocket",
                "Vault Logging", tests: "Authority AuthorityProfile CivilTime CLinux Cryptography DeviceEvidence Donation DoorBroadcast Enrolment GAEN HCI Interfaces JSON KeyArchive KeyExport KeyIntake LabKit Ledger PrivacyPass SelfCheck TestKit",
                "Matching ProcessLink Radio RiskConfiguration Simulation TimeTrust Trust Varlink VarlinkSocket Vault Verification VirtualAir Logging"),
        unit("Supervision", "when a process is started again, when it is left alone, when the radio is closed", tests: ""),
        unit("Supervisor", "the board's processes: radio, sockets, confinement and restarts (supervisor.md)", on: "BoardClock BoardFile CLinux ContentBundle Cryptography EventLoop",
                "ForeignText GPIOLines HCI HCITransport Interfaces IPNetwork JSON PluginManifest Power ProcessLink Sandbox Supervision SystemCalls TimeTrust Trust Varlink VarlinkSocket Logging", tests: "Cryptography HCITransport JSON LabKit Logging PluginManifest ProcessLink Sandbox Supervision SystemCalls TestKit Trust VarlinkSocket"),
        unit("Sandbox", "the plan of a confinement, and its start (sandbox.md)", on: "CLinux SystemCalls", tests: "TestKit SandboxC vigil-hostile vigil-jail"),
        unit("Socks", "SOCKS5 as bytes in and bytes out, and rules for destinations", on: "CodedError Cryptography IPNetwork", tests: "IPNetwork"),
        unit("Egress", "the only process that opens connections to the outside (egress.md)", on: "CLinux EventLoop Interfaces IPNetwork JSON ProcessLink Socks", "SystemCalls Varlink VarlinkSocket Logging", tests: "Interfaces IPNetwork JSON ProcessLink Socks TestKit Varlink VarlinkSocket Logging"),
        unit("PluginManifest", "a plugin's wishes, the operator's grants (manifest.md)", on: "ForeignText Interfaces IPNetwork JSON Varlink", tests: "Interfaces IPNetwork JSON ProcessLink SchemaCheck Socks Varlink"),
        unit("PluginKit", "the library for authors of plugins: lifecycle, interfaces, settings, storage, one loop (plugins.md)", on: "CLinux CodedError Cryptography EventLoop",
                "Interfaces JSON ProcessLink SystemCalls Varlink VarlinkSocket Logging", tests: "Cryptography hello-swift Interfaces JSON PluginTestKit ProcessLink SystemCalls Varlink VarlinkSocket Logging"),
        unit("SelfCheck", "the faults of a board, from its own reports, for console and page", on: "CivilTime Interfaces"),
        unit("ControlTool", "the questions of vigil ctl to the core, and the answers as text (ctl.md)",
            on: "CivilTime CodedError CommandFiles Cryptography ForeignText GAEN Interfaces JSON KeyExport Power SelfCheck SystemCalls Varlink VarlinkSocket",
            tests: "CommandFiles Core ForeignText Interfaces JSON KeyExport Radio SelfCheck Simulation TimeTrust Trust Varlink VarlinkSocket VirtualAir"),
        unit("PluginTool", "the command vigil plugin: folders and grants, read and changed whole or not at all", on: "CLinux CodedError ControlTool ForeignText Interfaces JSON PluginManifest SystemCalls Varlink", tests: "ControlTool JSON PluginManifest")),
    folder("Plugins", "the plugins of this tree, each a plan and a process around it", at: "Plugins/Sync/Sources",
        unit("SyncPlan", "which packages to fetch when (sync.md)", on: "AppConfig CivilTime ForeignText HTTPFields JSON Trust", tests: "AppConfig CivilTime SyncTrial", besides: quick),
        unit("SyncPlugin", "the process around SyncPlan: settings, servers, core and disk", on: "AppConfig Cryptography ForeignText HTTPClient Interfaces JSON KeyExport KeyIntake", "PluginKit SyncPlan SystemCalls Trust Varlink VarlinkSocket Logging", tests: "AppConfig CivilTime ContentBundle Cryptography ExposureRisk FaultServer GAEN",
                "HTTPFields Interfaces JSON KeyArchive KeyExport PluginKit PluginManifest PluginTestKit RiskConfiguration SyncPlan Trust vigil-zip")),
    folder("Plugins", "the plugin Wake", at: "Plugins/Wake/Sources",
        unit("WakePlan", "which wake leads to which sync, when to connect, when to register (wake.md)", tests: "JSON"),
        unit("WakePlugin", "libmosquitto on a plugin's loop, by the decisions of WakePlan", on: "CMosquitto HTTPClient Interfaces PluginKit SystemCalls WakePlan", tests: "CMosquitto Egress Interfaces IPNetwork JSON PluginKit PluginManifest ProcessLink TestKit Socks Varlink VarlinkSocket WakePlan Logging")),
    folder("Plugins", "the plugin Diagnosis", at: "Plugins/Diagnosis/Sources",
        unit("DiagnosisPlan", "codes, results and submissions: what may be sent, how long it is, and when (warn-others.md)", on: "CivilTime CodedError Cryptography GAEN HTTPFields JSON KeyExport PresenceTracing", tests: "CivilTime Cryptography GAEN JSON KeyExport KeyLevels PresenceTracing"),
        unit("DiagnosisPlugin", "the process around DiagnosisPlan: its interface, its file and its slots",
            on: "CivilTime Cryptography DiagnosisPlan GAEN HTTPClient Interfaces JSON PluginKit PresenceTracing VarlinkSocket Logging", tests: "Cryptography DiagnosisPlan GAEN",
                "HTTPClient Interfaces JSON KeyExport PluginKit PluginTestKit PresenceTracing TestKit Varlink VarlinkSocket Verification Logging")),
    folder("Plugins", "the plugin Donation", at: "Plugins/Donation/Sources",
        unit("DonationPlugin", "carries requests for tokens and donations to the servers (donation.md)", on: "Cryptography HTTPClient Interfaces JSON PluginKit PrivacyPass Logging", tests: "Cryptography DonationTrial HTTPClient Interfaces JSON PluginKit PluginManifest PluginTestKit PrivacyPass ProcessLink Varlink")),
    folder("Plugins", "the plugin Enrolment", at: "Plugins/Enrolment/Sources",
        unit("EnrolmentPlugin", "carries a board's enrolment to the fleet's registration authority, and says how it stands (enrolment.md)", on: "BoardEnrolment CivilTime Cryptography Enrolment HTTPClient Interfaces PluginKit Logging", tests: "Cryptography Enrolment FleetRegistry HTTPService Interfaces JSON PluginKit PluginManifest PluginTestKit ProcessLink TestKit Varlink")),
    folder("Plugins", "the plugin Indicator", at: "Plugins/Indicator/Sources",
        unit("IndicatorPlan", "what blinks and sounds when, and what goes before what (indicator.md)", tests: "Core"),
        unit("IndicatorPlugin", "lights and buzzer, by the decisions of IndicatorPlan", on: "GPIOLines IndicatorPlan Interfaces PluginKit Logging", tests: "Interfaces JSON PluginKit PluginTestKit")),
    folder("Plugins", "the plugin Venue", at: "Plugins/Venue/Sources",
        unit("VenuePlan", "a wearer's diary of visits and a host's codes, as values (check-in-rules.md)", on: "AppConfig BLS12381 CivilTime CodedError CrowdNotifier Cryptography ExposureRisk JSON", "PresenceTracing VenueNotices", tests: "AppConfig BLS12381 CivilTime CrowdNotifier Cryptography ExposureRisk JSON PresenceTracing VenueNotices"),
        unit("VenuePlugin", "the process around VenuePlan: its interface, its file and its servers", on: "AppConfig BLS12381 CivilTime CrowdNotifier Cryptography ExposureRisk ForeignText",
                "HTTPClient Interfaces JSON KeyIntake PluginKit PresenceTracing SyncPlan Trust VarlinkSocket VenueNotices VenuePlan Logging", tests: "AppConfig Authority BLS12381 CivilTime CrowdNotifier Cryptography DiagnosisPlan DiagnosisPlugin ExposureRisk FaultServer GAEN HTTPClient Interfaces JSON KeyArchive KeyExport KeyIntake PluginKit PluginManifest PluginTestKit PresenceTracing TestKit Trust Varlink VarlinkSocket VenueNotices VenuePlan Verification vigil-zip")),
    folder("Plugins", "the plugin WebUI", at: "Plugins/WebUI/Sources",
        unit("WebPages", "the board's pages as functions from models to markup, in four languages (web-page.md)", on: "CivilTime ForeignText Interfaces JSON Poster SelfCheck", tests: "ContentBundle Interfaces Poster SelfCheck WebPagesGallery"),
        unit("WebUIPlugin", "everything around the pages: listeners, sessions, forms, REST and events",
            on: "CivilTime ContentBundle Cryptography HTTPService Interfaces JSON PluginKit Poster SelfCheck Varlink VarlinkSocket WebPages WebSafety Logging",
            tests: "Core Cryptography HTTPService Interfaces JSON PluginKit PluginManifest PluginTestKit Varlink VarlinkSocket WebSafety")),
    folder("Plugins", "examples for authors of plugins", at: "Plugins/Examples",
        program("hello-swift", "an example for authors of plugins", on: "PluginKit", exclude: ["README.md", "bin", "plugin.json"],
            within: ["Sources"], resources: [.embedInCode("interfaces")])),
    folder("Authority", "the other side of the boards' protocols",
        unit("Verification", "who may warn, and once: registration, results, TANs, teleTANs, submission (verification.md)", on: "CivilTime CodedError CrowdNotifier Cryptography GAEN", "HTTPService JSON KeyExport KeyLevels PresenceTracing SQLiteFile SystemCalls",
            tests: "Authority CivilTime CrowdNotifier Cryptography GAEN HTTPService JSON KeyExport PresenceTracing SQLiteFile TestKit"),
        unit("DonationService", "issuer of donation tokens and the server that takes donations (donation.md)", on: "CivilTime CodedError Cryptography DeviceEvidence Donation HTTPService JSON PrivacyPass SQLiteFile SystemCalls Crypto CryptoExtras", tests: "CivilTime Cryptography DeviceEvidence Donation HTTPService JSON PrivacyPass SQLiteFile TestKit Crypto CryptoExtras"),
        unit("FleetRegistry", "a fleet's registration authority: which boards may have certificates, and EST (enrolment.md)", on: "CivilTime CodedError Cryptography Enrolment ForeignText HTTPService JSON SecurityToken SQLiteFile SystemCalls", tests: "Cryptography Enrolment HTTPService SecurityToken SQLiteFile SystemCalls TestKit"),
        unit("SecurityToken", "a private key in a security token by PKCS#11; never on a board (enrolment.md)", on: "CodedError CPKCS11 Cryptography SystemCalls", tests: "Cryptography TestKit"),
        unit("VerificationClients", "questions of separate servers to each other", on: "CivilTime CrowdNotifier Cryptography HTTPClient JSON KeyExport PresenceTracing Verification"),
        unit("Portal", "the pages of laboratories and health offices",
            on: "CivilTime CodedError Cryptography ForeignText HTTPService JSON SignInPace SQLiteFile Verification VerificationClients WebSafety", tests: "Authority Cryptography GAEN HTTPService JSON KeyArchive KeyExport TestKit SQLiteFile Trust Verification VerificationClients vigil-authority WebSafety"),
        unit("Authority", "keys in; signed packages, configuration, time and wake messages out (authority.md)",
            on: "AppConfig BLS12381 CivilTime CLinux CMosquitto CodedError ContentBundle CrowdNotifier Cryptography Donation ExposureRisk GAEN HTTPFields HTTPService JSON KeyArchive KeyExport KeyLevels Matching PresenceTracing RiskConfiguration",
                "SQLiteFile Trust VenueNotices Verification", tests: "AppConfig BLS12381 CivilTime CMosquitto ContentBundle CrowdNotifier Cryptography CSQLite DiagnosisPlan Donation ExposureRisk GAEN HTTPService JSON KeyArchive KeyExport KeyLevels Matching PresenceTracing TestKit RiskConfiguration SQLiteFile Trust VenueNotices Verification vigil-authority WakePlan")),
    folder("Fleet", "an operator's tools for boards; never on a board",
        unit("FleetCard", "one board's card: five answers, and the folder that its first start reads (fleet.md)", on: "AuthorityProfile CivilTime Core Cryptography Enrolment ForeignText Interfaces IPNetwork JSON PluginManifest Poster ProcessLink SQLiteFile Supervisor SystemCalls Varlink WiFi", tests: "Cryptography Enrolment JSON Poster Supervisor TestKit SQLiteFile vigil-fleet WiFi", resources: [.embedInCode("Page")]),
        unit("FleetFlash", "many cards at once from one image: written, read back, and bound to boards in the inventory (fleet.md)", on: "CivilTime CLinux Cryptography FleetCard ForeignText SystemCalls", tests: "Cryptography FleetCard JSON TestKit")),
    folder("Lab", "never ships: worlds, proofs, studies, and kits for tests",
        unit("VirtualAir", "LE controllers, phones, the room between them, in virtual time (virtual-air.md)", on: "Cryptography GAEN", tests: "GAEN HCI"),
        unit("AirWatch", "the traffic on air, drawn", on: "CommandFiles Core GAEN HCI HCITransport"),
        unit("Simulation", "whole boards on the virtual air, and a witness that judges what they send",
            on: "Core Cryptography GAEN HCI KeyExport KeyIntake LabKit Ledger Radio TimeTrust Trust Vault VirtualAir Logging",
            tests: "Core Cryptography GAEN HCI Interfaces LabKit Ledger Radio TimeTrust Trust Vault VirtualAir"),
        unit("Encounters", "people with boards for days, their results compared with where everybody was (simulation.md)", on: "Core Cryptography ExposureRisk GAEN", "Interfaces KeyExport KeyIntake Ledger Matching Radio RiskConfiguration RiskStudy Simulation TimeTrust Trust Vault VirtualAir",
            tests: "Core Cryptography DiagnosisPlan ExposureRisk GAEN Interfaces Matching Radio RiskConfiguration RiskStudy Simulation TimeTrust Trust Vault VirtualAir"),
        unit("RiskStudy", "encounters to judge and to exchange, judged within the error of calibration (risk-study.md)", on: "CodedError ExposureRisk GAEN JSON Matching RiskConfiguration", tests: "Cryptography ExposureRisk GAEN JSON Matching PluginManifest RiskConfiguration SchemaCheck"),
        unit("FleetTrial", "a fleet that enrols and renews, killed at each of its writes (enrolment.md)", on: "BoardEnrolment Cryptography CTracer Enrolment FleetRegistry HTTPClient HTTPService SecurityToken SQLiteFile SystemCalls VirtualAir", tests: "TestKit vigil-lab"),
        unit("FleetLoad", "a million boards by the real schedule, and their server's load (fleet-load.md)", on: "JSON SyncPlan WakePlan", tests: "JSON SyncPlan"),
        unit("Reality", "captures and reports of real phones, held against this firmware (reality.md)", on: "CivilTime CommandFiles Core Cryptography CSQLite CZip ExposureRisk GAEN HCI JSON Matching Radio RiskConfiguration RiskStudy TimeTrust Vault VirtualAir", tests: "CommandFiles Core ExposureRisk GAEN HCI Matching RiskConfiguration RiskStudy Vault VirtualAir", besides: quick),
        unit("ExposureKillTrial", "the core's store, killed at each step, against a plain model", on: "Core Cryptography ExposureRisk GAEN Interfaces KeyArchive", "KeyExport KeyIntake Ledger Matching Radio RiskConfiguration Simulation TimeTrust Trust Vault VirtualAir Logging"),
        unit("WarningTrial", "stories from a positive test to another person's risk, against a table (what-people-are-told.md)",
            on: "AppConfig Authority AuthorityProfile CivilTime Core Cryptography DiagnosisPlan GAEN Interfaces JSON KeyArchive KeyExport KeyIntake LabKit Ledger",
                "Matching Radio RiskConfiguration TimeTrust Trust Vault Verification VirtualAir Logging", tests: ""),
        unit("SyncTrial", "whole lives of Sync's engine in virtual time, with every fault", on: "AppConfig CivilTime Cryptography KeyExport SyncPlan Trust", besides: quick),
        unit("SyncKillTrial", "the real sync process, killed before and after each of its system calls", on: "CivilTime Cryptography CTracer ForeignText GAEN HTTPFields Interfaces", "JSON KeyArchive KeyExport PluginTestKit ProcessLink SyncPlan Trust Varlink VarlinkSocket Vault VirtualAir"),
        unit("VenueKillTrial", "the real plugin for check-ins under power cuts, on a disk that forgets", on: "AppConfig BLS12381 CivilTime CrowdNotifier Cryptography CTracer ExposureRisk HTTPFields Interfaces",
                "JSON KeyArchive KeyExport PluginKit PluginTestKit PresenceTracing ProcessLink SyncKillTrial Trust VarlinkSocket VenueNotices VenuePlan VenuePlugin VirtualAir"),
        unit("DonationKillTrial", "a donating board, its issuer and its server, killed in every state, and a judge outside", on: "CivilTime Core Cryptography DeviceEvidence Donation DonationService GAEN HTTPService Interfaces JSON KeyExport",
                "KeyIntake Ledger Matching PrivacyPass Radio SelfCheck Simulation SyncKillTrial SystemCalls TimeTrust Trust Vault VirtualAir Logging", tests: "TestKit vigil-lab"),
        unit("WireTrial", "days of boards that warn and boards that do not, for a listener on the wire", on: "CivilTime Cryptography DiagnosisPlan DiagnosisPlugin", "HTTPClient HTTPService Interfaces JSON KeyExport PluginKit Verification Logging", tests: "DiagnosisPlan"),
        unit("DonationTrial", "boards that donate for weeks, for an adversary who has both servers, and its judge (donation.md)", on: "CivilTime Cryptography DeviceEvidence Donation DonationService GAEN HTTPFields HTTPService JSON Matching PrivacyPass VirtualAir", tests: "Cryptography Donation DonationService GAEN JSON Matching PrivacyPass SystemCalls TestKit"),
        unit("WebPagesGallery", "every web page in every state, with made-up models", on: "Interfaces Poster SelfCheck Varlink WebPages"),
        unit("Conformance", "test vectors by family", on: "AppConfig BLS12381 CBOR CivilTime CrowdNotifier Cryptography DeviceEvidence DiagnosisPlan Donation ExposureRisk GAEN HTTPFields JSON KeyArchive",
                "KeyExport KeyLevels Matching PresenceTracing PrivacyPass RiskConfiguration SyncPlan Trust VenueNotices VirtualAir WakePlan", tests: ""),
        unit("Benchmarks", "measurements of time, memory and instructions, against thresholds", on: "AppConfig AuthorityProfile BLS12381 BoardClock CBaseline CivilTime CommandFiles Core CrowdNotifier Cryptography CSQLite DeviceEvidence Donation DonationService Egress ExposureRisk GAEN HCI Interfaces JSON KeyArchive KeyExport KeyIntake",
                "LabKit Ledger Matching PluginTestKit PresenceTracing PrivacyPass ProcessLink Radio RiskConfiguration Simulation SyncKillTrial TimeTrust Trust Varlink Vault VenueKillTrial VenuePlan VenuePlugin VirtualAir Logging"),
        unit("LabKit", "kits for proofs, tests and fuzzers: disks with faults, a radio's ordeal, a plain reference of matching",
            on: "BLS12381 Cryptography CSQLite GAEN HCI Ledger Matching Radio TimeTrust Vault"),
        unit("PluginTestKit", "the other ends of a plugin: supervisor, core, clock", on: "JSON PluginKit ProcessLink Varlink VarlinkSocket Logging")),
    folder("Programs", "executables: they read arguments and join parts, and nothing else",
        program("vigil", "the board's program: core, supervisor, egress and the console",
            on: "AuthorityProfile BoardCheck BoardClock BoardFile CivilTime CLinux CommandFiles ControlTool Core Cryptography Egress Enrolment ForeignText GAEN HCITransport Interfaces JSON",
                "KeyExport KeyIntake Ledger Matching PluginManifest PluginTool Power ProcessLink Radio SelfCheck Supervisor TimeTrust VarlinkSocket Vault WiFi ArgumentParser Logging"),
        program("vigil-plugins", "this tree's plugins, a role each", on: "CLinux DiagnosisPlugin DonationPlugin EnrolmentPlugin IndicatorPlugin PluginKit SyncPlugin VenuePlugin WakePlugin WebUIPlugin"),
        program("vigil-jail", "confines itself, checks that, becomes its program; C without Swift (sandbox.md)", inC: [.linkedLibrary("seccomp")]),
        program("vigil-zip", "unpacks one key file, confined before it reads; alone on a board with libzip", on: "CLinux KeyArchive KeyStream"),
        program("vigil-authority", "the authority's servers and its operator's commands", on: "Authority BLS12381 CivilTime CLinux ContentBundle CrowdNotifier Cryptography DeviceEvidence Donation DonationService Enrolment FleetRegistry ForeignText",
                "HTTPService JSON KeyExport Portal RiskConfiguration SecurityToken SystemCalls Trust VenueNotices Verification VerificationClients ArgumentParser"),
        program("vigil-fleet", "makes the cards of boards, for operators (fleet.md)", on: "CLinux CommandFiles Cryptography FleetCard FleetFlash ForeignText JSON PluginManifest SecurityToken Trust WiFi ArgumentParser"),
        program("vigil-generate", "makes Swift of the interface texts (`make generate`); never ships", on: "InterfaceGenerator"),
        program("vigil-lab", "proofs, studies, simulations and benchmarks",
            on: "AirWatch AuthorityProfile Benchmarks CivilTime CLinux CommandFiles Conformance Core Cryptography DiagnosisPlan DonationKillTrial DonationTrial Encounters ExposureKillTrial",
                "ExposureRisk FleetLoad FleetTrial GAEN HCITransport Interfaces JSON KeyArchive KeyExport LabKit Ledger Matching PluginManifest RiskConfiguration RiskStudy",
                "SecurityToken Reality Simulation SyncKillTrial SyncPlan SyncTrial Vault VenueKillTrial VirtualAir WarningTrial WebPages WebPagesGallery WireTrial ArgumentParser")),
    folder("Support", "helpers of tests", at: "Tests/Support",
        unit("SchemaCheck", "as much of JSON Schema as the published schemas use", on: "JSON"),
        unit("TestKit", "what tests share: programs they start, folders that go with them, waiting, exchanges byte for byte, an issuer of tokens", on: "Cryptography PrivacyPass SystemCalls"),
        unit("RandomValues", "random numbers from a seed, and random JSON; every test target has it", on: "JSON"),
        suite("RandomValuesTests", "the numbers are those of the seed", on: ""),
        unit("FaultServer", "a server that does wrong on demand", on: "TestKit RandomValues", exclude: ["fault-server.py", "make-certificates.sh"]),
        c("SandboxC", "threads of another user, and such that cannot read folders")),
    folder("System", "tests that start the real programs", at: "Tests/System", tests: "Tests/System",
        program("vigil-hostile", "tries whatever a plugin must not be able to do; never ships", on: "CLinux", inC: [],
            at: "Hostile", exclude: ["README.md", "corpus.json", "plugin"]),
        suite("SystemTests", "the real programs together", on: "Authority BLS12381 CLinux CrowdNotifier Cryptography CSQLite GAEN hello-swift Interfaces JSON KeyArchive KeyExport LabKit PresenceTracing TestKit Trust Verification",
                "Varlink Vault vigil vigil-fleet vigil-lab vigil-plugins vigil-zip")),
]
// swift-format-ignore
let fuzzed = "AppConfig BLS12381 CBOR CivilTime CommandFiles CrowdNotifier Cryptography DeviceEvidence DiagnosisPlan Donation Enrolment ExposureRisk GAEN HCI HTTPFields Interfaces IPNetwork JSON KeyArchive KeyExport LabKit Matching PluginManifest PresenceTracing PrivacyPass RiskConfiguration RiskStudy Socks SyncPlan Trust Varlink VenueNotices VenuePlan"

let package = Package(
    name: "vigil",
    products: ["vigil", "vigil-zip", "vigil-lab", "vigil-authority"].map { .executable(name: $0, targets: [$0]) } + [
        // Libraries are products only where another package builds on them: plugins (docs/plugins.md), and Fuzz of this tree.
        .library(name: "PluginKit", targets: ["PluginKit"]),
        .library(name: "PluginTestKit", targets: ["PluginTestKit", "Interfaces", "JSON", "Varlink"]),
        .library(name: "VigilFuzzing", targets: fuzzed.split(separator: " ").map(String.init)),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: map.flatMap(\.self),
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
