// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginManifest
import Varlink

/// Files that are all right, to be changed by the tests.
enum Samples {
    static let manifest = """
        {
          "$schema": "plugin.schema.json", "id": "hello", "version": "1.0.2", "title": "Hello", "description": "Greets.",
          "run": { "program": "bin/hello" }, "start": "onDemand", "provides": ["org.example.hello1"],
          "wants": [{ "interface": "org.vigil.exposure1", "methods": ["GetStatus", "Watch"], "why": "To say how you are." }],
          "endpoints": [{ "name": "news", "why": "To fetch greetings." }],
          "listens": [{ "name": "web", "why": "To show greetings.", "port": 8080 }],
          "devices": [{ "path": "/dev/i2c-1", "why": "To see." }], "lines": [{ "name": "lights", "why": "To blink." }],
          "schedule": { "everySeconds": 3600 }, "heartbeatSeconds": 20,
          "quotas": { "memory": 16777216, "state": 65536, "spool": 0, "processes": 4 },
          "settings": { "type": "object", "required": ["greeting"], "properties": {
            "greeting": { "type": "string", "title": "Greeting", "description": "The first word.", "maxLength": 20, "default": "Hello" },
            "times": { "type": "integer", "minimum": 1, "maximum": 9, "default": 1 },
            "ratio": { "type": "number", "minimum": 0.5 },
            "loud": { "type": "boolean", "default": false },
            "mood": { "type": "string", "enum": ["good", "bad"] },
            "token": { "type": "string", "writeOnly": true },
            "names": { "type": "array", "items": { "type": "string", "maxLength": 10 }, "maxItems": 3 },
            "friends": { "type": "array", "items": { "type": "object", "required": ["name"], "properties": {
              "name": { "type": "string" }, "age": { "type": "integer", "default": 30 }, "pin": { "type": "string", "writeOnly": true } } } }
          } }
        }
        """

    static let grants = """
        { "plugins": { "hello": {
            "enabled": true, "calls": { "org.vigil.exposure1": ["GetStatus"] },
            "endpoints": { "news": [{ "host": "news.example", "port": 443 }, { "host": "192.168.1.2", "port": 80, "private": true }] },
            "listens": { "web": { "address": "127.0.0.1", "port": 8081 } }, "devices": ["/dev/i2c-1"],
            "lines": ["lights", "buzzer"],
            "quotas": { "memory": 8388608 }, "metered": true, "settings": { "greeting": "Moin", "friends": [{ "name": "Ada" }] }
        } } }
        """

    static let helloText = """
        # Greets.
        interface org.example.hello1

        # Greets.
        method Greet(
          # Whom.
          name: string
        ) -> (
          # The words.
          greeting: string
        )
        """

    static let builtIn = [
        PluginSet.BuiltIn(
            name: "core", interfaces: ["org.vigil.exposure1", "org.vigil.device1", "org.vigil.release1"])
    ]

    static let known: Result<[InterfaceDescription], any Error> = Result {
        try InterfaceTexts.all.values.map { try InterfaceDescription(parsing: $0) }
    }

    /// A manifest's JSON, changed.
    static func changed(_ text: String = manifest, _ change: (inout JSON.Object) -> Void) throws -> [UInt8] {
        guard case .object(var object) = try JSON(parsing: Array(text.utf8)) else { return [] }
        change(&object)
        return JSON.object(object).bytes
    }

    static func plugin(_ manifest: [UInt8] = Array(Samples.manifest.utf8), text: String? = helloText) -> InstalledPlugin {
        InstalledPlugin(
            folder: "hello", mustMatch: false, manifest: manifest,
            interfaceFiles: text.map { [.init(name: "org.example.hello1.varlink", bytes: Array($0.utf8))] } ?? [])
    }

    static func problems(_ bytes: [UInt8]) -> [Problem] {
        do throws(Refusal) {
            _ = try Manifest(parsing: bytes)
            return []
        } catch {
            return error.problems
        }
    }

    static func problems(_ text: String) -> [Problem] { problems(Array(text.utf8)) }
}
