// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import VirtualAir

/// The scenes of `Tests/Vectors/warnings/sources.json`, in which boards follow several authorities. They were made from the
/// documents by somebody who had not seen this firmware.
public struct SourcesTable: Sendable, Decodable {
    /// A published system as the table describes it.
    struct System: Sendable, Decodable {
        enum Form: String, Sendable, Decodable {
            case cwa, nhs, profile, vigil
        }

        let form: Form
        /// Where its published rules lie among the specifications; `nil` where they are made from the mapping.
        let document: String?
        let mapping: WarningTable.Mapping
    }

    let systems: [String: System]
    let scenes: [SourcesScene]
    /// The published rules of the systems that have some, byte for byte.
    private(set) var documents: [String: [UInt8]] = [:]

    private enum CodingKeys: String, CodingKey { case systems, scenes }

    /// Reads `sources.json` at `path`, and the documents that it names from the folder `risk-configuration` beside the
    /// folder of the file. Throws when a file cannot be read or has another form.
    public init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(Self.contents(path)))
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let published = "\(folder.isEmpty ? "." : folder)/../risk-configuration"
        for (name, system) in systems {
            guard let document = system.document else { continue }
            documents[name] = try Self.document(named: document, in: published)
        }
    }

    /// The number of scenes in the table, 0 or more.
    public var count: Int { scenes.count }

    private static func contents(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw WarningFailure("\(path) cannot be read") }
        return [UInt8](data)
    }

    /// Several of the Corona-Warn-App's configurations are kept in one file, those of others each as it is.
    private static func document(named path: String, in folder: String) throws -> [UInt8] {
        struct Kept: Decodable {
            struct Case: Decodable {
                let id: String
                let bytes: String?
            }

            let cases: [Case]
        }
        let file = path.split(separator: "/").last.map(String.init) ?? path
        guard file.hasSuffix(".bin") else { return try contents("\(folder)/nhs-\(file)") }
        let kept = try JSONDecoder().decode(Kept.self, from: Data(contents("\(folder)/cwa-configurations.json")))
        guard let bytes = kept.cases.first(where: { "\($0.id).bin" == file })?.bytes.flatMap({ Base64.bytes($0) }) else {
            throw WarningFailure("\(folder) has no document \(file)")
        }
        return bytes
    }

    /// One scene in `share`, spread so that scenes which differ in one number only are not passed over together; each keeps its number. Of each
    /// group at least one.
    func share(_ share: Int, first: Int) -> [(number: Int, scene: SourcesScene)] {
        var groups: Set<String> = []
        let chosen = scenes.enumerated().filter { number, scene in
            var generator = SplitMix64(seed: UInt64(number) &+ 91)
            let isChosen = (generator.next() &+ UInt64(first)) % UInt64(share) == 0
            if isChosen { groups.insert(scene.group) }
            return isChosen
        }
        let others = scenes.enumerated().filter { groups.insert($0.element.group).inserted }
        return (chosen + others).sorted { $0.offset < $1.offset }.map { ($0.offset, $0.element) }
    }
}
