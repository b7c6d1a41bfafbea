// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// As in ../Package.swift.
let house: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let houseC: [CSetting] = [
    .treatAllWarnings(as: .error)
]

let fuzzing: Target.Dependency = .product(name: "VigilFuzzing", package: "vigil")

/// A program of libFuzzer's: it has no main function of its own and links only with `--sanitize fuzzer`
/// (../Tools/fuzz.sh has the whole command).
func fuzzer(_ name: String) -> Target {
    .executableTarget(name: name, dependencies: ["CFuzz", "FuzzSupport", fuzzing], swiftSettings: house)
}

let package = Package(
    name: "vigil-fuzz",
    dependencies: [.package(name: "vigil", path: "..")],
    targets: [
        .target(name: "CFuzz", cSettings: houseC),
        .target(name: "FuzzSupport", dependencies: ["CFuzz", fuzzing], swiftSettings: house),
        fuzzer("fuzz-zip"),
        fuzzer("fuzz-export"),
        fuzzer("fuzz-signatures"),
        fuzzer("fuzz-payload"),
        fuzzer("fuzz-hci"),
        fuzzer("fuzz-radio"),
        fuzzer("fuzz-tables"),
        fuzzer("fuzz-varlink"),
        fuzzer("fuzz-idl"),
        fuzzer("fuzz-sync"),
        fuzzer("fuzz-manifest"),
        fuzzer("fuzz-socks"),
        fuzzer("fuzz-risk-config"),
        fuzzer("fuzz-test-code"),
        fuzzer("fuzz-windows"),
        fuzzer("fuzz-presence"),
        fuzzer("fuzz-crowd-notifier"),
        fuzzer("fuzz-venue-notices"),
        fuzzer("fuzz-hidden-visits"),
        fuzzer("fuzz-points"),
        fuzzer("fuzz-evidence"),
        fuzzer("fuzz-tokens"),
        fuzzer("fuzz-fleet"),
        // Not a fuzzer: writes the part of the corpora that is made of our own data.
        .executableTarget(name: "fuzz-seeds", dependencies: ["FuzzSupport", fuzzing], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
