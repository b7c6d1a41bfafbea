// SPDX-License-Identifier: Apache-2.0

import Enrolment

/// What an operator signs: a card's device file, and configurations of a fleet.
public enum FleetSeeds {
    /// The files of the card beside its device file.
    public static let cardFiles: [String: [UInt8]] = ["vigil.json": Array("{}".utf8), "network/20-wired.network": [10]]

    /// The device file of a card of that number, for the board `serial`.
    public static func device(_ serial: String = "vg-7k3m-q0r1x", issued: Int64 = 100) -> [UInt8] {
        let files = cardFiles.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\(DeviceFile.hash($0.value))\"" }
        return Array(
            "{\"format\":1,\"serial\":\"\(serial)\",\"boardType\":\"pi\",\"issued\":\(issued),\"files\":{\(files.joined(separator: ","))}}"
                .utf8)
    }

    /// Configurations, by name.
    public static let configurations: [(name: String, document: [UInt8])] = [
        (
            "whole",
            #"""
            {"format":"vigil-fleet-configuration-1","version":7,"until":1900000000,"trialSeconds":7200,"stages":[
            {"to":"fleet","share":10,"plugins":{"sync":{"enabled":true,"calls":{"org.vigil.device1":["GetTime"],"org.vigil.checkin1":null},
            "endpoints":{"distribution":[{"host":"cdn.example","port":443}]},"settings":{"sources":[{"base":"https://cdn.example/tree"}],"old":null}}}},
            {"to":"group:libraries","plugins":{"webui":{"settings":{"title":"City library"}}}},
            {"to":"board:vg-7k3m-q0r1x","networks":[{"interface":"eth0","method":"manual","addresses":["192.0.2.7/24"],"gateway":"192.0.2.1","nameServers":["192.0.2.53"]}]}]}
            """#
        ),
        ("nothing", #"{"format":"vigil-fleet-configuration-1","version":1,"stages":[]}"#),
        (
            "forbidden",
            #"{"format":"vigil-fleet-configuration-1","version":2,"stages":[{"to":"fleet","plugins":{"a":{"calls":{"org.vigil.device1":["Reset"]}}}}]}"#
        ),
        (
            "granted",
            #"{"format":"vigil-fleet-configuration-1","version":2,"stages":[{"to":"fleet","plugins":{"sync":{"calls":{"org.vigil.device1":["Enable"]}}}}]}"#
        ),
        (
            "local",
            #"{"format":"vigil-fleet-configuration-1","version":2,"stages":[{"to":"fleet","plugins":{"a":{"settings":{"a":["mqtts://[fe80::1]:8883"]}}}}]}"#
        ),
    ].map { ($0.0, Array($0.1.utf8)) }
}
