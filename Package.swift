// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// What holds for every Swift target of our own: warnings are errors, imports say what they expose, existentials are
/// written out (STYLE: `docs/contributing` in CONTRIBUTING.md).
let house: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let houseC: [CSetting] = [
    .treatAllWarnings(as: .error)
]

/// Programs in C: without the start of Swift programs and the path to its libraries. Which libraries they name is for each
/// one's `link.c`.
let noSwift: [LinkerSetting] = [.unsafeFlags(["-nostartfiles", "-no-toolchain-stdlib-rpath"])]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "vigil",
    products: [
        .executable(name: "vigil", targets: ["vigil"]),
        .executable(name: "vigil-zip", targets: ["vigil-zip"]),
        .executable(name: "vigil-lab", targets: ["vigil-lab"]),
        .executable(name: "vigil-authority", targets: ["vigil-authority"]),
        // Libraries are products only where another package builds on them: what authors of plugins need, with what their tests need
        // (docs/plugins.md), and what Fuzz of this tree needs.
        .library(name: "PluginKit", targets: ["PluginKit"]),
        .library(name: "PluginTestKit", targets: ["PluginTestKit", "Interfaces", "Varlink"]),
        .library(
            name: "VigilGround",
            targets: [
                "DiagnosisPlan",
                "SyncPlan",
                "HTTPFields",
                "AppConfig",
                "ExposureRisk", "GAEN", "HCI", "KeyExport", "KeyArchive", "Matching", "Offline", "PluginManifest",
                "RadioTestKit",
                "RiskConfiguration", "RiskStudy", "Socks",
                "Trust", "TrustSuccession",
                "Varlink",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        // Floor 0: system libraries, and the few C functions Swift cannot say.
        .systemLibrary(name: "CMbedTLS", path: "Sources/CMbedTLS"),
        .systemLibrary(name: "CZip", path: "Sources/CZip"),
        .systemLibrary(name: "CSQLite", path: "Sources/CSQLite"),
        .systemLibrary(name: "CBluetooth", path: "Sources/CBluetooth"),
        .systemLibrary(name: "CCurl", path: "Sources/CCurl"),
        .systemLibrary(name: "CMosquitto", path: "Sources/CMosquitto"),
        .systemLibrary(name: "CMicroHTTPD", path: "Sources/CMicroHTTPD"),
        .target(name: "CLinux", cSettings: houseC),
        .target(name: "CGPIO", cSettings: houseC),
        .target(name: "CConstantTime", cSettings: houseC),
        .target(name: "CMatchKernel", cSettings: houseC),
        .target(name: "CBaseline", cSettings: houseC, linkerSettings: [.linkedLibrary("mbedcrypto")]),

        // Floor 1, pure: no sockets, no files, no clock, no randomness of their own.
        .target(name: "Cryptography", dependencies: ["CMbedTLS", "CConstantTime"], swiftSettings: house),
        .target(name: "GAEN", dependencies: ["Cryptography"], swiftSettings: house),
        .target(name: "Trust", dependencies: ["Cryptography"], swiftSettings: house),
        .target(name: "TrustSuccession", dependencies: ["Cryptography", "Trust", "Varlink"], swiftSettings: house),
        .target(name: "KeyExport", dependencies: ["Cryptography", "GAEN", "Trust"], swiftSettings: house),
        .target(name: "KeyStream", dependencies: ["KeyExport"], swiftSettings: house),
        // Transmission risk levels: filled in, and written as codes (pure; for who publishes keys).
        .target(name: "KeyLevels", dependencies: ["KeyExport"], swiftSettings: house),

        .target(name: "HTTPFields", swiftSettings: house),

        .target(name: "HCI", swiftSettings: house),
        .target(name: "TimeTrust", swiftSettings: house),
        .target(name: "Supervision", swiftSettings: house),
        .target(name: "Varlink", swiftSettings: house),
        .target(name: "PluginManifest", dependencies: ["Varlink"], swiftSettings: house),
        .target(name: "Socks", dependencies: ["Cryptography"], swiftSettings: house),
        .target(name: "WakePlan", path: "Plugins/Wake/Sources/WakePlan", swiftSettings: house),
        // One button: presses out of what its line does.
        .target(name: "ButtonPress", swiftSettings: house),
        // How full a battery is, as the kernel says.
        .target(name: "PowerSupply", swiftSettings: house),
        // How long a battery lasts, by arithmetic.
        .target(name: "PowerEstimate", swiftSettings: house),
        // When a board says that its battery is low, and when it stops.
        .target(name: "PowerPlan", dependencies: ["PowerEstimate", "PowerSupply", "Varlink"], swiftSettings: house),
        // From when to when a certificate is good.
        .target(name: "CertificateDates", dependencies: ["Cryptography"], swiftSettings: house),
        // What a board's file says about its hardware.
        .target(name: "BoardFile", dependencies: ["PowerPlan", "Varlink"], swiftSettings: house),
        // What lights and buzzer of a board without a screen say.
        .target(name: "IndicatorPlan", path: "Plugins/Indicator/Sources/IndicatorPlan", swiftSettings: house),

        .target(
            name: "AppConfig", dependencies: ["Cryptography", "HTTPFields", "KeyExport", "Trust", "Varlink"],
            swiftSettings: house),

        // What an authority wants people to read, for the core that keeps it and the pages that show it.
        .target(name: "ContentBundle", dependencies: ["Varlink"], swiftSettings: house),

        // What travels between processes: interface texts, and the same as types.
        .target(name: "Interfaces", resources: [.embedInCode("Texts")], swiftSettings: house),

        // Floor 2.
        .target(name: "Matching", dependencies: ["CMatchKernel", "Cryptography", "GAEN"], swiftSettings: house),
        .target(name: "Ledger", dependencies: ["CSQLite", "Cryptography", "GAEN", "Matching"], swiftSettings: house),
        .target(name: "Vault", dependencies: ["Cryptography", "GAEN", "TimeTrust"], swiftSettings: house),
        .target(
            name: "VaultTestKit",
            dependencies: ["CSQLite", "Cryptography", "GAEN", "Ledger", "Matching", "TimeTrust", "Vault"],
            swiftSettings: house),
        .target(name: "HCITransport", dependencies: ["CLinux", "HCI", "SystemCalls"], swiftSettings: house),
        .target(name: "BoardClock", dependencies: ["CLinux", "SystemCalls", "TimeTrust"], swiftSettings: house),
        .target(name: "Radio", dependencies: ["GAEN", "HCI"], swiftSettings: house),
        .target(name: "ExposureRisk", dependencies: ["GAEN", "Matching"], swiftSettings: house),
        .target(
            name: "RiskConfiguration",
            dependencies: ["AppConfig", "ExposureRisk", "GAEN", "HTTPFields", "Matching", "Trust", "Varlink"],
            swiftSettings: house),
        // One health authority as a board follows it, as an operator writes it.
        .target(
            name: "AuthorityProfile",
            dependencies: ["Cryptography", "ExposureRisk", "GAEN", "RiskConfiguration", "Trust", "Varlink"],
            swiftSettings: house),
        .target(name: "KeyArchive", dependencies: ["CZip", "KeyExport", "KeyStream", "Trust"], swiftSettings: house),
        .target(name: "SystemCalls", dependencies: ["CLinux"], swiftSettings: house),
        .target(name: "GPIOLines", dependencies: ["CGPIO", "SystemCalls"], swiftSettings: house),
        .target(name: "VarlinkSocket", dependencies: ["CLinux", "SystemCalls", "Varlink"], swiftSettings: house),
        .target(name: "ProcessLink", dependencies: ["CLinux", "SystemCalls"], swiftSettings: house),
        .target(name: "Sandbox", dependencies: ["CLinux", "SystemCalls"], swiftSettings: house),
        .target(name: "HTTPClient", dependencies: ["CCurl", "HTTPFields"], swiftSettings: house),

        .target(
            name: "WakePlugin",
            dependencies: ["CMosquitto", "HTTPClient", "Interfaces", "PluginKit", "WakePlan"],
            path: "Plugins/Wake/Sources/WakePlugin", swiftSettings: house),

        // Sync: which packages, when (pure).
        .target(
            name: "SyncPlan", dependencies: ["AppConfig", "HTTPFields", "Trust", "TrustSuccession", "Varlink"],
            path: "Plugins/Sync/Sources/SyncPlan",
            swiftSettings: house),

        .target(
            name: "DiagnosisPlan",
            dependencies: ["Cryptography", "GAEN", "HTTPFields", "KeyExport", "Varlink"],
            path: "Plugins/Diagnosis/Sources/DiagnosisPlan", swiftSettings: house),
        .target(
            name: "DiagnosisPlugin",
            dependencies: [
                "Cryptography", "DiagnosisPlan", "GAEN", "HTTPClient", "HTTPFields", "Interfaces", "PluginKit", "Varlink",
                "VarlinkSocket", logging,
            ],
            path: "Plugins/Diagnosis/Sources/DiagnosisPlugin", swiftSettings: house),
        .target(
            name: "IndicatorPlugin", dependencies: ["GPIOLines", "IndicatorPlan", "Interfaces", "PluginKit", logging],
            path: "Plugins/Indicator/Sources/IndicatorPlugin", swiftSettings: house),
        // From what a board says, what is wrong with it: for the console and the page.
        .target(name: "SelfCheck", dependencies: ["Interfaces"], swiftSettings: house),
        // The board's web page: every page as a function, without sockets, files or a clock.
        .target(
            name: "WebPages", dependencies: ["Interfaces", "SelfCheck", "Varlink"], path: "Plugins/WebUI/Sources/WebPages",
            swiftSettings: house),
        // Every page in every state with made-up models; in the laboratory and in tests only.
        .target(
            name: "WebPagesGallery", dependencies: ["Interfaces", "SelfCheck", "WebPages"],
            path: "Plugins/WebUI/Sources/WebPagesGallery",
            swiftSettings: house),
        .target(
            name: "WebUIPlugin",
            dependencies: [
                "CertificateDates", "ContentBundle", "Cryptography", "HTTPService", "Interfaces", "Metrics", "PluginKit",
                "SelfCheck",
                "Varlink",
                "VarlinkSocket", "WebPages", "WebSafety", logging,
            ],
            path: "Plugins/WebUI/Sources/WebUIPlugin", swiftSettings: house),
        .target(
            name: "SyncTrial", dependencies: ["HTTPFields", "KeyExport", "SyncPlan"],
            path: "Plugins/Sync/Sources/SyncTrial",
            swiftSettings: house),
        // Follows processes from call to call; in the laboratory only.
        .target(name: "CTracer", cSettings: houseC),
        .target(
            name: "SyncKillTrial",
            dependencies: [
                "CTracer", "Cryptography", "GAEN", "HTTPFields", "Interfaces", "KeyArchive", "KeyExport", "PluginTestKit",
                "ProcessLink", "SyncPlan", "Trust", "Varlink", "VarlinkSocket", "Vault", "VirtualAir",
            ],
            path: "Plugins/Sync/Sources/SyncKillTrial", swiftSettings: house),

        // Floor 3 and 4: what the commands are made of.
        .target(
            name: "KeyIntake",
            dependencies: ["CLinux", "Cryptography", "GAEN", "KeyExport", "KeyStream", "Matching", "Trust", "SystemCalls"],
            swiftSettings: house),
        .target(
            name: "Offline",
            dependencies: ["Cryptography", "GAEN", "KeyExport", "KeyIntake", "Matching", "TimeTrust", "Trust"],
            swiftSettings: house),
        .target(
            name: "Core",
            dependencies: [
                "AppConfig", "AuthorityProfile", "BoardClock", "ButtonPress", "CLinux", "ContentBundle", "Cryptography",
                "ExposureRisk", "GAEN",
                "GPIOLines", "HCI", "HCITransport", "HTTPFields",
                "Interfaces",
                "KeyExport", "KeyIntake", "Ledger", "Matching", "ProcessLink", "Radio", "RiskConfiguration", "SignInPace",
                "TimeTrust",
                "Trust", "TrustSuccession", "Varlink",
                "VarlinkSocket", "Vault", logging,
            ],
            swiftSettings: house),
        .target(
            name: "Egress",
            dependencies: [
                "CLinux", "Interfaces", "ProcessLink", "Socks", "SystemCalls", "Varlink", "VarlinkSocket", logging,
            ],
            swiftSettings: house),
        .target(
            name: "ControlTool",
            dependencies: [
                "Cryptography", "GAEN", "Interfaces", "KeyExport", "Offline", "PowerEstimate", "SelfCheck", "TimeTrust",
                "Varlink", "VarlinkSocket",
            ],
            swiftSettings: house),
        // What a running board really has.
        .target(
            name: "BoardCheck", dependencies: ["BoardFile", "GPIOLines", "PowerPlan"], swiftSettings: house),
        .target(
            name: "Supervisor",
            dependencies: [
                "BoardClock", "BoardFile", "CLinux", "Cryptography", "GPIOLines", "HCI", "HCITransport", "Interfaces",
                "PluginManifest", "PowerPlan", "PowerSupply", "ProcessLink",
                "Sandbox", "Supervision", "TimeTrust", "Varlink", "VarlinkSocket", logging,
            ],
            swiftSettings: house),
        .target(
            name: "PluginKit",
            dependencies: [
                "CLinux", "CertificateDates", "Cryptography", "ProcessLink", "Varlink", "VarlinkSocket", logging,
            ],
            swiftSettings: house),
        .target(
            name: "PluginTestKit", dependencies: ["PluginKit", "ProcessLink", "Varlink", "VarlinkSocket", logging],
            swiftSettings: house),
        .target(
            name: "SyncPlugin",
            dependencies: [
                "AppConfig", "Cryptography", "HTTPClient", "Interfaces", "KeyExport", "KeyIntake", "PluginKit", "SyncPlan",
                "Trust", "Varlink", "VarlinkSocket", logging,
            ],
            path: "Plugins/Sync/Sources/SyncPlugin", swiftSettings: house),
        .target(
            name: "PluginTool",
            dependencies: ["CLinux", "ControlTool", "Interfaces", "PluginManifest", "Varlink"], swiftSettings: house),
        // The other side of the boards' protocols: backends, and what they share.
        .target(name: "SQLiteFile", dependencies: ["CSQLite"], swiftSettings: house),
        .target(name: "HTTPService", dependencies: ["CMicroHTTPD", "TimeTrust"], swiftSettings: house),
        .target(name: "Metrics", dependencies: ["HTTPService"], swiftSettings: house),
        .target(
            name: "Verification",
            dependencies: [
                "Cryptography", "GAEN", "HTTPService", "KeyExport", "KeyLevels", "Metrics", "SQLiteFile", "Varlink",
            ],
            swiftSettings: house),
        // The servers' questions to each other when they run apart.
        .target(
            name: "VerificationClients",
            dependencies: ["Cryptography", "HTTPClient", "KeyExport", "Varlink", "Verification"],
            swiftSettings: house),
        // What pages have in common that people sign in to: forms, cookies, names, headers (pure).
        // How fast people and strangers may try secrets (pure).
        .target(name: "SignInPace", swiftSettings: house),
        .target(name: "WebSafety", dependencies: ["Cryptography"], swiftSettings: house),
        .target(
            name: "Portal",
            dependencies: [
                "Cryptography", "HTTPService", "Metrics", "SQLiteFile", "SignInPace", "TimeTrust", "Varlink",
                "Verification",
                "VerificationClients",
                "WebSafety",
            ],
            swiftSettings: house),
        .target(
            name: "Authority",
            dependencies: [
                "CLinux", "CMosquitto", "ContentBundle", "Cryptography", "ExposureRisk", "GAEN", "HTTPService",
                "KeyArchive",
                "KeyExport", "KeyLevels", "Matching", "Metrics", "RiskConfiguration",
                "SQLiteFile",
                "TimeTrust",
                "Trust", "TrustSuccession", "Varlink", "Verification",
            ],
            swiftSettings: house),
        // Encounters judged by risk models, for studies.
        .target(
            name: "RiskStudy", dependencies: ["ExposureRisk", "GAEN", "Matching", "RiskConfiguration", "Varlink"],
            swiftSettings: house),
        // A million boards that follow the schedule of Sync.
        .target(name: "Herd", dependencies: ["SyncPlan", "Varlink", "WakePlan"], swiftSettings: house),
        .target(name: "VirtualAir", dependencies: ["Cryptography", "GAEN"], swiftSettings: house),
        .target(name: "DiskTestKit", swiftSettings: house),
        .target(name: "RadioTestKit", dependencies: ["Cryptography", "GAEN", "HCI", "Radio"], swiftSettings: house),
        .target(
            name: "AirWatch", dependencies: ["Core", "GAEN", "HCI", "HCITransport", "Offline"], swiftSettings: house),
        .target(
            name: "Simulation",
            dependencies: [
                "Core", "Cryptography", "GAEN", "HCI", "KeyExport", "KeyIntake", "Ledger", "Radio", "TimeTrust", "Trust",
                "Vault",
                "VaultTestKit", "VirtualAir", logging,
            ],
            swiftSettings: house),
        .target(
            name: "BlackBoxTrial",
            dependencies: [
                "Core", "Cryptography", "ExposureRisk", "GAEN", "Interfaces", "KeyArchive", "KeyExport", "KeyIntake",
                "Ledger", "Matching", "Radio", "RiskConfiguration", "Simulation", "TimeTrust", "Trust", "Vault",
                "VirtualAir", logging,
            ],
            swiftSettings: house),
        .target(
            name: "WarningTrial",
            dependencies: [
                "AppConfig", "Authority", "AuthorityProfile", "Core", "Cryptography", "DiagnosisPlan", "GAEN", "HTTPFields",
                "Interfaces", "KeyArchive", "KeyExport", "KeyIntake", "Ledger", "Matching", "Radio", "RiskConfiguration",
                "TimeTrust", "Trust", "Varlink", "Vault", "VaultTestKit", "Verification", "VirtualAir", logging,
            ],
            swiftSettings: house),
        .target(
            name: "Encounters",
            dependencies: [
                "Core", "Cryptography", "ExposureRisk", "GAEN", "HTTPFields", "Interfaces", "KeyExport", "KeyIntake",
                "Ledger", "Matching", "Radio",
                "RiskConfiguration", "RiskStudy", "Simulation", "TimeTrust", "Trust", "Vault", "VirtualAir",
            ],
            swiftSettings: house),
        .target(
            name: "Conformance",
            dependencies: [
                "AppConfig", "Cryptography", "ExposureRisk", "GAEN", "HTTPFields", "KeyArchive", "KeyExport", "KeyLevels",
                "Matching", "RiskConfiguration",
                "DiagnosisPlan", "SyncPlan",
                "Trust", "Varlink", "VirtualAir", "WakePlan",
            ],
            swiftSettings: house),
        .target(
            name: "MatchingTestKit", dependencies: ["Cryptography", "GAEN", "Matching"], swiftSettings: house),
        .target(
            name: "Benchmarks",
            dependencies: [
                "AuthorityProfile", "BoardClock", "CBaseline", "CSQLite", "Core", "Cryptography", "Egress", "ExposureRisk",
                "GAEN", "HCI", "Interfaces", "KeyArchive", "KeyExport",
                "KeyIntake", "Ledger", "Matching", "Offline", "ProcessLink", "Radio", "RiskConfiguration",
                "Simulation", "TimeTrust", "Trust", "Vault",
                "VaultTestKit",
                "VirtualAir",
                logging,
            ],
            swiftSettings: house),

        // Floor 5: argument parsing and wiring only.
        .executableTarget(
            name: "vigil",
            dependencies: [
                "AuthorityProfile", "BoardCheck", "BoardClock", "BoardFile", "CLinux", "ControlTool", "Core",
                "Cryptography",
                "Egress", "GAEN", "HCITransport", "Interfaces",
                "KeyExport",
                "KeyIntake", "Ledger", "Matching", "Offline", "PluginTool", "PowerEstimate", "PowerPlan",
                "ProcessLink", "Radio", "SelfCheck", "Supervisor",
                "TimeTrust", "Varlink", "VarlinkSocket", "Vault",
                argumentParser,
                logging,
            ],
            swiftSettings: house),
        // The plugins of this tree, one role each.
        .executableTarget(
            name: "vigil-plugins",
            dependencies: [
                "CLinux", "DiagnosisPlugin", "IndicatorPlugin", "PluginKit", "SyncPlugin", "WakePlugin", "WebUIPlugin",
            ],
            swiftSettings: house),
        // Confines itself, tries from inside whether that holds, and becomes what it is told. C, without Swift.
        .executableTarget(name: "vigil-jail", cSettings: houseC, linkerSettings: noSwift + [.linkedLibrary("seccomp")]),
        // The only one that links libzip on a board; started for one file at a time, confined before it reads it.
        .executableTarget(
            name: "vigil-zip", dependencies: ["CLinux", "KeyArchive", "KeyStream"], swiftSettings: house),
        // An example for authors of plugins; nothing needs it (docs/plugins.md).
        .executableTarget(
            name: "hello-swift", dependencies: ["PluginKit"], path: "Plugins/Examples/hello-swift",
            exclude: ["README.md", "bin", "plugin.json"], sources: ["Sources"], resources: [.embedInCode("interfaces")],
            swiftSettings: house),
        .executableTarget(
            name: "vigil-authority",
            dependencies: [
                "Authority", "CLinux", "ContentBundle", "Cryptography", "KeyExport", "Metrics", "Portal",
                "RiskConfiguration",
                "TimeTrust", "Trust", "Varlink", "Verification", "VerificationClients", argumentParser,
            ],
            swiftSettings: house),
        // Days of devices that warn others and of devices that do not, for who listens on the wire.
        .target(
            name: "WireTrial",
            dependencies: [
                "Cryptography", "DiagnosisPlan", "DiagnosisPlugin", "HTTPClient", "HTTPService", "Interfaces", "KeyExport",
                "PluginKit",
                "Varlink", "Verification", logging,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "vigil-lab",
            dependencies: [
                "AirWatch", "AuthorityProfile",
                "Benchmarks", "BlackBoxTrial", "CLinux", "Conformance", "Core", "Cryptography", "DiagnosisPlan",
                "Encounters", "ExposureRisk", "GAEN",
                "HCITransport", "Herd", "Interfaces",
                "KeyArchive", "KeyExport", "Ledger", "Matching",
                "MatchingTestKit", "Offline", "PluginManifest", "RiskConfiguration", "RiskStudy", "Simulation",
                "SyncKillTrial", "SyncPlan",
                "SyncTrial", "TimeTrust",
                "Varlink", "Vault",
                "VaultTestKit", "VirtualAir", "WarningTrial", "WebPages", "WebPagesGallery", "WireTrial",
                argumentParser,
            ],
            swiftSettings: house),

        // Tests mirror Sources; SystemTests starts the real executables.
        .testTarget(name: "CryptographyTests", dependencies: ["Cryptography"], swiftSettings: house),
        .testTarget(name: "GAENTests", dependencies: ["Cryptography", "GAEN"], swiftSettings: house),
        .testTarget(
            name: "ContentBundleTests", dependencies: ["ContentBundle", "SchemaCheck", "Varlink"], swiftSettings: house),
        .testTarget(name: "HCITests", dependencies: ["CBluetooth", "HCI"], swiftSettings: house),
        .testTarget(name: "TimeTrustTests", dependencies: ["TimeTrust"], swiftSettings: house),
        .testTarget(name: "TrustTests", dependencies: ["Cryptography", "Trust", "TrustSuccession"], swiftSettings: house),
        .testTarget(
            name: "KeyExportTests", dependencies: ["Cryptography", "GAEN", "KeyExport", "Trust"], swiftSettings: house),
        .testTarget(
            name: "KeyArchiveTests", dependencies: ["Cryptography", "KeyArchive", "KeyExport", "Trust"],
            swiftSettings: house),
        .testTarget(name: "KeyStreamTests", dependencies: ["KeyExport", "KeyStream"], swiftSettings: house),
        .testTarget(
            name: "KeyIntakeTests",
            dependencies: [
                "Cryptography", "GAEN", "KeyArchive", "KeyExport", "KeyIntake", "KeyStream", "Matching", "Trust",
                "VirtualAir", "vigil-zip",
            ],
            swiftSettings: house),
        .testTarget(
            name: "MatchingTests",
            dependencies: ["Cryptography", "GAEN", "Matching", "MatchingTestKit", "VirtualAir"], swiftSettings: house),
        .testTarget(
            name: "OfflineTests", dependencies: ["GAEN", "KeyExport", "Matching", "Offline", "TimeTrust"],
            swiftSettings: house),
        .testTarget(
            name: "VaultTests", dependencies: ["Cryptography", "GAEN", "TimeTrust", "Vault", "VaultTestKit"],
            swiftSettings: house),
        .testTarget(
            name: "LedgerTests", dependencies: ["Cryptography", "GAEN", "Ledger", "Matching", "VaultTestKit"],
            swiftSettings: house),
        .testTarget(
            name: "CoreTests",
            dependencies: [
                "Authority", "AuthorityProfile", "CLinux", "Core", "Cryptography", "GAEN", "Interfaces", "KeyArchive",
                "KeyExport", "KeyIntake",
                "Ledger", "Matching",
                "ProcessLink",
                "Radio", "RiskConfiguration",
                "Simulation", "TimeTrust", "Trust", "TrustSuccession", "Varlink", "VarlinkSocket", "Vault", "VaultTestKit",
                "Verification",
                "VirtualAir",
                logging,
            ],
            swiftSettings: house),
        .testTarget(name: "HCITransportTests", dependencies: ["HCI", "HCITransport"], swiftSettings: house),
        .testTarget(
            name: "SupervisorTests",
            dependencies: [
                "Cryptography", "DiskTestKit", "HCITransport", "PluginManifest", "ProcessLink", "Sandbox", "Supervision",
                "Supervisor",
                "Varlink", "VarlinkSocket", logging,
            ],
            swiftSettings: house),
        .testTarget(name: "SupervisionTests", dependencies: ["Supervision"], swiftSettings: house),
        .testTarget(name: "PowerSupplyTests", dependencies: ["PowerSupply"], swiftSettings: house),
        .testTarget(name: "PowerEstimateTests", dependencies: ["PowerEstimate"], swiftSettings: house),
        .testTarget(
            name: "PowerPlanTests", dependencies: ["PowerEstimate", "PowerPlan", "PowerSupply"], swiftSettings: house),
        .testTarget(
            name: "CertificateDatesTests", dependencies: ["CertificateDates", "Cryptography"], swiftSettings: house),
        .testTarget(
            name: "ProcessLinkTests", dependencies: ["CLinux", "ProcessLink", "SystemCalls"], swiftSettings: house),
        .testTarget(name: "BoardClockTests", dependencies: ["BoardClock", "TimeTrust"], swiftSettings: house),
        .testTarget(
            name: "RadioTests",
            dependencies: ["Cryptography", "GAEN", "HCI", "Radio", "RadioTestKit", "Simulation", "VirtualAir"],
            swiftSettings: house),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Core", "Cryptography", "GAEN", "HCI", "Interfaces", "Ledger", "Radio", "Simulation", "TimeTrust", "Trust",
                "Vault",
                "VaultTestKit", "VirtualAir",
            ],
            swiftSettings: house),
        .testTarget(name: "WarningTrialTests", dependencies: ["WarningTrial"], swiftSettings: house),
        .testTarget(
            name: "EncountersTests",
            dependencies: [
                "Core", "Cryptography", "DiagnosisPlan", "Encounters", "ExposureRisk", "GAEN", "Interfaces", "Matching",
                "Radio", "RiskConfiguration", "RiskStudy", "Simulation", "TimeTrust", "Trust", "Vault", "VirtualAir",
            ],
            swiftSettings: house),
        .testTarget(
            name: "RiskStudyTests",
            dependencies: [
                "Cryptography", "ExposureRisk", "GAEN", "Matching", "PluginManifest", "RiskConfiguration", "RiskStudy",
                "SchemaCheck",
                "Varlink",
            ],
            swiftSettings: house),
        .testTarget(name: "HerdTests", dependencies: ["Herd", "SyncPlan"], swiftSettings: house),
        .testTarget(
            name: "AuthorityTests",
            dependencies: [
                "AppConfig", "Authority", "CMosquitto", "CSQLite", "ContentBundle", "Cryptography", "DiagnosisPlan",
                "ExposureRisk", "GAEN",
                "KeyArchive",
                "KeyExport", "KeyLevels", "Matching", "RiskConfiguration",
                "SQLiteFile", "Trust", "TrustSuccession", "Varlink", "Verification",
                "vigil-authority",
            ],
            swiftSettings: house),
        .testTarget(
            name: "DiagnosisPluginTests",
            dependencies: [
                "Cryptography", "DiagnosisPlan", "DiagnosisPlugin", "GAEN", "HTTPClient", "Interfaces", "KeyExport",
                "PluginKit",
                "PluginTestKit", "Varlink", "VarlinkSocket", "Verification", logging,
            ],
            swiftSettings: house),
        .testTarget(
            name: "VerificationTests",
            dependencies: [
                "Authority", "Cryptography", "GAEN", "HTTPService", "KeyExport", "SQLiteFile", "Varlink", "Verification",
            ],
            swiftSettings: house),
        .testTarget(name: "WireTrialTests", dependencies: ["DiagnosisPlan", "WireTrial"], swiftSettings: house),
        .testTarget(
            name: "PortalTests",
            dependencies: [
                "Authority", "Cryptography", "GAEN", "HTTPService", "KeyArchive", "KeyExport", "Metrics", "Portal",
                "SQLiteFile", "Trust", "Varlink", "Verification", "VerificationClients", "WebSafety",
                "vigil-authority",
            ],
            swiftSettings: house),
        .testTarget(name: "VirtualAirTests", dependencies: ["GAEN", "HCI", "VirtualAir"], swiftSettings: house),
        .testTarget(
            name: "EgressTests",
            dependencies: ["Egress", "Interfaces", "ProcessLink", "Socks", "Varlink", "VarlinkSocket", logging],
            swiftSettings: house),
        .testTarget(
            name: "WakePluginTests",
            dependencies: [
                "CMosquitto", "Egress", "Interfaces", "PluginKit", "PluginManifest", "ProcessLink", "Socks", "Varlink",
                "VarlinkSocket", "WakePlan", "WakePlugin", logging,
            ],
            swiftSettings: house),
        .testTarget(name: "SignInPaceTests", dependencies: ["SignInPace"], swiftSettings: house),
        .testTarget(name: "WebSafetyTests", dependencies: ["Cryptography", "WebSafety"], swiftSettings: house),
        .testTarget(name: "HTTPServiceTests", dependencies: ["HTTPService"], swiftSettings: house),
        .testTarget(
            name: "WebUIPluginTests",
            dependencies: [
                "CertificateDates", "Core", "Cryptography", "HTTPService", "Interfaces", "PluginKit", "PluginManifest",
                "PluginTestKit", "Varlink", "VarlinkSocket", "WebUIPlugin",
            ],
            swiftSettings: house),
        .testTarget(name: "BoardCheckTests", dependencies: ["BoardCheck", "BoardFile"], swiftSettings: house),
        .testTarget(name: "BoardFileTests", dependencies: ["BoardFile", "PowerPlan"], swiftSettings: house),
        .testTarget(name: "ButtonPressTests", dependencies: ["ButtonPress"], swiftSettings: house),
        .testTarget(
            name: "IndicatorPluginTests",
            dependencies: ["IndicatorPlugin", "Interfaces", "PluginKit", "PluginTestKit", "Varlink"],
            swiftSettings: house),
        .testTarget(name: "IndicatorPlanTests", dependencies: ["ButtonPress", "IndicatorPlan"], swiftSettings: house),
        .testTarget(name: "WakePlanTests", dependencies: ["Varlink", "WakePlan"], swiftSettings: house),
        .testTarget(name: "SocksTests", dependencies: ["Socks"], swiftSettings: house),
        .testTarget(name: "VarlinkTests", dependencies: ["Varlink"], swiftSettings: house),
        .testTarget(
            name: "VarlinkSocketTests", dependencies: ["SystemCalls", "Varlink", "VarlinkSocket"], swiftSettings: house),
        // As much of JSON Schema as published files use, for tests that compare these with readers.
        .target(name: "SchemaCheck", dependencies: ["Varlink"], path: "Tests/SchemaCheck", swiftSettings: house),
        .testTarget(
            name: "PluginManifestTests", dependencies: ["Interfaces", "PluginManifest", "SchemaCheck", "Varlink"],
            swiftSettings: house),
        .testTarget(
            name: "PluginKitTests",
            dependencies: [
                "Cryptography", "Interfaces", "PluginKit", "PluginTestKit", "Varlink", "VarlinkSocket", "hello-swift",
                logging,
            ],
            swiftSettings: house),
        .testTarget(
            name: "PluginToolTests", dependencies: ["ControlTool", "PluginManifest", "PluginTool", "Varlink"],
            swiftSettings: house),
        // A server that does wrong on demand, for tests.
        .target(
            name: "FaultServer", path: "Tests/FaultServer", exclude: ["fault-server.py", "make-certificates.sh"],
            swiftSettings: house),
        .testTarget(
            name: "SyncPluginTests",
            dependencies: [
                "AppConfig", "ContentBundle", "Cryptography", "ExposureRisk", "FaultServer", "GAEN", "HTTPFields",
                "Interfaces",
                "KeyArchive",
                "KeyExport", "PluginKit", "PluginManifest", "PluginTestKit", "RiskConfiguration", "SyncPlan", "SyncPlugin",
                "Trust", "TrustSuccession", "Varlink",
                "vigil-zip",
            ], swiftSettings: house),
        .testTarget(
            name: "AppConfigTests", dependencies: ["AppConfig", "Cryptography", "HTTPFields", "Trust"],
            swiftSettings: house),
        .testTarget(
            name: "RiskConfigurationTests",
            dependencies: [
                "AppConfig", "Cryptography", "ExposureRisk", "GAEN", "HTTPFields", "KeyExport", "Matching",
                "PluginManifest",
                "RiskConfiguration", "SchemaCheck", "Trust", "Varlink",
            ], swiftSettings: house),
        .testTarget(
            name: "AuthorityProfileTests",
            dependencies: [
                "AuthorityProfile", "Cryptography", "ExposureRisk", "GAEN", "PluginManifest", "RiskConfiguration",
                "SchemaCheck", "Trust", "Varlink",
            ], swiftSettings: house),
        .testTarget(name: "HTTPFieldsTests", dependencies: ["HTTPFields"], swiftSettings: house),
        .testTarget(name: "HTTPClientTests", dependencies: ["FaultServer", "HTTPClient"], swiftSettings: house),
        .testTarget(
            name: "DiagnosisPlanTests",
            dependencies: [
                "Cryptography", "DiagnosisPlan", "GAEN", "HTTPFields", "KeyExport", "KeyLevels", "Varlink",
            ],
            swiftSettings: house),
        .testTarget(name: "SyncPlanTests", dependencies: ["HTTPFields", "SyncPlan", "SyncTrial"], swiftSettings: house),
        .testTarget(
            name: "WebPagesTests",
            dependencies: ["ContentBundle", "Interfaces", "SelfCheck", "Varlink", "WebPages", "WebPagesGallery"],
            swiftSettings: house),
        .testTarget(name: "InterfacesTests", dependencies: ["Interfaces", "Varlink"], swiftSettings: house),
        .testTarget(
            name: "ExposureRiskTests", dependencies: ["ExposureRisk", "GAEN", "Matching"], swiftSettings: house),
        .testTarget(name: "ConformanceTests", dependencies: ["Conformance"], swiftSettings: house),
        .testTarget(
            name: "ControlToolTests",
            dependencies: ["ControlTool", "Interfaces", "KeyExport", "Offline", "SelfCheck", "Varlink", "VarlinkSocket"],
            swiftSettings: house),
        // Tries what a plugin must not be able to do; never ships.
        .executableTarget(
            name: "vigil-hostile", dependencies: ["CLinux"], path: "Tests/Hostile",
            exclude: ["README.md", "corpus.json", "plugin"],
            cSettings: houseC,
            linkerSettings: noSwift),
        .target(name: "SandboxC", path: "Tests/SandboxC", cSettings: houseC),
        .testTarget(
            name: "SandboxTests", dependencies: ["Sandbox", "SandboxC", "vigil-hostile", "vigil-jail"],
            swiftSettings: house),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "CLinux", "Cryptography", "DiskTestKit", "GAEN", "Interfaces", "KeyArchive", "KeyExport", "Trust",
                "Varlink",
                "Vault", "hello-swift", "vigil",
                "vigil-lab", "vigil-plugins", "vigil-zip",
            ],
            swiftSettings: house),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
