// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import WakePlan

@Suite struct SettingsTests {
    private func settings(_ text: String) throws -> WakeSettings {
        try JSON(parsing: Array(text.utf8)).decode(WakeSettings.self)
    }

    @Test func littleIsEnough() throws {
        let settings = try settings(#"{"host":"mqtt.example","region":"de"}"#)
        #expect(settings.problems == [])
        #expect(settings.port == 8883 && settings.tls && settings.mqtt == .v311 && settings.profile == .always)
        #expect(settings.wakeTopic == "vigil/de/wake" && settings.statusTopic == "vigil/de/status")
        #expect(settings.limits == WakeEngine.Limits())
    }

    @Test(arguments: [
        (#""region":"de/x""#, "region"), (#""region":"+""#, "region"), (#""region":"""#, "region"), (#""port":0"#, "port"),
        (#""topicPrefix":"a//b""#, "topicPrefix"), (#""topicPrefix":"a/#""#, "topicPrefix"),
        (#""certificate":"x""#, "certificate"),
        (#""password":"x""#, "password"), (#""tls":false,"authorities":"x""#, "tls"),
        (#""keepAliveSeconds":5"#, "keepAliveSeconds"),
        (#""gapSeconds":-1"#, "gapSeconds"), (#""wakesPerDay":0"#, "wakesPerDay"),
        (#""staleAfterSeconds":1"#, "staleAfterSeconds"),
        (#""registrationURL":"ftp://x","profile":"checkIns""#, "registrationURL"), (#""factsSeconds":0"#, "factsSeconds"),
        (#""host":"""#, "host"),
    ])
    func mistakesAreNamed(text: String, field: String) throws {
        var defaults = [#""host":"mqtt.example""#, #""region":"de""#]
        defaults.removeAll { text.hasPrefix(String($0.prefix(7))) }
        let problems = try settings("{" + (defaults + [text]).joined(separator: ",") + "}").problems
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(field + ":") == true)
    }

    @Test func wordsAreThoseOfTheList() {
        for text in [
            #"{"host":"a"}"#, #"{"host":"a","region":"de","mqtt":"4"}"#, #"{"host":"a","region":"de","profile":"all"}"#,
        ] {
            #expect(throws: JSONError.self) { try settings(text) }
        }
    }
}
