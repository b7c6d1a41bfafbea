// SPDX-License-Identifier: Apache-2.0

import JSON

/// `plugin.json` as a shape.
enum ManifestShape {
    static let why = Shape.text(.plain(1...300))
    private static let plainTitle = Shape.text(.plain(1...80))

    static let whole = Shape.object(
        Shape.ObjectShape(fields: [
            .init("$schema", .text(.schemaAddress), "The address of this schema, for editors."),
            .init("id", .text(.name), required: true, "The plugin's own name, unique on a board."),
            .init("version", .text(.version), required: true, "The plugin's version."),
            .init("title", plainTitle, required: true, "What people call it."),
            .init("description", .text(.plain(1...1_000)), required: true, "What it does, for the operator."),
            .init("run", run, required: true, "What is started."),
            .init(
                "start", .word(["resident", "onDemand"]), required: true,
                "resident: always there. onDemand: started by the first call or by its schedule, gone when idle."),
            .init(
                "provides", .list(.text(.interface), count: 0...Limits.provided), standard: [],
                "Interfaces that others may call; their texts lie in interfaces/NAME.varlink beside this file."),
            .init(
                "wants", .list(want, count: 0...Limits.wanted), standard: [],
                "What it would like to call; nothing is had without a grant."
            ),
            .init(
                "endpoints", .list(named, count: 0...Limits.endpoints), standard: [],
                "Places on the network it would like to reach; the operator says which they are."),
            .init(
                "listens", .list(listen, count: 0...Limits.listens), standard: [],
                "TCP sockets it would like to be reached at; the supervisor opens them and hands them over."),
            .init("devices", .list(device, count: 0...Limits.devices), standard: [], "Device files it would like to open."),
            .init(
                "lines", .list(line, count: 0...Limits.lines), standard: [],
                "Lines of the board it would like to set; the board's file says where they are. The button is for no plugin."
            ),
            .init("schedule", schedule, "When an onDemand plugin is started though nobody calls."),
            .init(
                "heartbeatSeconds", .integer(Limits.heartbeat), standard: 30,
                "It promises a sign of life at least this often; after three times without it is killed."),
            .init("quotas", quotas(standards: true), "The most it needs; the operator may give less."),
            .init(
                "settings", SettingsShape.whole, "What the operator can set: a subset of JSON Schema (docs/manifest.md)."),
        ]))

    private static let run = Shape.object(
        Shape.ObjectShape(
            fields: [
                .init("program", .text(.programPath), "An executable file in the plugin's folder."),
                .init("role", .text(.name), "A role of vigil-plugins; for the plugins that come with Vigil."),
            ], exactlyOneOf: ["program", "role"]))

    private static let want = Shape.object(
        Shape.ObjectShape(fields: [
            .init("interface", .text(.interface), required: true, "Which interface."),
            .init("methods", .list(.text(.method), count: 1...Limits.methods), required: true, "Which of its methods."),
            .init("why", why, required: true, "What for; the operator decides by it."),
        ]))

    private static let named = Shape.object(
        Shape.ObjectShape(fields: [
            .init("name", .text(.name), required: true, "What it is called in grants.json."),
            .init("why", why, required: true, "What for; the operator decides by it."),
        ]))

    private static let listen = Shape.object(
        Shape.ObjectShape(fields: [
            .init("name", .text(.name), required: true, "What it is called in grants.json and when it is handed over."),
            .init("why", why, required: true, "What for; the operator decides by it."),
            .init("port", .integer(1...65_535), required: true, "Where, if the operator does not say otherwise."),
        ]))

    private static let device = Shape.object(
        Shape.ObjectShape(fields: [
            .init("path", .text(.device), required: true, "Which device file."),
            .init("why", why, required: true, "What for; the operator decides by it."),
        ]))

    private static let line = Shape.object(
        Shape.ObjectShape(fields: [
            .init("name", .word(Manifest.lineNames), required: true, "Which, by the board's file."),
            .init("why", why, required: true, "What for; the operator decides by it."),
        ]))

    private static let schedule = Shape.object(
        Shape.ObjectShape(fields: [
            .init("everySeconds", .integer(Limits.schedule), required: true, "Seconds between two starts.")
        ]))

    static func quotas(standards: Bool) -> Shape {
        func field(_ name: String, _ range: ClosedRange<Int64>, _ value: Int64, _ note: String) -> Shape.Field {
            .init(name, .integer(range), standard: standards ? .int(value) : nil, note)
        }
        return .object(
            Shape.ObjectShape(fields: [
                field("memory", Limits.memory, Quotas.standard.memory, "Bytes of memory."),
                field("state", Limits.storage, Quotas.standard.state, "Bytes in the folder that lasts."),
                field(
                    "spool", Limits.storage, Quotas.standard.spool,
                    "Bytes in the folder in memory, for files on their way to others."),
                field("processes", Limits.processes, Quotas.standard.processes, "Processes and threads together."),
            ]))
    }
}

/// The subset of JSON Schema that describes settings, as a shape.
enum SettingsShape {
    static let whole = Shape.object(
        Shape.ObjectShape(fields: [
            .init("type", .word(["object"]), "Settings are an object."),
            .init("additionalProperties", .bool(only: false), "There are no others, whether this is written or not."),
            .init(
                "properties", properties(of: .object(property)), required: true,
                "The settings by name, in the order they are shown."),
            required,
        ]))

    private static let required = Shape.Field(
        "required", .list(.text(.setting), count: 0...Limits.settings), standard: [], "Those that must be set.")

    private static func properties(of shape: Shape) -> Shape { .map(.setting, shape, atMost: Limits.settings) }

    private static let common: [Shape.Field] = [
        .init("title", .text(.plain(1...80)), "What people call it."),
        .init("description", .text(.plain(1...1_000)), "What it does."),
        .init("default", .anything, "What holds when it is not set."),
    ]

    private static let scalar: [Shape.Field] = [
        .init("enum", .list(.anything, count: 1...Limits.choices), "The values it can have."),
        .init("minimum", .number, "The smallest number."),
        .init("maximum", .number, "The largest number."),
        .init("minLength", .integer(0...Int64(Limits.settingLength)), "The fewest characters of a text."),
        .init("maxLength", .integer(0...Int64(Limits.settingLength)), "The most characters of a text; 1000 if not given."),
        .init("writeOnly", .bool(), "A secret: pages and commands never show it."),
    ]

    private static let scalarType = Shape.Field(
        "type", .word(["string", "integer", "number", "boolean"]), required: true, "What it is.")

    private static let flatProperty = Shape.ObjectShape(fields: [scalarType] + common + scalar)

    private static let element = Shape.ObjectShape(
        fields: [
            .init(
                "type", .word(["string", "integer", "number", "boolean", "object"]), required: true, "What each element is."
            )
        ] + common + scalar + [
            .init("additionalProperties", .bool(only: false), "There are no others, whether this is written or not."),
            .init("properties", properties(of: .object(flatProperty)), "The fields of each element."),
            required,
        ])

    private static let property = Shape.ObjectShape(
        fields: [
            .init("type", .word(["string", "integer", "number", "boolean", "array"]), required: true, "What it is.")
        ] + common + scalar + [
            .init("operatorOnly", .bool(), "Set in grants.json alone: no technician changes it at the page."),
            .init("cardOnly", .bool(), "Set by the card alone: no fleet's configuration changes it."),
            .init(
                "endsWithReset", .bool(),
                "It may say whose device it is: what a technician has set it to ends with a reset, and what the operator has set is back."
            ),
            .init("items", .object(element), "What a list holds."),
            .init("minItems", .integer(0...Int64(Limits.settingElements)), "The fewest elements of a list."),
            .init("maxItems", .integer(0...Int64(Limits.settingElements)), "The most elements of a list; 64 if not given."),
        ])
}
